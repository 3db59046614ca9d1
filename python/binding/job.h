// SPDX-License-Identifier: BSD-3-Clause
// The job that the process belongs to: start and end of the library, and who may call it.
#pragma once

#include <armci/armcix.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace armci::python {

/** Becomes armci.Error. */
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/**
 * Starts MPI, if nobody has, and the library on the communicator at this address (an MPI_Comm*), or
 * on MPI_COMM_WORLD if the address is 0. Collective.
 */
void start(uintptr_t comm_address);

/** Ends the library; collective. */
void stop();

/** Ends MPI, if start() has started it and nobody has ended it. Collective. */
void stop_mpi();

/** Whether the library is up because of start(). */
bool is_up();

/**
 * How often the library has been started. What belongs to an earlier start is of no use any more.
 */
int start_count();

/** Throws Error if the calling thread may not call the library now. */
void check_call();

/** Same, for something that was made when the library had been started `start` times. */
void check_call(int start);

/** The first line of MPI's description of itself. */
std::string mpi_version();

/**
 * The ranks, in the library's world, of the members of the communicator at this address. Throws
 * Error if the calling thread may not call the library now.
 */
std::vector<int> ranks_of(uintptr_t comm_address);

}  // namespace armci::python
