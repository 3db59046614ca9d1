// SPDX-License-Identifier: BSD-3-Clause
// Agrees, on each node, which rank uses which adapter and where the data servers' threads run.
#pragma once

#include "core/runtime/runtime.h"
#include "fabric/provider.h"

namespace armci::lifecycle {

// Replaces the adapter of the choice by the one for this rank, if the provider has several and the
// user has named none. Is collective over the node. Returns the processor for the thread of this
// rank's data server, or -1 if it is not to be bound.
int agree_on_places(const core::Runtime& runtime, int servers_per_node,
                    fabric::ProviderChoice* choice);

}  // namespace armci::lifecycle
