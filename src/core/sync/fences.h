// SPDX-License-Identifier: BSD-3-Clause
// Fences.
#pragma once

#include "core/progress/progress.h"

namespace armci::core {

// Wait for remote completion of everything this process did to a rank's, or to all ranks', memory.
void fence(Progress& progress, int target);
void fence_all(Progress& progress);
// Does the same as fence_all(), except for what a frame to that data server follows anyway. Returns
// whether there is any of that.
bool fence_all_before(Progress& progress, int server);
// Does the part of fence_all() that a barrier's own atomics do not do.
void fence_other_nodes(Progress& progress);

}  // namespace armci::core
