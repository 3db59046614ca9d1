// SPDX-License-Identifier: BSD-3-Clause
// The node heap: one mapping shared by the ranks of a node, from which global memory comes.
//
// The mapping consists of HeapControl, the pool of extent records, and (from kDataOffset) the data.
// The allocator's state lies in the mapping, guarded by one lock, because any rank of the node may
// allocate for its group. Extents are whole pages, so that a freed one can go back to the system.
// They form a doubly linked list in address order, in which free neighbours merge at once. The free
// ones are also linked by size class. Records are named by index, and 0 means none.
//
// A freed extent may be kept: its pages stay resident, so that the next allocation has no page
// faults. Kept extents do not merge, so that a program finds them again which allocates arrays of
// the same sizes. Another list has them in the order in which they were freed. give_back() makes
// them ordinary free memory.
#pragma once

#include <atomic>
#include <climits>
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
    uint32_t kept_later = 0;  // neighbours in time, while kept
    uint32_t kept_earlier = 0;
    int64_t kept_since_ns = 0;
    bool used = false;
    bool kept = false;  // free, with its pages
};

struct AllocatorState {
    static constexpr int kClasses = 48;  // class c: 2^c to 2^(c+1) - 1 pages
    SharedLock lock;
    uint32_t record_count = 0;  // records ever used
    uint32_t record_limit = 0;
    uint32_t spare_records = 0;  // list of records free for reuse, linked by `after`
    uint32_t free_extents[kClasses] = {};
    uint32_t kept_extents[kClasses] = {};
    uint32_t latest_kept = 0;
    uint32_t earliest_kept = 0;
    uint64_t kept_bytes = 0;
    uint64_t returning_bytes = 0;  // of these, bytes that some process gives back just now
    uint64_t used_bytes = 0;
    uint64_t checked_bytes = 0;  // used bytes that the last check of the host's memory covered
};

// The keepers of a node's processes share this (heap_keeper.h).
struct Keeping {
    std::atomic<int64_t> next_look_ns{0};
    std::atomic<uint64_t> limit{UINT64_MAX};  // on the bytes that the node keeps, once known
};

struct HeapControl {
    uint64_t magic = 0;
    uint64_t mapping_bytes = 0;
    AllocatorState allocator;
    Keeping keeping;
    BarrierState barrier;
    // These are not initialised, so that pages of ranks that do not exist stay untouched.
    BarrierFlag barrier_flags[BarrierState::kMaxRanks];
    WaiterPoolState waiters;
    StripedLocks stripes;
    AttachmentTable attachments;
    FreedRangeTable freed_ranges;
    std::atomic<uint32_t> loss_reported{0};  // set by the rank of the node that reports it
    Arrivals stopping;
};

class NodeHeap {
  public:
    struct Range {
        void* data = nullptr;  // nullptr: no memory
        size_t bytes = 0;      // whole pages, as release() frees them
        uint32_t record = 0;   // what release() takes
        bool was_kept = false;
    };

    NodeHeap() = default;

    // Returns the address space that the mapping needs for `data_bytes` of global memory.
    static size_t mapping_bytes(size_t data_bytes);

    // Both functions take an existing mapping, which stays the caller's; create() formats it first.
    static NodeHeap create(void* base, size_t mapping_bytes, const NodeFile& file);
    static NodeHeap attach(void* base, const NodeFile& file);
    bool valid() const;

    // Allocates memory that is page-aligned, or huge-page-aligned if it is large. Its contents are
    // zeros or those of freed memory. If there is no room, all kept memory is given back first. So
    // it fails only if there is no room without kept memory.
    Range allocate(size_t bytes);
    // Frees memory. `record` is the one that allocate() returned. The pages go back to the system,
    // or are kept for the next allocation. With `leave` the caller calls release_pages() later.
    enum class Pages : uint8_t { release, keep, leave };
    void release(uint32_t record, Pages pages = Pages::release);
    // Gives the whole pages of [begin, end) back to the system; the rest becomes zero.
    void release_pages(uint64_t begin, uint64_t end);
    // Gives kept pages back to the system, the longest kept ones first. At most `limit` bytes stay
    // kept, and only those that were freed at `since_ns` or later.
    void give_back(uint64_t limit, int64_t since_ns = INT64_MIN);
    // Gives all kept pages back. It also waits for those that others are giving back. If one of
    // them dies before it has done so, this waits until the job ends, as for a lock.
    void give_back_all();

    // Says whether the host's remaining memory must be checked before `bytes` more are given out. A
    // check costs too much for each small piece. So it is due once the ranks of the node together
    // have taken kUncheckedBytes since the last check, and stays due until one finds enough.
    static constexpr size_t kUncheckedBytes = 8 << 20;
    bool check_is_due(size_t bytes);
    // Reports that the check was made and found memory for `bytes` more.
    void note_check(size_t bytes);

    bool contains(const void* address) const;
    size_t data_bytes() const;
    size_t used_bytes() const;
    // The first function counts the bytes given out by all nodes that share this node's file. The
    // second counts the bytes of the file's pages that have memory behind them.
    size_t given_out_bytes() const;
    size_t resident_bytes() const;
    // The first function counts the bytes that this node keeps. The second counts those that all
    // nodes keep that share its file. Both count memory until it has gone back.
    size_t kept_bytes() const;
    size_t kept_on_host_bytes() const;

    HeapControl& control() const { return *control_; }
    StripedLocks& stripes() const { return control_->stripes; }

  private:
    static size_t data_offset();
    Extent* records() const;
    uint32_t take_record();
    void link_free(uint32_t record);
    void unlink_free(uint32_t record);
    uint32_t* class_list(const Extent& extent) const;
    void link_kept(uint32_t record, uint32_t earlier);  // after `earlier`, or first if that is 0
    void unlink_kept(uint32_t record);
    void count_kept(int64_t bytes);
    struct Search {
        int max_classes = AllocatorState::kClasses;
        int max_looks = INT_MAX;
    };
    uint32_t find_fit(const uint32_t* lists, uint64_t bytes, uint64_t alignment,
                      const Search& search) const;
    uint32_t find_free(uint64_t bytes, uint64_t alignment) const;
    Range try_allocate(uint64_t bytes);
    void split_tail(uint32_t record, uint64_t bytes);
    uint32_t merge_neighbours(uint32_t record);
    uint32_t take_earliest_kept(uint64_t limit, int64_t since_ns);

    HeapControl* control_ = nullptr;
    NodeFile file_;
};

}  // namespace armci::node
