// SPDX-License-Identifier: BSD-3-Clause
// Fences and barriers.
// docs/references.md: Buntinas 2007
#pragma once

#include "core/runtime.h"

namespace armci::core {

// Remote completion of everything this process did to a rank's, or to all ranks', memory.
void fence(Runtime& runtime, int target);
void fence_all(Runtime& runtime);
// The part of fence_all() that a barrier's own atomics do not do.
void fence_other_nodes(Runtime& runtime);

// All ranks of world, without a fence: flags in each node's memory, and one rank of each node meets
// the others by MPI.
void world_barrier(Runtime& runtime);
void group_barrier(Runtime& runtime, const Group& group);

}  // namespace armci::core
