// SPDX-License-Identifier: BSD-3-Clause
// Opens and closes the network between nodes.
#pragma once

#include "core/runtime/runtime.h"

namespace armci::lifecycle {

using core::Runtime;

// Is collective. It chooses a provider (the same on all ranks) and starts the node's data servers,
// each in the first process of its block of ranks. Then it opens this rank's origin and makes the
// servers' addresses known. Ends the job with a message when that is impossible. It does nothing in
// a job of one node.
void open_network(Runtime& runtime);

// Is called collectively, after all ranks have waited for their operations and fenced.
void close_network(Runtime& runtime);

}  // namespace armci::lifecycle
