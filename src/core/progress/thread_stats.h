// SPDX-License-Identifier: BSD-3-Clause
// Counters of operations inside the node at MPI_THREAD_MULTIPLE.
//
// Each thread counts in words of its own, so that threads do not wait for each other's cache lines.
// The reader adds them up, and sees approximate sums while other threads continue. What a thread
// has counted outlives it, because the next thread that needs words continues in them.
#pragma once

#include <cstdint>

#include "base/stats.h"

namespace armci::core {

// Is called at the start of the library, while no thread counts.
void reset_thread_stats();
void count_by_thread(base::OpKind op, int64_t bytes);
void count_rmw_by_thread();
// Returns these counters plus those of all threads.
base::Stats with_thread_stats(const base::Stats& own);

}  // namespace armci::core
