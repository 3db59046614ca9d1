// SPDX-License-Identifier: BSD-3-Clause
// The memory that remote requests may touch: segments of global memory, and memory that ranks of
// the node have attached.
#pragma once

#include <cstdint>

#include "datasrv/refusal.h"
#include "datasrv/segment_map.h"
#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "node/attachments.h"
#include "node/heap.h"
#include "wire/frame.h"

namespace armci::datasrv {

enum class MemoryKind : uint8_t { none, global, attached };

// What TargetMemory has found out about the bytes of a request. They are all in memory that remote
// requests may touch, or it names the first part of which that is not true.
struct Location {
    // none: some bytes are in no such memory. attached: some are in attached memory, and the others
    // may be in global memory.
    MemoryKind kind = MemoryKind::none;
    uint64_t address = 0;  // none: of the first part that is in no such memory
    uint64_t bytes = 0;
    node::Attachment process{};  // attached: the process whose memory it is

    bool is_nowhere() const { return kind == MemoryKind::none; }
    bool is_attached() const { return kind == MemoryKind::attached; }
    Refusal refusal() const { return {wire::Failure::bad_address, address, bytes}; }
};

// Only one thread may use it at a time.
class TargetMemory {
  public:
    explicit TargetMemory(fabric::Endpoint& endpoint) : endpoint_(endpoint) {}
    // The heap stays the caller's. `registers` says that segments are registered for RMA.
    void open(fabric::Domain& domain, node::NodeHeap& heap, bool registers);
    // Must be called before the endpoint is closed, because some providers bind memory that others
    // write into to the endpoint.
    void close() { segments_.clear(); }

    // Finds a range. `owner` is as in frames: wire::kGlobal, or 1 + a rank's number on this node.
    Location find(uint64_t address, uint64_t bytes, uint32_t owner);
    // Finds every byte of the layout. Each part may be in a segment of its own.
    Location find(const wire::LayoutView& layout, uint32_t owner);
    // Returns whether the range lies inside one segment.
    bool is_global(uint64_t address, uint64_t bytes) const {
        return segments_.contains(address, bytes);
    }
    // Returns the registration of the segment that the range lies in, nullptr if it lies in none or
    // that is not registered.
    const fabric::Region* registration_of(uint64_t address, uint64_t bytes) const {
        const fabric::Region* region = segments_.region_of(address, bytes);
        return region != nullptr && region->valid() ? region : nullptr;
    }
    const node::Attachment* find_attached(uint32_t owner, uint64_t address, uint64_t bytes);

    // Adds a segment. If its registration is not wanted or is refused, the segment is valid all the
    // same. It warns once about refused registration.
    Outcome add_segment(const wire::SegmentBody& segment, wire::SegmentReply* reply);
    // Returns false when no segment begins there.
    bool remove_segment(uint64_t address) { return segments_.remove(address); }
    // Returns whether the range is inside the heap, so that it may be a segment.
    bool is_in_heap(uint64_t address, uint64_t bytes) const;

    // Returns the locks that accumulates to this memory take.
    node::StripedLocks& stripes() { return heap_->stripes(); }

  private:
    MemoryKind kind_of(uint64_t address, uint64_t bytes, uint32_t owner, node::Attachment* process);
    fabric::Region register_segment(const wire::SegmentBody& segment);

    fabric::Endpoint& endpoint_;
    fabric::Domain* domain_ = nullptr;
    node::NodeHeap* heap_ = nullptr;
    bool registers_ = false;
    bool registration_warned_ = false;
    SegmentMap segments_;
    node::Attachments attachments_;
};

}  // namespace armci::datasrv
