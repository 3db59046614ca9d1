// SPDX-License-Identifier: BSD-3-Clause
// armci_notify: counters of notifications between pairs of ranks, ordered behind earlier puts.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "core/memory/global_memory.h"
#include "core/routing/transfers.h"

namespace armci::core {

// Counts of notifications wrap around, so only the distance between them says which is later.
// Between ranks it is never near 2^31.
inline bool has_arrived(uint32_t arrived, uint32_t wanted) {
    return static_cast<int32_t>(arrived - wanted) >= 0;
}

class Notifications {
  public:
    Notifications(Progress& progress, Transfers& transfers, Checking& checking)
        : progress_(progress), transfers_(transfers), checking_(checking) {}

    // Is collective. Every rank gets a counter for every other rank.
    void start(GlobalMemory& memory, Barriers& barriers, const GroupRef& world);

    // Returns how many notifications this rank has sent to `target`, this one included.
    int notify(const char* function, int target);
    // Waits for the next notification from `source`, whose number is *waited. Returns how many have
    // come.
    int wait(int source, int* waited);

    // Set the counts as if so many had been sent to a rank, and had come from one.
    void set_sent(int target, uint32_t count) { sent_[target] = count; }
    void set_arrived(int source, uint32_t count);

  private:
    uint32_t* counter_of(int source) const;

    Progress& progress_;
    Transfers& transfers_;
    Checking& checking_;
    Segment* counters_ = nullptr;
    std::unordered_map<int, uint32_t> sent_;
    std::unordered_map<int, uint32_t> taken_;
};

}  // namespace armci::core
