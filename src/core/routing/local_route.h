// SPDX-License-Identifier: BSD-3-Clause
// Put, get and accumulate between ranks of one node. They load and store in the shared mapping,
// block by block, without a buffer between. System calls access what another rank of the node has
// attached.
#pragma once

#include "core/memory/attached_memory.h"
#include "node/heap.h"
#include "pipeline/costs/transfer.h"

namespace armci::core {

void run_local(node::NodeHeap& heap, AttachedMemory& attached, const pipeline::Transfer& transfer);

}  // namespace armci::core
