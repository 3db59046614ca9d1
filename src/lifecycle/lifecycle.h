// SPDX-License-Identifier: BSD-3-Clause
// Starts and stops the library and counts both, as ARMCI_Init and ARMCI_Finalize specify.
#pragma once

#include <mpi.h>

#include "core/job/thread_level.h"

namespace armci::lifecycle {

// `function` is the public name for error text.
void initialize(const char* function, core::RequestedLevel requested, MPI_Comm comm);
bool initialize_uncounted(const char* function, MPI_Comm comm);
int finalize();
bool is_initialized();

}  // namespace armci::lifecycle
