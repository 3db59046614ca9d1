// Notifications where their counts wrap around. Looks into the library: nobody waits for 2^31 real
// ones.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/runtime.h"
#include "support/job.h"

namespace armci::mp {
namespace {

int right() {
    return (me() + 1) % nproc();
}
int left() {
    return (me() + nproc() - 1) % nproc();
}

// As if so many had gone round the ring.
void set_notification_counts(uint32_t count) {
    core::Runtime& runtime = *core::running();
    sync();
    runtime.notifications_sent[right()] = count;
    runtime.notifications_taken[left()] = count;
    reinterpret_cast<uint32_t*>(runtime.notify_counters->slice(me()).base)[left()] = count;
    sync();
}

// Rank 0 is late each time, so that the others find out whether they wait at all.
TEST(NotifyCounts, WrapAround) {
    for (const uint32_t full : {0x80000000U, 0U}) {
        set_notification_counts(full - 2);
        for (uint32_t round = 1; round <= 4; ++round) {
            int waited_for = 0;
            int received = 0;
            if (me() == 0) {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                armci_notify(right());
                received = armci_notify_wait(left(), &waited_for);
            } else {
                received = armci_notify_wait(left(), &waited_for);
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
