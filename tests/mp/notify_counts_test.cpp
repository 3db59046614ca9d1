// SPDX-License-Identifier: BSD-3-Clause
// Notifications where their counts wrap around. Uses internals of the library, because 2^31 real
// notifications would take too long.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

#include "core/runtime/runtime.h"
#include "support/job.h"

namespace armci::mp {
namespace {

// Whether this thread must still inform rank 0 that it waits.
thread_local bool t_informs_rank_0 = false;

void inform_rank_0() {
    if (std::exchange(t_informs_rank_0, false)) {
        MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, harness_comm());
    }
}
void hear_from_others() {
    for (int rank = 1; rank < nproc(); ++rank) {
        MPI_Recv(nullptr, 0, MPI_BYTE, rank, 0, harness_comm(), MPI_STATUS_IGNORE);
    }
}

}  // namespace
}  // namespace armci::mp

// Replaces the C library's function, also for the calls of the library under test: a thread that
// waits yields.
extern "C" int sched_yield() noexcept {
    armci::mp::inform_rank_0();
    return static_cast<int>(syscall(SYS_sched_yield));
}

namespace armci::mp {
namespace {

// Sets the counts as if so many had been sent in the ring.
void set_notification_counts(uint32_t count) {
    core::Notifications& notifications = core::running()->notifications;
    sync();
    notifications.set_sent(right(), count);
    notifications.set_arrived(left(), count);
    sync();
}

// Rank 0 begins only when all others wait, or have found that they need not.
// promise: notify.wraps
TEST(NotifyCounts, WaitWorksWhereCountsWrapAround) {
    for (const uint32_t full : {0x80000000U, 0U}) {
        set_notification_counts(full - 2);
        for (uint32_t round = 1; round <= 4; ++round) {
            int waited_for = 0;
            int received = 0;
            if (me() == 0) {
                hear_from_others();
                armci_notify(right());
                received = armci_notify_wait(left(), &waited_for);
            } else {
                t_informs_rank_0 = true;
                received = armci_notify_wait(left(), &waited_for);
                inform_rank_0();
                armci_notify(right());
            }
            EXPECT_EQ(static_cast<uint32_t>(waited_for), full - 2 + round);
            EXPECT_EQ(received, waited_for);
            sync();
        }
    }
    set_notification_counts(0);
}

}  // namespace
}  // namespace armci::mp
