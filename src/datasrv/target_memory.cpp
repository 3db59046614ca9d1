// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/target_memory.h"

#include <string>
#include <utility>

#include "base/log.h"

namespace armci::datasrv {

void TargetMemory::open(fabric::Domain& domain, node::NodeHeap& heap, bool registers) {
    domain_ = &domain;
    heap_ = &heap;
    registers_ = registers;
    attachments_ = node::Attachments(&heap.control().attachments);
}

const node::Attachment* TargetMemory::find_attached(uint32_t owner, uint64_t address,
                                                    uint64_t bytes) {
    return owner != wire::kGlobal ? attachments_.find(owner - 1, address, bytes) : nullptr;
}

MemoryKind TargetMemory::kind_of(uint64_t address, uint64_t bytes, uint32_t owner,
                                 node::Attachment* process) {
    if (segments_.contains(address, bytes)) {
        return MemoryKind::global;
    }
    const node::Attachment* found = find_attached(owner, address, bytes);
    if (found == nullptr) {
        return MemoryKind::none;
    }
    *process = *found;
    return MemoryKind::attached;
}

Location TargetMemory::find(uint64_t address, uint64_t bytes, uint32_t owner) {
    Location location;
    location.address = address;
    location.bytes = bytes;
    location.kind = kind_of(address, bytes, owner, &location.process);
    return location;
}

Location TargetMemory::find(const wire::LayoutView& layout, uint32_t owner) {
    Location location;
    if (layout.extent.bytes > 0 && segments_.contains(layout.extent.begin, layout.extent.bytes)) {
        location.kind = MemoryKind::global;
        return location;
    }
    MemoryKind all = MemoryKind::global;
    const bool are_there =
        strided::all_of_parts(layout.side, [&](uint64_t part, int64_t part_bytes) {
            location.address = part;
            location.bytes = static_cast<uint64_t>(part_bytes);
            const MemoryKind kind =
                kind_of(location.address, location.bytes, owner, &location.process);
            all = kind == MemoryKind::attached ? kind : all;
            return kind != MemoryKind::none;
        });
    location.kind = are_there ? all : MemoryKind::none;
    return location;
}

bool TargetMemory::is_in_heap(uint64_t address, uint64_t bytes) const {
    uint64_t last = 0;
    return bytes > 0 && !__builtin_add_overflow(address, bytes - 1, &last) &&
           heap_->contains(reinterpret_cast<void*>(address)) &&
           heap_->contains(reinterpret_cast<void*>(last));
}

fabric::Region TargetMemory::register_segment(const wire::SegmentBody& segment) {
    std::string error;
    fabric::Region region =
        domain_->register_memory(reinterpret_cast<void*>(segment.address), segment.bytes,
                                 fabric::Access::remote, endpoint_.on_rails(), &error);
    if (!region.valid()) {
        // One warning is enough to act on.
        base::log(registration_warned_ ? base::LogLevel::debug : base::LogLevel::warn,
                  "%llu bytes of global memory cannot be registered for direct access (%s); "
                  "transfers to it go through the data server. Raising the limit on locked "
                  "memory (ulimit -l) may help",
                  static_cast<unsigned long long>(segment.bytes), error.c_str());
        registration_warned_ = true;
    }
    return region;
}

Outcome TargetMemory::add_segment(const wire::SegmentBody& segment, wire::SegmentReply* reply) {
    fabric::Region region = registers_ ? register_segment(segment) : fabric::Region();
    *reply = {};
    if (region.valid()) {
        *reply = {region.remote_base(), region.key(), 1};
        region.copy_further_keys(reply->further_keys);
    }
    if (!segments_.add(segment.address, segment.bytes, std::move(region))) {
        return Refusal{wire::Failure::bad_address, segment.address, segment.bytes};
    }
    return {};
}

}  // namespace armci::datasrv
