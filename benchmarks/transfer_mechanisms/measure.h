// SPDX-License-Identifier: BSD-3-Clause
// Runs the phases of a mechanism, in each of the two processes.
#pragma once

#include "options.h"
#include "pair.h"
#include "result.h"

namespace armci::mechanisms {

// The number of rows that these options produce.
size_t row_count(const Options& options);

// Both processes call. The source writes the results. With Options::count the transfers are the
// same as for the cache's rows, and there are no others.
void measure(const Kind& kind, const Options& options, Pair& pair, Results* results);

}  // namespace armci::mechanisms
