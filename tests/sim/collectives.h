// SPDX-License-Identifier: BSD-3-Clause
// The calls of MPI that the library makes while it starts, runs and stops, simulated among fibers.
// MPI itself is never started in this program.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace armci::sim {

void start_mpi();
// A communicator of these ranks of the world.
MPI_Comm make_communicator(std::vector<int> ranks);
// What all collectives of more than one rank have taken in virtual time, and what each of their
// members has been sent.
struct MpiUse {
    int64_t ns = 0;
    int64_t bytes = 0;

    friend MpiUse operator-(const MpiUse& a, const MpiUse& b) {
        return {a.ns - b.ns, a.bytes - b.bytes};
    }
};
MpiUse mpi_use();
// Fails when a collective, a request or a message has not been completed.
void check_mpi_is_idle();

}  // namespace armci::sim
