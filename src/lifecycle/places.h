// SPDX-License-Identifier: BSD-3-Clause
// Agrees, on each node, which rank uses which adapter and where the data servers' threads run.
#pragma once

#include <string>
#include <vector>

#include "core/runtime/runtime.h"
#include "fabric/provider.h"

namespace armci::lifecycle {

struct Place {
    std::string adapter;  // empty if there are not several
    int processor = -1;   // for the thread of the rank's data server; -1: it is not to be bound
};

// Returns the place of this rank: the adapter, among those of its node, that it uses first. Is
// collective over the node.
Place agree_on_place(const core::Runtime& runtime, int servers_per_node,
                     const std::vector<fabric::Adapter>& adapters);

// Replaces the adapter of the choice by that one, if it has another and can have that.
void use_adapter(const core::World& world, const std::string& adapter,
                 fabric::ProviderChoice* choice);

}  // namespace armci::lifecycle
