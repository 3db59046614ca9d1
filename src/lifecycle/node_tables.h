// SPDX-License-Identifier: BSD-3-Clause
// What all processes of a node have to know of all ranks and data servers lies once in the memory
// of the node.
#pragma once

#include "core/runtime/runtime.h"

namespace armci::lifecycle {

// Stores which node and which data server each rank has, where there are tables of that. They stay
// as long as the node's memory, because messages name nodes to the end. All ranks of the node call
// it, with the data servers numbered.
void share_rank_tables(core::Runtime& runtime);

// Stores the records of all data servers. All ranks of the job call it, with their servers open.
void exchange_addresses(core::Runtime& runtime);

}  // namespace armci::lifecycle
