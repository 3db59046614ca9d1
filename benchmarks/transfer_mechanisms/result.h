// SPDX-License-Identifier: BSD-3-Clause
// The results of a measurement, in memory that the processes share with the one that reports.
#pragma once

#include "mechanism.h"

#include "statistics/statistics.h"

#include <array>
#include <atomic>
#include <cstddef>

namespace armci::mechanisms {

enum class Phase { set_up, latency, stream, cache };

// Of one side. Misses are below 0 where the processor does not count them.
struct CacheImpact {
    double slowdown = 0;  // time to read the working set again / time while it is in the cache
    double misses = -1;   // more than while it is in the cache
};

struct Row {
    Phase phase;
    size_t bytes;  // of a transfer
    size_t sample_count;
    size_t iterations;  // transfers in a sample
    size_t wrong_words;
    tools::Summary microseconds;  // of a transfer; of Phase::set_up: of set_up() alone
    double first_us;              // the first transfer, of `bytes`
    double tear_down_us;
    std::array<CacheImpact, 2> cache;  // by index_of(side)
};

struct Results {
    static constexpr size_t kMaxRows = 512;

    Availability::Kind availability = Availability::Kind::usable;
    std::array<char, 400> remedy{};
    std::atomic<size_t> row_count{0};
    std::array<Row, kMaxRows> rows;
};

}  // namespace armci::mechanisms
