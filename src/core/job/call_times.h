// SPDX-License-Identifier: BSD-3-Clause
// How long calls of public functions take, by function and route. Threads count without waiting for
// each other; a reader sees approximate values while they go on.
#pragma once

#include <cstdint>
#include <vector>

#include "base/stats.h"

namespace armci::core {

struct CallTimes {
    // Bucket b has the calls that took 2^b ns or more, and less than 2^(b+1). The first one has
    // shorter ones, too, and the last one longer ones.
    static constexpr int kBuckets = 40;

    const char* function = nullptr;
    base::Route route = base::Route::local;  // of a transfer; local for all that is no transfer
    uint64_t count = 0;
    uint64_t total_ns = 0;
    uint64_t min_ns = 0;
    uint64_t max_ns = 0;
    uint64_t buckets[kBuckets] = {};
};

// Forgets all calls. No thread may count meanwhile.
void reset_call_times();
// `function` has static lifetime.
void count_call(const char* function, base::Route route, int64_t ns);
// Returns the sums over all threads, ordered by function and route.
std::vector<CallTimes> call_times();

}  // namespace armci::core
