// SPDX-License-Identifier: BSD-3-Clause
// Global memory as every rank knows it: which addresses of which rank exist, and their remote keys.
//
// One Segment is one ARMCI_Malloc. Its tables (parts by node, and slices by group rank unless they
// follow from these) lie once per node in the node heap; a rank keeps only a small record of its
// own. Lookups are by (rank, address), since different nodes use equal addresses. They try a small
// cache first, then a binary search in an index per node. An index is built for those nodes that
// this rank talks to.
//
// At MPI_THREAD_MULTIPLE the API lock guards all of this, except lookups in the own node's memory.
// Each thread makes those in a copy of that index and a cache of its own, which it renews when the
// generation has changed. A copy can be out of date only about memory that the program may not use
// at that moment: memory whose allocation has not returned yet, or that is being freed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/sparse_table.h"
#include "core/messages/groups.h"
#include "pipeline/costs/remote_place.h"

namespace armci::core {

struct World;

// The memory of one rank in a segment.
struct Slice {
    uint64_t base = 0;
    uint64_t bytes = 0;
};
// The slices of the ranks of one data server, which all requests and RMA for them go to.
struct ServerPart {
    int32_t node = 0;
    int32_t server = 0;
    int32_t registered = 0;  // whether the RMA route may be used
    // If the keys on further rails differ: in how many units of 8 bytes behind the beginning of the
    // part they are, in tables. 0: they do not differ.
    uint32_t further_keys = 0;
    uint64_t begin = 0;  // as that node addresses it
    uint64_t bytes = 0;
    uint64_t remote_base = 0;  // of begin, for RMA
    uint64_t key = 0;

    // Returns where its bytes are, for transfers from other nodes.
    pipeline::RemotePlace place() const {
        return {
            wire::kGlobal,
            server,
            registered != 0,
            key,
            remote_base - begin,
            further_keys == 0 ? nullptr : reinterpret_cast<const uint64_t*>(this) + further_keys};
    }
};
// The header of the tables. The arrays follow it. They are written once, before the segment is
// usable. There are no slices if all are equal and each node has equally many, one after the other
// in its parts, as they follow each other in the group.
struct SegmentTables {
    int32_t slice_count = 0;
    int32_t part_count = 0;
    int32_t slices_per_node = 0;  // if there are no slices
    int32_t parts_per_node = 0;   // likewise
    uint64_t equal_bytes = 0;     // likewise
    uint64_t stride = 0;          // from one slice to the next
    bool was_kept = false;        // the slices here have had their pages since they were last freed

    Slice* slices() { return reinterpret_cast<Slice*>(this + 1); }
    // By server. The keys of all of them on further rails follow, if they differ.
    ServerPart* parts() { return reinterpret_cast<ServerPart*>(slices() + slice_count); }
    Slice slice(int member) {
        if (slices_per_node == 0) {
            return slices()[member];
        }
        const auto number = static_cast<unsigned>(member);
        const auto each = static_cast<unsigned>(slices_per_node);
        const auto* first = reinterpret_cast<const ServerPart*>(this + 1);
        return {first[number / each * static_cast<unsigned>(parts_per_node)].begin +
                    stride * (number % each),
                equal_bytes};
    }
    // Stores so many further keys of each part. Before, parts()[i].further_keys is the number of
    // that part among those in `keys`.
    void store_further_keys(const uint64_t* keys, size_t of_each);
    static size_t bytes(int slice_count, int part_count, size_t further_keys_of_each) {
        return sizeof(SegmentTables) + sizeof(Slice) * static_cast<size_t>(slice_count) +
               (sizeof(ServerPart) + sizeof(uint64_t) * further_keys_of_each) *
                   static_cast<size_t>(part_count);
    }
};

// Numbers of segments that one rank makes alone (ARMCI_Memget) have this bit. All others have it
// clear.
inline constexpr uint64_t kDynamicSegment = uint64_t{1} << 63;

struct Segment {
    uint64_t id = 0;  // the same on all ranks of the group, never reused
    GroupRef group;
    SegmentTables* tables = nullptr;
    // The heap records on the rank that allocated for this node (its first in the group), 0
    // elsewhere.
    uint32_t data_record = 0;
    uint32_t tables_record = 0;
    uint32_t index = 0;                        // among all segments of this rank
    bool is_internal = false;                  // the library's own: no address of a call names it
    uint64_t age = 0;                          // this rank has added those of lower ages before
    std::unique_ptr<uint64_t[]> owned_tables;  // dynamic memory: tables of this rank only

    Slice slice(int group_rank) const { return tables->slice(group_rank); }
    std::span<const ServerPart> parts() const {
        return {tables->parts(), static_cast<size_t>(tables->part_count)};
    }
    std::span<const ServerPart> parts_on(int node) const;
    // Returns what that data server has, nullptr if that is nothing.
    const ServerPart* part(int server) const;
    // Returns whether one rank alone made it (ARMCI_Memget).
    bool is_dynamic() const { return (id & kDynamicSegment) != 0; }
};

// This count is below the number of the rank that made the segment.
inline constexpr int kDynamicCountBits = 32;
inline constexpr int kCollectiveCountBits = 40;
// Returns "rank.count" of the rank that made it, or of the first of several, for error text.
std::string name_of_allocation(uint64_t segment_id);

class Segments {
  public:
    void start(const World& world);
    void stop();
    // Must be called before the first find_by_thread().
    void share_among_threads();

    // Adds a segment. What is known at the same place of a node is gone there: memory of
    // ARMCI_Memget, whose owner has freed it, which no other rank learns; or memory that another
    // thread of this rank is still freeing, when the other node has given it out again.
    Segment* add(std::unique_ptr<Segment> segment);
    std::unique_ptr<Segment> remove(Segment* segment);
    // Returns the segment whose slice of this rank begins at `base`, nullptr if there is none.
    Segment* find_by_my_base(const void* base) const;
    Segment* find_by_id(uint64_t id) const;
    const std::vector<std::unique_ptr<Segment>>& all() const { return segments_; }

    struct Found {
        const Segment* segment = nullptr;  // nullptr: no such memory
        const ServerPart* part = nullptr;
    };
    // Finds [address, address + bytes) of a rank's global memory, without the library's own. The
    // fast path is in line, also where compilers find that too much (the fast paths of api/).
    [[gnu::always_inline]] Found find(int rank, uint64_t address, int64_t bytes) {
        const Cached& cached = cache_.of(rank);
        return cached.has(rank, address, bytes) ? Found{cached.segment, cached.part}
                                                : search(rank, address, bytes);
    }
    // Does the same for ranks of this node. Any thread may call it without the API lock.
    Found find_by_thread(int rank, uint64_t address, int64_t bytes);

    // Returns the bytes of all indices by node.
    size_t index_bytes() const;

    // Returns what is wrong with an address that find() did not accept.
    std::string explain(int rank, uint64_t address, int64_t bytes) const;

  private:
    struct Cached {
        int rank = -1;
        uint64_t begin = 1;
        uint64_t end = 0;
        const Segment* segment = nullptr;
        const ServerPart* part = nullptr;

        bool has(int wanted_rank, uint64_t address, int64_t bytes) const {
            return rank == wanted_rank && address >= begin && address <= end &&
                   static_cast<uint64_t>(bytes) <= end - address;
        }
    };
    static constexpr uint32_t kCacheEntries = 64;
    struct Cache {
        Cached entries[kCacheEntries];

        Cached& of(int rank) { return entries[static_cast<uint32_t>(rank) % kCacheEntries]; }
        void clear() { *this = Cache{}; }
    };
    struct Entry {
        uint64_t begin;
        uint64_t end;
        const Segment* segment;
        const ServerPart* part;
    };
    struct NodeIndex {
        std::vector<Entry> entries;  // by begin; disjoint
    };
    // What one thread knows of its own node's memory.
    struct View {
        uint64_t generation = 0;
        std::vector<Entry> entries;
        Cache cache;
    };

    const Segment* find_empty_slice(int rank) const;
    Found search(int rank, uint64_t address, int64_t bytes);
    static Cached search_in(const std::vector<Entry>& entries, int rank, uint64_t address,
                            int64_t bytes);
    static const Entry* find_entry(const std::vector<Entry>& entries, uint64_t address);
    NodeIndex& index_of(int node);
    void begin_change() ARMCI_ACQUIRE(own_index_mutex_);
    void end_change() ARMCI_RELEASE(own_index_mutex_);
    void renew(View& view);
    void remove_outdated(const Segment& added);
    static uint64_t my_base(const Segment& segment);
    // Takes the place of older entries. Returns whether there were any.
    static bool insert_entry(NodeIndex& index, const Segment* segment, const ServerPart& part);

    const World* world_ = nullptr;
    std::vector<std::unique_ptr<Segment>> segments_;
    uint64_t added_ = 0;             // so many have been added
    std::vector<Segment*> dynamic_;  // those of them that one rank made alone
    std::unordered_map<uint64_t, Segment*> by_id_;
    std::unordered_map<uint64_t, Segment*> by_my_base_;
    base::SparseTable<NodeIndex> indices_;  // by node
    Cache cache_;
    base::Mutex own_index_mutex_;  // for the own node's index, which threads copy
    // The generation of that index. It is never zero, and never the same twice in a process.
    std::atomic<uint64_t> generation_{0};
};

}  // namespace armci::core
