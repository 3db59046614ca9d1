// SPDX-License-Identifier: BSD-3-Clause
#include "node/shared_lock.h"

#include <sched.h>

#include <ctime>

#include "base/backoff.h"

namespace armci::node {

void SharedLock::wait() {
    constexpr int kSpinTurns = 100;
    constexpr int kYieldTurns = 1000;
    constexpr long kNapNs = 50'000;  // where yielding does not help, as between priorities
    for (int turn = 0;; ++turn) {
        if (turn < kSpinTurns) {
            base::cpu_pause();
        } else if (turn < kYieldTurns) {
            sched_yield();
        } else {
            const timespec nap{0, kNapNs};
            nanosleep(&nap, nullptr);
        }
        uint32_t expected = 0;
        if (state_.load(std::memory_order_relaxed) == 0 &&
            state_.compare_exchange_weak(expected, 1, std::memory_order_acquire)) {
            return;
        }
    }
}

}  // namespace armci::node
