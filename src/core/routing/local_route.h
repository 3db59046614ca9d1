// SPDX-License-Identifier: BSD-3-Clause
// Put, get and accumulate between ranks of one node: loads and stores in the shared mapping, run by
// run, without a buffer between; system calls for what a neighbour has attached.
#pragma once

#include "core/memory/attached_memory.h"
#include "node/heap.h"
#include "pipeline/costs/transfer.h"

namespace armci::core {

void run_local(node::NodeHeap& heap, AttachedMemory& attached, const pipeline::Transfer& transfer);

}  // namespace armci::core
