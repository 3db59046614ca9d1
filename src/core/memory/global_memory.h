// SPDX-License-Identifier: BSD-3-Clause
// Global memory: collective allocation (ARMCI_Malloc and its relatives), and allocation by one
// rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/stats.h"
#include "core/memory/segments.h"
#include "core/memory/slice_layout.h"
#include "core/messages/barriers.h"
#include "core/messages/messages.h"
#include "core/sync/completion.h"
#include "core/sync/fences.h"

namespace armci::core {

// Memory of one rank that others can address without a collective call (ARMCI_Memget). Other ranks
// need `ServerPart` and `Slice` to use it.
struct DynamicMemory {
    Slice slice;
    ServerPart part;
    uint64_t further_keys[wire::kMaxFurtherRails] = {};  // of the part, where they differ
    uint32_t data_record = 0;
    uint32_t number = 0;  // among this owner's allocations of this kind
};

// The limit on global memory for each process, 0 for none. It may be called while the library is
// not running.
void set_memory_limit(uint64_t bytes);
uint64_t memory_limit();

// The report of the first member on a node to all others.
struct NodeReport;

// The parts that allocations use.
struct MemoryContext {
    Progress& progress;
    Messages& messages;
    Barriers& barriers;
    Completion& completion;
    Segments& segments;
    NodeShare& node;
    base::Stats& stats;
    Checking& checking;
};

class GlobalMemory {
  public:
    explicit GlobalMemory(const MemoryContext& context) : context_(context) {}

    // Allocates so that each member of the group gets `bytes` (may differ and be 0);
    // base_pointers[r] is group rank r's address, or null where 0 was asked; a null base_pointers
    // gets nothing. It is collective.
    // Returns false, on all members, when memory is short; the reason has been printed. `segment`
    // may be null.
    bool allocate(const char* function, const GroupRef& group, int64_t bytes, void** base_pointers,
                  Segment** segment);

    // Frees, collectively over the allocation's group. `base` is this rank's slice, or null if it
    // has none. `fallback_group` names the callers when this rank knows nothing else.
    void free(const char* function, const GroupRef& fallback_group, void* base);
    void free_segment(Segment* segment);

    DynamicMemory allocate_dynamic(const char* function, int64_t bytes);
    // Ends the job if this rank has freed it already.
    void free_dynamic(const DynamicMemory& memory);
    // Makes another rank's dynamic memory addressable here, and undoes that. Both are idempotent.
    // What this rank still knew at these addresses of the owner has been freed meanwhile and is
    // forgotten.
    void attach_dynamic(int owner, const DynamicMemory& memory);
    void detach_dynamic(int owner, const DynamicMemory& memory);

  private:
    // Returns the data server with that number if this process runs it, else nullptr.
    datasrv::Server* server_here(int number) const;
    // Registers a range of this node's heap with the data server that it names, and undoes that.
    // Appends the part's keys on further rails, where these differ. They use the network, and do
    // nothing in a job of one node.
    void publish(const char* function, ServerPart* part, std::vector<uint64_t>* further_keys);
    void withdraw(const char* function, const ServerPart& part);
    // Takes memory from the node heap. In checking mode it first checks memory that was freed
    // there.
    node::NodeHeap::Range take_from_heap(const char* function, size_t bytes);
    // Does the same if this node has so much memory now. Otherwise the range has no data and
    // *reason is set.
    node::NodeHeap::Range take_available(const char* function, size_t bytes, std::string* reason);
    void count_taken(const node::NodeHeap::Range& range);
    // Frees what was taken from the heap. Poisoned memory stays as it is, for checking mode.
    void release_to_heap(uint32_t record, bool is_poisoned);
    // The least and the most that a member of the group asks for. It is negative where a member's
    // limit forbids its share.
    struct Wishes {
        int64_t least = 0;
        int64_t most = 0;
    };
    // Replaces each word by the largest one among the members. Collective.
    void find_largest(const Group& group, Purpose purpose, node::BarrierWords* words);
    // The steps of allocate(), collective over the segment's group. Sets the segment's number.
    Wishes exchange_wishes(const char* function, int64_t bytes, Segment* segment);
    SliceLayout plan_slices(const Group& group, int64_t bytes, const Wishes& wishes);
    // Sets the segment's tables. Returns false, with everything released, if memory is short on
    // some node.
    bool allocate_parts(const char* function, const SliceLayout& layout, Segment* segment);
    // Allocates for the members on this node.
    NodeReport allocate_here(const char* function, const SliceLayout& layout, Segment* segment);
    NodeReport allocate_part(const char* function, const std::vector<SliceLayout::Range>& ranges,
                             const SliceLayout& layout, Segment* segment);
    // Gather what the members of a group have, and what the first ranks of all nodes have at their
    // own places of `all`.
    void gather_from_members(const Group& group, const void* mine, size_t bytes, void* all);
    void gather_from_leaders(void* all, size_t bytes_of_each);
    bool exchange_parts_of_world(const SliceLayout& layout, const NodeReport& mine,
                                 Segment* segment);
    bool exchange_parts_of_group(const SliceLayout& layout, const NodeReport& mine,
                                 Segment* segment);
    // Lets the pages of this rank's slice be populated in the background.
    void populate(const Segment& segment);
    void log_shortage(const char* function, int64_t bytes, const std::string& reason);
    // Returns the segment whose slice of this rank begins at `base`, or nullptr for a null pointer.
    // Ends the job if there is none.
    Segment* find_mine(const char* function, void* base);
    void release_parts(const char* function, const Segment& segment,
                       const std::vector<ServerPart>& parts);
    // Returns why the limit forbids so many bytes more, or nothing where it does not.
    std::string explain_limit(int64_t bytes) const;
    // Returns the data server that has this rank's memory.
    int my_server() const;

    MemoryContext context_;
    uint64_t next_segment_number_ = 1;
    uint32_t next_dynamic_number_ = 1;
    uint64_t allocated_bytes_ = 0;  // of this process, for the limit
};

}  // namespace armci::core
