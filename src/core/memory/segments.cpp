// SPDX-License-Identifier: BSD-3-Clause
#include "core/memory/segments.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <iterator>
#include <optional>

#include "core/job/world.h"

namespace armci::core {

void SegmentTables::store_further_keys(const uint64_t* keys, size_t of_each) {
    constexpr size_t kUnitsOfPart = sizeof(ServerPart) / sizeof(uint64_t);
    const auto count = static_cast<size_t>(part_count);
    auto* stored = reinterpret_cast<uint64_t*>(parts() + count);
    for (size_t i = 0; i < count; ++i) {
        ServerPart& part = parts()[i];
        std::copy_n(keys + part.further_keys * of_each, of_each, stored + i * of_each);
        part.further_keys =
            of_each > 0 ? static_cast<uint32_t>((count - i) * kUnitsOfPart + i * of_each) : 0;
    }
}

std::span<const ServerPart> Segment::parts_on(int node) const {
    const auto [begin, end] =
        std::equal_range(parts().begin(), parts().end(), ServerPart{node},
                         [](const ServerPart& a, const ServerPart& b) { return a.node < b.node; });
    return {begin, end};
}

const ServerPart* Segment::part(int server) const {
    const auto found =
        std::lower_bound(parts().begin(), parts().end(), server,
                         [](const ServerPart& part, int wanted) { return part.server < wanted; });
    return found != parts().end() && found->server == server ? &*found : nullptr;
}

std::string name_of_allocation(uint64_t segment_id) {
    const bool dynamic = (segment_id & kDynamicSegment) != 0;
    const int count_bits = dynamic ? kDynamicCountBits : kCollectiveCountBits;
    const uint64_t rank = (segment_id & ~kDynamicSegment) >> count_bits;
    const uint64_t count = segment_id & ((uint64_t{1} << count_bits) - 1);
    return std::to_string(rank) + "." + std::to_string(count) + (dynamic ? " (ARMCI_Memget)" : "");
}

void Segments::start(const World& world) {
    world_ = &world;
    indices_.open(static_cast<size_t>(world.node_count));
    cache_.clear();
}

void Segments::share_among_threads() {
    begin_change();
    index_of(world_->node);
    end_change();
}

void Segments::stop() {
    segments_.clear();
    dynamic_.clear();
    by_id_.clear();
    by_my_base_.clear();
    indices_.clear();
    cache_.clear();
}

// These two enclose changes of the own node's index.
void Segments::begin_change() {
    own_index_mutex_.lock();
}

void Segments::end_change() {
    static std::atomic<uint64_t> changes{0};
    generation_.store(changes.fetch_add(1, std::memory_order_relaxed) + 1,
                      std::memory_order_release);
    own_index_mutex_.unlock();
}

void Segments::renew(View& view) {
    const base::MutexLock lock(own_index_mutex_);
    view.entries = indices_.find(world_->node)->entries;
    view.cache.clear();
    view.generation = generation_.load(std::memory_order_relaxed);
}

bool Segments::insert_entry(NodeIndex& index, const Segment* segment, const ServerPart& part) {
    const Entry entry{part.begin, part.begin + part.bytes, segment, &part};
    auto& entries = index.entries;
    // They are disjoint, so their ends are in the same order.
    const auto first = std::partition_point(
        entries.begin(), entries.end(), [&](const Entry& old) { return old.end <= entry.begin; });
    const auto last = std::partition_point(first, entries.end(),
                                           [&](const Entry& old) { return old.begin < entry.end; });
    const bool replaces = first != last;
    entries.insert(entries.erase(first, last), entry);
    return replaces;
}

Segments::NodeIndex& Segments::index_of(int node) {
    NodeIndex* index = indices_.find(node);
    if (index == nullptr) {
        index = &indices_.make(node);
        std::vector<const Segment*> there;
        for (const auto& segment : segments_) {
            if (!segment->parts_on(node).empty()) {
                there.push_back(segment.get());
            }
        }
        std::sort(there.begin(), there.end(),
                  [](const Segment* a, const Segment* b) { return a->age < b->age; });
        for (const Segment* segment : there) {
            for (const ServerPart& part : segment->parts_on(node)) {
                insert_entry(*index, segment, part);
            }
        }
    }
    return *index;
}

// Returns 0 when this rank has no memory in it.
uint64_t Segments::my_base(const Segment& segment) {
    const int rank = segment.group->rank();
    return rank >= 0 && segment.slice(rank).bytes != 0 ? segment.slice(rank).base : 0;
}

void Segments::remove_outdated(const Segment& added) {
    std::vector<Segment*> outdated;
    std::copy_if(dynamic_.begin(), dynamic_.end(), std::back_inserter(outdated),
                 [&](const Segment* segment) {
                     const ServerPart& old = segment->tables->parts()[0];
                     const auto parts = added.parts_on(old.node);
                     return std::any_of(parts.begin(), parts.end(), [&](const ServerPart& part) {
                         return old.begin < part.begin + part.bytes &&
                                part.begin < old.begin + old.bytes;
                     });
                 });
    for (Segment* segment : outdated) {
        remove(segment);
    }
}

Segment* Segments::add(std::unique_ptr<Segment> segment) {
    remove_outdated(*segment);
    begin_change();
    Segment* added = segment.get();
    if (added->is_dynamic()) {
        dynamic_.push_back(added);
    }
    added->index = static_cast<uint32_t>(segments_.size());
    added->age = added_++;
    segments_.push_back(std::move(segment));
    by_id_[added->id] = added;
    if (const uint64_t base = my_base(*added); base != 0) {
        by_my_base_[base] = added;
    }
    bool replaces = false;
    for (const ServerPart& part : added->parts()) {
        if (NodeIndex* index = indices_.find(part.node)) {
            replaces = insert_entry(*index, added, part) || replaces;
        }
    }
    end_change();
    if (replaces) {
        cache_.clear();
    }
    return added;
}

std::unique_ptr<Segment> Segments::remove(Segment* segment) {
    begin_change();
    for (const ServerPart& part : segment->parts()) {
        if (NodeIndex* index = indices_.find(part.node)) {
            auto& entries = index->entries;
            const auto found = std::lower_bound(
                entries.begin(), entries.end(), part.begin,
                [](const Entry& entry, uint64_t begin) { return entry.begin < begin; });
            if (found != entries.end() && found->segment == segment) {
                entries.erase(found);
            }
        }
    }
    end_change();
    cache_.clear();
    by_id_.erase(segment->id);
    std::erase(dynamic_, segment);
    by_my_base_.erase(my_base(*segment));
    std::unique_ptr<Segment> removed = std::move(segments_[segment->index]);
    if (segments_.back() != nullptr) {
        segments_.back()->index = removed->index;
        segments_[removed->index] = std::move(segments_.back());
    }
    segments_.pop_back();
    return removed;
}

Segment* Segments::find_by_my_base(const void* base) const {
    const auto found = by_my_base_.find(reinterpret_cast<uint64_t>(base));
    return found != by_my_base_.end() ? found->second : nullptr;
}

Segment* Segments::find_by_id(uint64_t id) const {
    const auto found = by_id_.find(id);
    return found != by_id_.end() ? found->second : nullptr;
}

const Segments::Entry* Segments::find_entry(const std::vector<Entry>& entries, uint64_t address) {
    const auto after =
        std::upper_bound(entries.begin(), entries.end(), address,
                         [](uint64_t wanted, const Entry& entry) { return wanted < entry.begin; });
    if (after == entries.begin() || address >= std::prev(after)->end) {
        return nullptr;
    }
    return &*std::prev(after);
}

// The result has no segment when the rank has no such memory.
Segments::Cached Segments::search_in(const std::vector<Entry>& entries, int rank, uint64_t address,
                                     int64_t bytes) {
    const Entry* entry = find_entry(entries, address);
    if (entry == nullptr || entry->segment->is_internal) {
        return {};
    }
    const int group_rank = entry->segment->group->group_rank(rank);
    if (group_rank < 0) {
        return {};
    }
    const Slice slice = entry->segment->slice(group_rank);
    const Cached found{rank, slice.base, slice.base + slice.bytes, entry->segment, entry->part};
    return found.has(rank, address, bytes) ? found : Cached{};
}

Segments::Found Segments::search(int rank, uint64_t address, int64_t bytes) {
    const Cached found = search_in(index_of(world_->node_of[rank]).entries, rank, address, bytes);
    if (found.segment != nullptr) {
        cache_.of(rank) = found;
    }
    return {found.segment, found.part};
}

Segments::Found Segments::find_by_thread(int rank, uint64_t address, int64_t bytes) {
    static thread_local View view;
    if (view.generation != generation_.load(std::memory_order_acquire)) {
        renew(view);
    }
    Cached& cached = view.cache.of(rank);
    if (!cached.has(rank, address, bytes)) {
        const Cached found = search_in(view.entries, rank, address, bytes);
        if (found.segment == nullptr) {
            return {};
        }
        cached = found;
    }
    return {cached.segment, cached.part};
}

size_t Segments::index_bytes() const {
    size_t bytes = indices_.bytes();
    indices_.for_each(
        [&](const NodeIndex& index) { bytes += index.entries.capacity() * sizeof(Entry); });
    return bytes;
}

// Returns the allocation in which that rank took part with 0 bytes, nullptr if there is none.
const Segment* Segments::find_empty_slice(int rank) const {
    const auto found = std::find_if(segments_.begin(), segments_.end(), [&](const auto& segment) {
        const int group_rank = segment->group->group_rank(rank);
        return !segment->is_internal && group_rank >= 0 && segment->slice(group_rank).bytes == 0;
    });
    return found != segments_.end() ? found->get() : nullptr;
}

std::string Segments::explain(int rank, uint64_t address, int64_t bytes) const {
    if (const Segment* empty = address == 0 ? find_empty_slice(rank) : nullptr) {
        return "a null pointer is the address of an empty part, and that of rank " +
               std::to_string(rank) + " in allocation " + name_of_allocation(empty->id) +
               " is empty: it asked for 0 bytes";
    }
    std::optional<Slice> nearest;
    uint64_t nearest_distance = UINT64_MAX;
    for (const auto& segment : segments_) {
        const int group_rank = segment->group->group_rank(rank);
        if (segment->is_internal || group_rank < 0 || segment->slice(group_rank).bytes == 0) {
            continue;
        }
        const Slice slice = segment->slice(group_rank);
        const uint64_t end = slice.base + slice.bytes;
        const uint64_t distance = address < slice.base ? slice.base - address
                                  : address > end      ? address - end
                                                       : 0;
        if (distance < nearest_distance) {
            nearest_distance = distance;
            nearest = slice;
        }
    }
    char text[256];
    if (!nearest.has_value()) {
        std::snprintf(text, sizeof text, "rank %d has no global memory at all", rank);
    } else {
        const uint64_t end = nearest->base + nearest->bytes;
        if (nearest_distance == 0 && address >= nearest->base) {
            std::snprintf(text, sizeof text,
                          "the range ends %" PRIu64
                          " bytes past the end of rank %d's memory "
                          "[0x%" PRIx64 ", 0x%" PRIx64 ")",
                          address + static_cast<uint64_t>(bytes) - end, rank, nearest->base, end);
        } else {
            std::snprintf(text, sizeof text,
                          "it is outside rank %d's global memory; the nearest is [0x%" PRIx64
                          ", 0x%" PRIx64 ")",
                          rank, nearest->base, end);
        }
    }
    return text;
}

}  // namespace armci::core
