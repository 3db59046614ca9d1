// SPDX-License-Identifier: BSD-3-Clause
// Put, get and accumulate between ranks of one node: loads and stores in the shared mapping, run by
// run, without a buffer between; system calls for what a neighbour has attached.
#pragma once

#include "core/runtime.h"
#include "pipeline/transfer.h"

namespace armci::core {

void run_local(Runtime& runtime, const pipeline::Transfer& transfer);

}  // namespace armci::core
