// SPDX-License-Identifier: BSD-3-Clause
// A target that computes or sleeps, in neither ARMCI nor MPI, until its origin has put a word into
// its memory.
#pragma once

#include "armci-bench/workloads/arena.h"

#include <atomic>
#include <chrono>

namespace armci::bench {

// At the origin. `value` is different every time.
void release_busy_target(const Arena& arena, int target, long value);

// At the target. Calls `work()`, which takes milliseconds at most, until the value has arrived.
// Returns false if that took longer than limit_s.
template <class Work>
bool stay_outside_until_released(const Arena& arena, int rank, long value, int64_t limit_s,
                                 Work&& work) {
    using Clock = std::chrono::steady_clock;
    const std::atomic_ref<long> word(*arena.release_word(rank));
    const auto limit = Clock::now() + std::chrono::seconds(limit_s);
    while (word.load(std::memory_order_acquire) != value) {
        if (Clock::now() > limit) {
            return false;
        }
        work();
    }
    return true;
}

}  // namespace armci::bench
