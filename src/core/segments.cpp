#include "core/segments.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "core/world.h"

namespace armci::core {

const NodePart* Segment::part(int node) const {
    const NodePart* begin = tables->parts();
    const NodePart* end = begin + tables->part_count;
    const NodePart* found = std::lower_bound(
        begin, end, node, [](const NodePart& part, int wanted) { return part.node < wanted; });
    return found != end && found->node == node ? found : nullptr;
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
    indices_.resize(world.node_count);
    clear_cache();
}

void Segments::stop() {
    segments_.clear();
    by_id_.clear();
    by_my_base_.clear();
    indices_.clear();
    clear_cache();
}

void Segments::clear_cache() {
    for (Cached& cached : cache_) {
        cached = Cached{};
    }
}

void Segments::insert_entry(NodeIndex& index, const Segment* segment, const NodePart& part) {
    const Entry entry{part.begin, part.begin + part.bytes, segment, &part};
    const auto place =
        std::upper_bound(index.entries.begin(), index.entries.end(), entry,
                         [](const Entry& a, const Entry& b) { return a.begin < b.begin; });
    index.entries.insert(place, entry);
}

Segments::NodeIndex& Segments::index_of(int node) {
    std::unique_ptr<NodeIndex>& index = indices_[node];
    if (!index) {
        index = std::make_unique<NodeIndex>();
        for (const auto& segment : segments_) {
            if (const NodePart* part = segment->part(node)) {
                insert_entry(*index, segment.get(), *part);
            }
        }
    }
    return *index;
}

// 0 when this rank has no memory in it.
uint64_t Segments::my_base(const Segment& segment) {
    const int rank = segment.group->rank();
    return rank >= 0 && segment.slice(rank).bytes != 0 ? segment.slice(rank).base : 0;
}

Segment* Segments::add(std::unique_ptr<Segment> segment) {
    Segment* added = segment.get();
    added->place = segments_.size();
    segments_.push_back(std::move(segment));
    by_id_[added->id] = added;
    if (const uint64_t base = my_base(*added); base != 0) {
        by_my_base_[base] = added;
    }
    const NodePart* parts = added->tables->parts();
    for (int i = 0; i < added->tables->part_count; ++i) {
        if (indices_[parts[i].node]) {
            insert_entry(*indices_[parts[i].node], added, parts[i]);
        }
    }
    return added;
}

std::unique_ptr<Segment> Segments::remove(Segment* segment) {
    const NodePart* parts = segment->tables->parts();
    for (int i = 0; i < segment->tables->part_count; ++i) {
        if (NodeIndex* index = indices_[parts[i].node].get()) {
            auto& entries = index->entries;
            const auto found = std::lower_bound(
                entries.begin(), entries.end(), parts[i].begin,
                [](const Entry& entry, uint64_t begin) { return entry.begin < begin; });
            if (found != entries.end() && found->segment == segment) {
                entries.erase(found);
            }
        }
    }
    clear_cache();
    by_id_.erase(segment->id);
    by_my_base_.erase(my_base(*segment));
    std::unique_ptr<Segment> removed = std::move(segments_[segment->place]);
    if (segments_.back() != nullptr) {
        segments_.back()->place = removed->place;
        segments_[removed->place] = std::move(segments_.back());
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

const Segments::Entry* Segments::find_entry(int node, uint64_t address) {
    const std::vector<Entry>& entries = index_of(node).entries;
    const auto after =
        std::upper_bound(entries.begin(), entries.end(), address,
                         [](uint64_t wanted, const Entry& entry) { return wanted < entry.begin; });
    if (after == entries.begin() || address >= std::prev(after)->end) {
        return nullptr;
    }
    return &*std::prev(after);
}

Segments::Place Segments::search(int rank, uint64_t address, int64_t bytes) {
    const Entry* entry = find_entry(world_->node_of[rank], address);
    if (entry == nullptr) {
        return {};
    }
    const int group_rank = entry->segment->group->group_rank(rank);
    if (group_rank < 0) {
        return {};
    }
    const Slice& slice = entry->segment->slice(group_rank);
    const uint64_t end = slice.base + slice.bytes;
    if (address < slice.base || address > end || static_cast<uint64_t>(bytes) > end - address) {
        return {};
    }
    cache_[static_cast<uint32_t>(rank) % kCacheEntries] =
        Cached{rank, slice.base, end, entry->segment, entry->part};
    return {entry->segment, entry->part};
}

bool Segments::resolve(int node, uint64_t address, int64_t bytes, fabric::RemoteMemory* memory) {
    const Entry* entry = find_entry(node, address);
    if (entry == nullptr || static_cast<uint64_t>(bytes) > entry->end - address ||
        entry->part->registered == 0) {
        return false;
    }
    memory->address = entry->part->remote_base + (address - entry->begin);
    memory->key = entry->part->key;
    return true;
}

std::string Segments::explain(int rank, uint64_t address, int64_t bytes) const {
    const Slice* nearest = nullptr;
    uint64_t nearest_distance = UINT64_MAX;
    for (const auto& segment : segments_) {
        const int group_rank = segment->group->group_rank(rank);
        if (group_rank < 0 || segment->slice(group_rank).bytes == 0) {
            continue;
        }
        const Slice& slice = segment->slice(group_rank);
        const uint64_t end = slice.base + slice.bytes;
        const uint64_t distance = address < slice.base ? slice.base - address
                                  : address > end      ? address - end
                                                       : 0;
        if (distance < nearest_distance) {
            nearest_distance = distance;
            nearest = &slice;
        }
    }
    char text[256];
    if (nearest == nullptr) {
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
