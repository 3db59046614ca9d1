// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress/handles.h"

namespace armci::core {

void Handles::reset(armci_hdl_s* handle, bool aggregate) {
    handle->target = -1;
    handle->aggregate = static_cast<int>(kMagic | (aggregate ? kAggregate : 0));
}

bool Handles::is_aggregate(const armci_hdl_s& handle) {
    return (flags_of(handle) & kMagicMask) == kMagic && (flags_of(handle) & kAggregate) != 0;
}

void Handles::set_aggregate(armci_hdl_s* handle, bool aggregate) {
    if (is_active(*handle)) {
        const uint32_t flags = flags_of(*handle);
        handle->aggregate = static_cast<int>(aggregate ? flags | kAggregate : flags & ~kAggregate);
    } else {
        reset(handle, aggregate);
    }
}

bool Handles::is_active(const armci_hdl_s& handle) const {
    const auto slot = static_cast<uint32_t>(handle.target);
    return names_slot(handle) && slots_.is_used(slot) &&
           generation_of(slot) == (flags_of(handle) & kGenerationMask);
}

bool Handles::may_be_handle(const armci_hdl_s& handle) {
    if (handle.target == 0 && handle.aggregate == 0) {
        return true;
    }
    const bool is_idle = handle.target == -1 && (flags_of(handle) & kGenerationMask) == 0;
    return (flags_of(handle) & kMagicMask) == kMagic && (handle.target >= 0 || is_idle);
}

uint32_t Handles::pending_on(const armci_hdl_s& handle) const {
    return is_active(handle) ? slots_[static_cast<uint32_t>(handle.target)].pending : 0;
}

void Handles::set_idle(armci_hdl_s* handle) {
    reset(handle, is_aggregate(*handle));
}

uint32_t Handles::begin(armci_hdl_s* handle) {
    if (is_active(*handle)) {
        const auto slot = static_cast<uint32_t>(handle->target);
        ++slots_[slot].pending;
        return slot;
    }
    const uint32_t slot = slots_.take();
    slots_[slot] = {this, slot, 1};
    const bool aggregate = is_aggregate(*handle);
    handle->target = static_cast<int>(slot);
    handle->aggregate =
        static_cast<int>(kMagic | (aggregate ? kAggregate : 0) | generation_of(slot));
    return slot;
}

void Handles::end(uint32_t slot) {
    if (--slots_[slot].pending == 0) {
        slots_.release(slot);
    }
}

void Handles::end_by(void* pointer) {
    const Slot& slot = *static_cast<Slot*>(pointer);
    slot.table->end(slot.number);
}

}  // namespace armci::core
