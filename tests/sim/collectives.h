// SPDX-License-Identifier: BSD-3-Clause
// The calls of MPI that the library makes while it starts, runs and stops, simulated among fibers.
// MPI itself is never started in this program.
#pragma once

#include <mpi.h>

#include <vector>

namespace armci::sim {

void start_mpi();
// A communicator of these ranks of the world.
MPI_Comm make_communicator(std::vector<int> ranks);
// Fails when a collective, a request or a message has not been completed.
void check_mpi_is_idle();

}  // namespace armci::sim
