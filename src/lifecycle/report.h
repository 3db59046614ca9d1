// SPDX-License-Identifier: BSD-3-Clause
// What the library tells about itself at start (ARMCI_VERBOSE) and end (ARMCI_STATS).
#pragma once

#include "core/runtime/runtime.h"

namespace armci::core {

// Rank 0: what ARMCI_PROGRESS_THREAD=0 means here, and the settings when asked for.
void report_start(const Runtime& runtime);
// Collective when ARMCI_STATS is set: rank 0 prints the sums over all ranks.
void report_statistics(Runtime& runtime);
// Of this rank alone, which a signal ends. For any thread; the others may go on meanwhile.
void report_statistics_of_rank(const Runtime& runtime, int signal);

}  // namespace armci::core
