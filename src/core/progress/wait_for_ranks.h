// SPDX-License-Identifier: BSD-3-Clause
// Waits that other ranks end, without an event of the network. They poll, then yield the processor,
// then sleep for short times.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/clock.h"
#include "base/trace.h"
#include "core/progress/progress.h"

namespace armci::core {

// The program's own MPI operations advance only inside calls of MPI. A wait that makes no such
// calls makes one now and then. Ranks that wait in MPI for this one then come to a barrier, too.
class MpiProgress {
  public:
    explicit MpiProgress(MPI_Comm comm) : comm_(comm), next_ns_(base::now_ns() + kPauseNs) {}
    void turn(int64_t now_ns) {
        if (now_ns >= next_ns_) {
            next_ns_ = now_ns + kPauseNs;
            int arrived = 0;
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &arrived, MPI_STATUS_IGNORE);
        }
    }

  private:
    static constexpr int64_t kPauseNs = 1'000'000;

    MPI_Comm comm_;
    int64_t next_ns_;
};

// sleep(waited_ns) sleeps for a time that it chooses, at most milliseconds, and without the API
// lock. What comes for this rank is handled meanwhile. Sleeping begins earlier or later, as the
// ranks waited for need this processor. `mpi` is for waits that call MPI in no other way.
template <class Done, class Sleep>
void wait_for_ranks(Progress& progress, const WaitCause& cause, Done&& done, Sleep&& sleep,
                    MpiProgress* mpi = nullptr) {
    constexpr int kPollsWithoutClock = 64;
    constexpr int64_t kPatienceNs = 1'000'000;
    constexpr int64_t kOversubscribedPatienceNs = 50'000;
    const int64_t patience_ns =
        progress.world().is_oversubscribed ? kOversubscribedPatienceNs : kPatienceNs;
    int polls = 0;
    int64_t begin_ns = 0;
    progress.wait_until(cause, [&] {
        if (done()) {
            return true;
        }
        if (++polls < kPollsWithoutClock) {
            return false;
        }
        const int64_t now_ns = base::now_ns();
        if (begin_ns == 0) {
            begin_ns = now_ns;
        }
        if (mpi != nullptr) {
            mpi->turn(now_ns);
        }
        if (now_ns - begin_ns > patience_ns && progress.may_sleep_at_barrier()) {
            progress.end_inline_progress();
            const base::TraceSpan span(base::kTraceAsleep);
            progress.tell_server_of_sleep([&] { sleep(now_ns - begin_ns); });
        }
        return done();
    });
}

}  // namespace armci::core
