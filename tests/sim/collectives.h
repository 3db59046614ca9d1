// SPDX-License-Identifier: BSD-3-Clause
// The few collectives of MPI that the library calls while it runs (barriers, agreeing on
// allocations), simulated among fibers. MPI itself is never started in this program.
#pragma once

#include <mpi.h>

#include <vector>

namespace armci::sim {

void start_mpi();
// A communicator of these ranks of the world.
MPI_Comm make_communicator(std::vector<int> ranks);
// The rank that makes the next calls.
void set_calling_rank(int rank);

}  // namespace armci::sim
