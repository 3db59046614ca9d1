// SPDX-License-Identifier: BSD-3-Clause
// How much memory one data server takes for many clients, on the terms of a real provider.
#pragma once

#include "twins/twin.h"

namespace armci::sim {

// So many clients do a put of one chunk, a get and a fence each, and stay. Counts every byte that
// the server allocates. Prints the counts; it is a violation if they exceed the bound of
// docs/scaling.md.
void count_server_memory(const Twin& twin, int client_count);

}  // namespace armci::sim
