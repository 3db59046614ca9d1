// SPDX-License-Identifier: BSD-3-Clause
// Handles of non-blocking operations.
//
// A public handle is two ints and owns nothing: it names a slot of this table by index and
// generation. A slot counts the operations that were started on it and are not complete; it returns
// to the table when the count reaches zero, and its generation moves on, so a forgotten handle
// costs nothing and a stale one reads as complete. Anything else in a handle's words (never
// initialised, say) reads as idle, too: the second word must hold the magic byte and the slot's
// generation.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "armci/armci.h"

namespace armci::core {

class Handles {
  public:
    static constexpr uint32_t kNoSlot = UINT32_MAX;

    Handles() = default;
    Handles(const Handles&) = delete;
    Handles& operator=(const Handles&) = delete;

    // Makes a handle idle.
    static void reset(armci_hdl_s* handle, bool aggregate);
    static bool is_aggregate(const armci_hdl_s& handle);
    void set_aggregate(armci_hdl_s* handle, bool aggregate);

    // The slot to count an operation on: the handle's own while it is active, else a new one.
    uint32_t begin(armci_hdl_s* handle);
    void end(uint32_t slot);  // one operation is complete
    // The slot for those that can keep one pointer only: stays valid, and end_by() may be called
    // with it instead.
    void* pointer_to(uint32_t slot) { return &slots_[slot]; }
    static void end_by(void* pointer);

    // How many operations on the handle are not complete.
    uint32_t pending_on(const armci_hdl_s& handle) const;
    // False: the handle's own words say that nothing is on it. In line, for the short ways.
    static bool names_slot(const armci_hdl_s& handle) {
        return (flags_of(handle) & kMagicMask) == kMagic &&
               static_cast<uint32_t>(handle.target) != kNoSlot;
    }
    // Whether operations on the handle are under way; a handle that is complete becomes idle.
    bool is_active(const armci_hdl_s& handle) const;
    void set_idle(armci_hdl_s* handle);

  private:
    struct Slot {
        Handles* table = nullptr;
        uint32_t number = 0;
        uint32_t generation = 0;
        uint32_t pending = 0;
    };
    // 8 bits of magic, 1 of aggregate, the rest generation.
    static constexpr uint32_t kMagic = 0xA7u << 24;
    static constexpr uint32_t kMagicMask = 0xFFu << 24;
    static constexpr uint32_t kAggregate = 1u << 23;
    static constexpr uint32_t kGenerationMask = kAggregate - 1;

    static uint32_t flags_of(const armci_hdl_s& handle) {
        return static_cast<uint32_t>(handle.aggregate);
    }

    std::deque<Slot> slots_;  // which stay where they are
    std::vector<uint32_t> spare_;
};

}  // namespace armci::core
