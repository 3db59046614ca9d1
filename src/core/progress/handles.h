// SPDX-License-Identifier: BSD-3-Clause
// Handles of non-blocking operations.
//
// A public handle is two ints and owns nothing: it names a slot of a table by index and lower bits
// of the generation. A slot counts the operations that were started on it and are not complete. It
// returns to the table when the count reaches zero, and its generation changes. Therefore a
// forgotten handle costs nothing and a stale one reads as complete. Anything else in a handle's
// words (never initialised, say) reads as idle, too: the second word must hold the magic byte and
// the slot's generation.
#pragma once

#include <cstdint>

#include "armci/armci.h"
#include "base/slot_table.h"

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

    // Returns the slot to count an operation on: the handle's own while it is active, otherwise a
    // new one.
    uint32_t begin(armci_hdl_s* handle);
    void end(uint32_t slot);  // one operation is complete
    // Returns the slot as one pointer, for callers that can keep no more. It stays valid, and
    // end_by() accepts it.
    void* pointer_to(uint32_t slot) { return &slots_[slot]; }
    static void end_by(void* pointer);

    // Returns how many operations on the handle are not complete.
    uint32_t pending_on(const armci_hdl_s& handle) const;
    // Returns false for words that are certainly not those of a handle. Zeros may be one that the
    // program has cleared.
    static bool may_be_handle(const armci_hdl_s& handle);
    // Returns false when the handle's own words say that no operation is on it. It is in line for
    // the fast paths.
    static bool names_slot(const armci_hdl_s& handle) {
        return (flags_of(handle) & kMagicMask) == kMagic &&
               static_cast<uint32_t>(handle.target) != kNoSlot;
    }
    // Returns whether operations on the handle are under way. A handle that is complete becomes
    // idle.
    bool is_active(const armci_hdl_s& handle) const;
    void set_idle(armci_hdl_s* handle);

  private:
    struct Slot {
        Handles* table = nullptr;
        uint32_t number = 0;
        uint32_t pending = 0;
    };
    // The word consists of 8 bits of magic, 1 of aggregate, and the generation in the rest.
    static constexpr uint32_t kMagic = 0xA7u << 24;
    static constexpr uint32_t kMagicMask = 0xFFu << 24;
    static constexpr uint32_t kAggregate = 1u << 23;
    static constexpr uint32_t kGenerationMask = kAggregate - 1;

    static uint32_t flags_of(const armci_hdl_s& handle) {
        return static_cast<uint32_t>(handle.aggregate);
    }

    // Returns the bits that a handle has of the generation of a slot in use. They leave out the
    // lowest, which is always set.
    uint32_t generation_of(uint32_t slot) const {
        return static_cast<uint32_t>(slots_.name_of(slot) >> 33) & kGenerationMask;
    }

    base::SlotTable<Slot> slots_;
};

}  // namespace armci::core
