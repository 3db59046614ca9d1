// SPDX-License-Identifier: BSD-3-Clause
// Waits for MPI.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "core/progress/progress.h"

namespace armci::core {

// MPI offers nothing to sleep on, so a wait that has lasted so long naps between looks. It becomes
// a sixteenth longer at most, and a long one takes little of the processor.
void nap_between_looks(Progress& progress, int64_t waited_ns);

// Waits for an MPI request and makes progress of everything else. Only this thread calls MPI.
// `what` is for reports on long waits.
void wait_for_mpi(Progress& progress, MPI_Request* request, const char* what);

}  // namespace armci::core
