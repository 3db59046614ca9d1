// SPDX-License-Identifier: BSD-3-Clause
// Values in slots that are used again: each slot is named by its index, or by its index and
// generation where a name may outlive its use.
//
// A slot's generation is odd while it is in use and moves on whenever it is taken or released, so a
// name that is out of date finds nothing, and no name is 0. Taking and releasing allocate only
// while the table grows. References to values are valid until the next take(); a value that must
// stay where it is belongs behind a pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace armci::base {

template <class Value>
class SlotTable {
  public:
    // The index of a slot that was free. Its value is what it was when the slot was released, so
    // that its memory can be used again; a new slot's is Value().
    uint32_t take() {
        uint32_t index = static_cast<uint32_t>(slots_.size());
        if (free_.empty()) {
            slots_.emplace_back();
        } else {
            index = free_.back();
            free_.pop_back();
        }
        ++slots_[index].generation;
        return index;
    }
    void release(uint32_t index) {
        ++slots_[index].generation;
        free_.push_back(index);
    }

    // Of a slot that has been in use, and may still be.
    Value& operator[](uint32_t index) { return slots_[index].value; }
    const Value& operator[](uint32_t index) const { return slots_[index].value; }

    // For any number.
    bool is_used(uint64_t index) const {
        return index < slots_.size() && slots_[index].generation % 2 == 1;
    }
    // Of a slot in use; not 0. Its lower half is the index.
    uint64_t name_of(uint32_t index) const {
        return static_cast<uint64_t>(slots_[index].generation) << 32 | index;
    }
    // nullptr where the name is of no slot, or of one that has been released since.
    Value* find(uint64_t name) {
        const auto index = static_cast<uint32_t>(name);
        return is_used(index) && name_of(index) == name ? &slots_[index].value : nullptr;
    }

    size_t used_count() const { return slots_.size() - free_.size(); }
    void clear() {
        slots_.clear();
        free_.clear();
    }

  private:
    struct Slot {
        Value value{};
        uint32_t generation = 0;
    };
    std::vector<Slot> slots_;
    std::vector<uint32_t> free_;
};

}  // namespace armci::base
