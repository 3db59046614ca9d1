// SPDX-License-Identifier: BSD-3-Clause
// Whether the program runs with the MPI that this library was built for.
#pragma once

namespace armci::lifecycle {

// Ends the program with a message, in the name of `function`, if it runs with another MPI.
void check_mpi(const char* function);

}  // namespace armci::lifecycle
