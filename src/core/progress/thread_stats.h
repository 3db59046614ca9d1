// SPDX-License-Identifier: BSD-3-Clause
// Counters of operations inside the node at MPI_THREAD_MULTIPLE.
//
// Each thread counts in words of its own, so that threads do not wait for each other's cache lines;
// whoever reads them sums them up and sees them only approximately while others go on. What a
// thread has counted outlives it: its words are given to the next thread that needs some.
#pragma once

#include <cstdint>

#include "base/stats.h"

namespace armci::core {

// At the start of the library, while no thread counts.
void reset_thread_stats();
void count_by_thread(base::OpKind op, int64_t bytes);
void count_rmw_by_thread();
// Those, and all that threads have counted.
base::Stats with_thread_stats(const base::Stats& own);

}  // namespace armci::core
