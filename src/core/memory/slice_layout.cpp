// SPDX-License-Identifier: BSD-3-Clause
#include "core/memory/slice_layout.h"

#include <algorithm>
#include <new>
#include <numeric>

namespace armci::core {
namespace {

// Small slices are packed. Large ones begin on pages of their own, so that their owner touches
// these first.
constexpr int64_t kSmallAlignment = 64;
constexpr int64_t kLargeSlice = 16 << 10;

int64_t alignment_of(int64_t slice_bytes) {
    return slice_bytes >= kLargeSlice ? static_cast<int64_t>(node::kPageBytes) : kSmallAlignment;
}

// Puts a slice behind those that end at *end. Returns where it begins, or nothing if the end would
// have more than 63 bits.
std::optional<int64_t> append(int64_t bytes, int64_t* end) {
    const int64_t unit = alignment_of(bytes);
    int64_t begin = 0;
    if (__builtin_add_overflow(*end, unit - 1, &begin)) {
        return std::nullopt;
    }
    begin = begin / unit * unit;
    if (__builtin_add_overflow(begin, bytes, end)) {
        return std::nullopt;
    }
    return begin;
}

}  // namespace

int SliceLayout::first_member_here() const {
    if (group_.is_world()) {
        return world_.node_ranks.front();
    }
    int member = 0;
    while (node_of(member) != world_.node) {
        ++member;
    }
    return member;
}

std::vector<int> SliceLayout::members_here() const {
    if (group_.is_world()) {
        return world_.node_ranks;
    }
    std::vector<int> members;
    for (int member = first_member_here(); member < group_.size(); ++member) {
        if (node_of(member) == world_.node) {
            members.push_back(member);
        }
    }
    return members;
}

std::vector<int> SliceLayout::all_members() const {
    std::vector<int> members(static_cast<size_t>(group_.size()));
    std::iota(members.begin(), members.end(), 0);
    return members;
}

std::vector<int> SliceLayout::sorted_by_server(std::vector<int> members) const {
    const auto is_before = [&](int a, int b) {
        return server_of(a) != server_of(b) ? server_of(a) < server_of(b) : a < b;
    };
    // They mostly are in order already.
    if (!std::is_sorted(members.begin(), members.end(), is_before)) {
        std::sort(members.begin(), members.end(), is_before);
    }
    return members;
}

std::optional<std::vector<SliceLayout::Range>> SliceLayout::ranges_here() const {
    std::vector<Range> ranges;
    int64_t end = 0;
    for (const int member : sorted_by_server(members_here())) {
        if (bytes_of(member) == 0) {
            continue;
        }
        const std::optional<int64_t> begin = append(bytes_of(member), &end);
        if (!begin.has_value()) {
            return std::nullopt;
        }
        const int server = server_of(member);
        if (ranges.empty() || ranges.back().server != server) {
            ranges.push_back({server, *begin, end});
        }
        ranges.back().end = end;
    }
    return ranges;
}

int SliceLayout::node_count() const {
    if (group_.is_world()) {
        return world_.node_count;
    }
    std::vector<bool> has_member(static_cast<size_t>(world_.node_count));
    for (int member = 0; member < group_.size(); ++member) {
        has_member[static_cast<size_t>(node_of(member))] = true;
    }
    return static_cast<int>(std::count(has_member.begin(), has_member.end(), true));
}

size_t SliceLayout::tables_bytes() const {
    return SegmentTables::bytes(slice_count(), node_count() * servers_per_node(),
                                further_key_count());
}

SegmentTables* SliceLayout::make_tables(void* memory) const {
    auto* tables = new (memory) SegmentTables;
    tables->slice_count = slice_count();
    return tables;
}

void SliceLayout::fill_slices(SegmentTables* tables) const {
    if (is_regular()) {
        int64_t end = equal_bytes_;
        tables->slices_per_node = world_.node_of.ranks_per_node();
        tables->parts_per_node = servers_per_node();
        tables->equal_bytes = static_cast<uint64_t>(equal_bytes_);
        // Where there is a second slice in a part, it does not overflow.
        tables->stride = static_cast<uint64_t>(append(equal_bytes_, &end).value_or(0));
        return;
    }
    // A node's memory begins where its first part does.
    const ServerPart* parts = tables->parts();
    const ServerPart* parts_end = parts + tables->part_count;
    int node = -1;
    uint64_t node_begin = 0;
    int64_t end = 0;
    for (const int member : sorted_by_server(all_members())) {
        Slice& slice = tables->slices()[member];
        slice = {0, static_cast<uint64_t>(bytes_of(member))};
        if (slice.bytes == 0) {
            continue;
        }
        if (node_of(member) != node) {
            node = node_of(member);
            node_begin =
                std::lower_bound(parts, parts_end, node, [](const ServerPart& one, int wanted) {
                    return one.node < wanted;
                })->begin;
            end = 0;
        }
        // The node has this memory, so nothing overflows.
        slice.base = node_begin + static_cast<uint64_t>(*append(bytes_of(member), &end));
    }
}

}  // namespace armci::core
