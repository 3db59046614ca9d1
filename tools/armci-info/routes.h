// SPDX-License-Identifier: BSD-3-Clause
// How the ranks of a running job reach each other.
#pragma once

#include <cstdio>

namespace armci::info {

// Collective over MPI_COMM_WORLD, with ARMCI up; rank 0 prints.
void print_routes(std::FILE* out);

}  // namespace armci::info
