// SPDX-License-Identifier: BSD-3-Clause
// Opening and closing the network between nodes.
#pragma once

#include "core/runtime/runtime.h"

namespace armci::core {

// Collective. Chooses a provider (the same on all ranks), starts the node's data server on its
// first rank, or several on its first ranks, opens this rank's origin and makes the servers'
// addresses known. Ends the job with a message when that is impossible. Does nothing in a job of
// one node.
void open_network(Runtime& runtime);

// Collective, after all ranks have waited for their operations and fenced.
void close_network(Runtime& runtime);

}  // namespace armci::core
