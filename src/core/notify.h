// SPDX-License-Identifier: BSD-3-Clause
// armci_notify: counters of notifications between pairs of ranks, ordered behind earlier puts.
#pragma once

#include "core/runtime.h"

namespace armci::core {

// Collective: every rank gets a counter for every other rank.
void start_notifications(Runtime& runtime);

// Counts of notifications wrap around, so that only their distance tells: between ranks it is never
// near 2^31.
inline bool has_arrived(uint32_t arrived, uint32_t wanted) {
    return static_cast<int32_t>(arrived - wanted) >= 0;
}

// Returns how many notifications this rank has sent to `target`, this one included.
int notify(Runtime& runtime, const char* function, int target);
// Waits for the next notification from `source`; *waited is its number. Returns how many have come.
int wait_notification(Runtime& runtime, int source, int* waited);

}  // namespace armci::core
