// SPDX-License-Identifier: BSD-3-Clause
// Prints what the library reports about itself at start (ARMCI_VERBOSE) and end (ARMCI_STATS).
#pragma once

#include <cstdio>

#include "core/runtime/runtime.h"

namespace armci::lifecycle {

using core::Runtime;

// On rank 0, it prints what ARMCI_PROGRESS_THREAD=0 means here, and the settings when asked for.
void report_start(const Runtime& runtime);
// Is collective when ARMCI_STATS is set. Rank 0 prints the sums over all ranks.
void report_statistics(Runtime& runtime);
// Prints those of this rank alone. Any thread may call this and the next one; the others may
// continue meanwhile.
void print_rank_statistics(std::FILE* out, const Runtime& runtime);
// Prints them on standard error, of a rank that this signal ends.
void report_statistics_of_rank(const Runtime& runtime, int signal);

}  // namespace armci::lifecycle
