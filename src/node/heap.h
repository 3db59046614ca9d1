// SPDX-License-Identifier: BSD-3-Clause
// The node heap: one mapping shared by the ranks of a node, from which global memory comes.
//
// Layout of the mapping: HeapControl, then the pool of extent records, then (kDataOffset) the data.
// The allocator's state lives in the mapping itself and is guarded by one lock, because any rank of
// the node may allocate for its group. Extents are whole pages, so that a freed one can be given
// back to the system; they form a doubly linked list in address order (free neighbours merge at
// once), and the free ones are also linked by size class. Records are named by index, 0 meaning
// none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "node/arrivals.h"
#include "node/attachments.h"
#include "node/barrier.h"
#include "node/freed_ranges.h"
#include "node/mutex_queue.h"
#include "node/node_memory.h"
#include "node/shared_lock.h"

namespace armci::node {

inline constexpr size_t kPageBytes = 4096;
inline constexpr size_t kHugePageBytes = 2 << 20;

struct Extent {
    uint64_t offset = 0;  // from the start of the mapping
    uint64_t bytes = 0;
    uint32_t before = 0;  // neighbours by address
    uint32_t after = 0;
    uint32_t newer = 0;  // neighbours in the size class, while free
    uint32_t older = 0;
    bool used = false;
};

struct AllocatorState {
    static constexpr int kClasses = 48;  // class c: 2^c to 2^(c+1) - 1 pages
    SharedLock lock;
    uint32_t record_count = 0;  // records ever used
    uint32_t record_limit = 0;
    uint32_t spare_records = 0;  // list of records free for reuse, linked by `after`
    uint32_t free_extents[kClasses] = {};
    uint64_t used_bytes = 0;
    uint64_t checked_bytes = 0;  // used ones that the last look at the host's memory allowed for
};

struct HeapControl {
    uint64_t magic = 0;
    uint64_t mapping_bytes = 0;
    AllocatorState allocator;
    BarrierState barrier;
    WaiterPoolState waiters;
    StripedLocks stripes;
    AttachmentTable attachments;
    FreedRangeTable freed_ranges;
    std::atomic<uint32_t> loss_reported{0};  // one rank of the node says it
    Arrivals stopping;
};

class NodeHeap {
  public:
    struct Range {
        void* data = nullptr;  // nullptr: no memory
        size_t bytes = 0;      // whole pages, all of which release() gives back
        uint32_t record = 0;   // to release it with
    };

    NodeHeap() = default;

    // Address space the mapping needs for `data_bytes` of global memory.
    static size_t mapping_bytes(size_t data_bytes);

    // Both take an existing mapping (which stays the caller's); create() formats it first.
    static NodeHeap create(void* base, size_t mapping_bytes, const NodeFile& file);
    static NodeHeap attach(void* base, const NodeFile& file);
    bool valid() const;

    // Page-aligned, huge-page-aligned when large; the contents are zero or left over.
    Range allocate(size_t bytes);
    // Gives whole pages back to the system, or keeps them as they are for who is next. `record` is
    // what allocate() returned.
    enum class Pages : bool { release, keep };
    void release(uint32_t record, Pages pages = Pages::release);
    // Gives the whole pages of it, which were kept, back to the system later; the rest becomes
    // zero.
    void release_pages(uint64_t begin, uint64_t end);

    // Whether to look, before `bytes` more are given out, at what memory the host has left: that
    // costs too much for each small piece, so it is due once the ranks of the node together have
    // taken kUncheckedBytes since the last time. It stays due until there was enough.
    static constexpr size_t kUncheckedBytes = 8 << 20;
    bool check_is_due(size_t bytes);
    // It was made, and there is memory for `bytes` more.
    void note_check(size_t bytes);

    bool contains(const void* address) const;
    size_t data_bytes() const;
    size_t used_bytes() const;
    // By all nodes that have a part of this one's file, and pages of it that have memory behind
    // them.
    size_t given_out_bytes() const;
    size_t resident_bytes() const;

    HeapControl& control() const { return *control_; }
    StripedLocks& stripes() const { return control_->stripes; }

  private:
    static size_t data_offset();
    Extent* records() const;
    uint32_t take_record();
    void link_free(uint32_t record);
    void unlink_free(uint32_t record);
    uint32_t find_fit(uint64_t bytes, uint64_t alignment) const;
    void split_tail(uint32_t record, uint64_t bytes);
    uint32_t merge_neighbours(uint32_t record);

    HeapControl* control_ = nullptr;
    NodeFile file_;
};

}  // namespace armci::node
