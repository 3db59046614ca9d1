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

void Segments::start(const World& world) {
    world_ = &world;
    indices_.resize(world.node_count);
    clear_cache();
}

void Segments::stop() {
    segments_.clear();
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

Segment* Segments::add(std::unique_ptr<Segment> segment) {
    segments_.push_back(std::move(segment));
    Segment* added = segments_.back().get();
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
            std::erase_if(index->entries,
                          [&](const Entry& entry) { return entry.segment == segment; });
        }
    }
    clear_cache();
    const auto found = std::find_if(segments_.begin(), segments_.end(),
                                    [&](const auto& one) { return one.get() == segment; });
    std::unique_ptr<Segment> removed = std::move(*found);
    segments_.erase(found);
    return removed;
}

Segment* Segments::find_by_my_base(const void* base) const {
    // Newest first: what is freed was often allocated last.
    for (auto segment = segments_.rbegin(); segment != segments_.rend(); ++segment) {
        const int rank = (*segment)->group->rank();
        if (rank >= 0 && (*segment)->slice(rank).bytes != 0 &&
            (*segment)->slice(rank).base == reinterpret_cast<uint64_t>(base)) {
            return segment->get();
        }
    }
    return nullptr;
}

Segment* Segments::find_by_id(uint64_t id) const {
    for (const auto& segment : segments_) {
        if (segment->id == id) {
            return segment.get();
        }
    }
    return nullptr;
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
