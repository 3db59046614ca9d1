// SPDX-License-Identifier: BSD-3-Clause
// SlotTable keeps values in slots that are used again. A slot is named by its index, or by its
// index and generation if the name may outlive the use of the slot.
//
// A slot's generation is odd while the slot is in use, and it grows whenever the slot is taken or
// released. So an outdated name finds nothing, and no name is 0. Taking and releasing allocate
// memory only while the table grows. Values keep their addresses until clear().
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace armci::base {

template <class Value>
class SlotTable {
  public:
    // Takes a free slot and returns its index. The value is the one that the slot had when it was
    // released, so that its memory can be used again; a new slot has Value().
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

    // Returns the value of a slot that is in use or has been.
    Value& operator[](uint32_t index) { return slots_[index].value; }
    const Value& operator[](uint32_t index) const { return slots_[index].value; }

    // Says whether the slot is in use; `index` may be any number.
    bool is_used(uint64_t index) const {
        return index < slots_.size() && slots_[index].generation % 2 == 1;
    }
    // Returns the name of a slot in use. It is not 0, and its lower half is the index.
    uint64_t name_of(uint32_t index) const {
        return static_cast<uint64_t>(slots_[index].generation) << 32 | index;
    }
    // Returns nullptr if no slot has had this name, or if its slot has been released since.
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
    std::deque<Slot> slots_;  // which stay where they are
    std::vector<uint32_t> free_;
};

}  // namespace armci::base
