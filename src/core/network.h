// SPDX-License-Identifier: BSD-3-Clause
// Opening and closing the network between nodes.
#pragma once

#include "core/runtime.h"

namespace armci::core {

// Collective. Chooses a provider (the same on all ranks), starts the node's data server on its
// first rank, or several on its first ranks, opens this rank's origin and makes the servers'
// addresses known. Ends the job with a message when that is impossible. Does nothing in a job of
// one node.
void open_network(Runtime& runtime);

// False when a rank of another node cannot have attached that range: it is in the heap of its node,
// or no address of memory.
bool may_be_attached(const Runtime& runtime, int rank, uint64_t address, uint64_t bytes);

// Collective, after all ranks have waited for their operations and fenced.
void close_network(Runtime& runtime);

}  // namespace armci::core
