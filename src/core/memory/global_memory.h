// SPDX-License-Identifier: BSD-3-Clause
// Global memory: collective allocation (ARMCI_Malloc and its relatives), and by one rank alone.
#pragma once

#include <cstdint>
#include <string>

#include "core/memory/segments.h"
#include "core/sync/completion.h"
#include "core/sync/sync.h"

namespace armci::core {

// Memory of one rank that others can address without a collective (ARMCI_Memget). What makes it
// usable elsewhere travels in `NodePart` and `Slice`.
struct DynamicMemory {
    Slice slice;
    NodePart part;
    uint32_t data_record = 0;
    uint32_t number = 0;  // of this owner's allocations of this kind
};

// May be called while the library is not running: per-process limit on global memory, 0 for none.
void set_memory_limit(uint64_t bytes);
uint64_t memory_limit();

// What the first member on a node tells all others.
struct NodeReport;

// What allocations use.
struct MemoryContext {
    Progress& progress;
    Messages& messages;
    Barriers& barriers;
    Completion& completion;
    Segments& segments;
    NodeShare& node;
    Checking& checking;
};

class GlobalMemory {
  public:
    explicit GlobalMemory(const MemoryContext& context) : context_(context) {}

    // Each member of the group gets `bytes` (may differ and be 0); base_pointers[r] is group rank
    // r's address, or null where 0 was asked. Collective. False, on all members, when memory is
    // short; the reason has been printed. `segment` may be null.
    bool allocate(const char* function, const GroupRef& group, int64_t bytes, void** base_pointers,
                  Segment** segment);

    // Collective over the allocation's group. `base` is this rank's slice, or null if it has none;
    // `fallback_group` says who calls when that is all this rank knows.
    void free(const char* function, const GroupRef& fallback_group, void* base);
    void free_segment(Segment* segment);

    DynamicMemory allocate_dynamic(const char* function, int64_t bytes);
    void free_dynamic(const DynamicMemory& memory);
    // Makes another rank's dynamic memory addressable here, and undoes that. Idempotent. Whatever
    // this rank still knew at these addresses of the owner has been freed meanwhile and is
    // forgotten.
    void attach_dynamic(int owner, const DynamicMemory& memory);
    void detach_dynamic(int owner, const DynamicMemory& memory);

  private:
    // Registers a range of this node's heap with the data server that it names (over the network,
    // or not at all in a job of one node), and undoes that.
    void publish(const char* function, NodePart* part);
    void withdraw(const char* function, const NodePart& part);
    // From the node heap; in checking mode after a look at what is freed there.
    node::NodeHeap::Range take_from_heap(const char* function, size_t bytes);
    // The same if this node has so much memory now; without data and with *reason set if not.
    node::NodeHeap::Range take_available(const char* function, size_t bytes, std::string* reason);
    NodeReport allocate_part(const char* function, int64_t bytes, int64_t tables_bytes,
                             Segment* segment);
    void release_part(const char* function, const Segment& segment, const NodePart* part);
    bool exceeds_limit(const char* function, int64_t bytes) const;
    // Which data server of this node shall have a new segment: they take turns.
    int server_for(uint64_t segment_id) const;

    MemoryContext context_;
    uint64_t next_segment_number_ = 1;
    uint32_t next_dynamic_number_ = 1;
    uint64_t allocated_bytes_ = 0;  // of this process, for the limit
};

}  // namespace armci::core
