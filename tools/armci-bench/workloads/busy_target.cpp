// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/busy_target.h"

#include "armci-bench/workloads/armci_api.h"

namespace armci::bench {

void release_busy_target(const Arena& arena, int target, long value) {
    ARMCI_Put(&value, arena.release_word(target), sizeof(value), target);
    ARMCI_Fence(target);
}

}  // namespace armci::bench
