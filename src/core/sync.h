// Fences and barriers.
#pragma once

#include "core/runtime.h"

namespace armci::core {

// Remote completion of everything this process did to a rank's, or to all ranks', memory.
void fence(Runtime& runtime, int target);
void fence_all(Runtime& runtime);

// All ranks of world, without a fence: a flag barrier in each node's memory, and one rank of each
// node meets the others by MPI.
void world_barrier(Runtime& runtime);
void group_barrier(Runtime& runtime, const Group& group);

}  // namespace armci::core
