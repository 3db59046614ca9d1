// SPDX-License-Identifier: BSD-3-Clause
// How the nodes of a group tell each other what they have allocated: each gets the parts of all in
// its tables.
#include <algorithm>
#include <cstring>
#include <vector>

#include "core/memory/global_memory.h"
#include "core/memory/node_report.h"
#include "core/memory/slice_layout.h"

namespace armci::core {
namespace {

using Outcome = NodeReport::Outcome;

// Marks the part of a node that has no memory.
constexpr int32_t kNoMemory = -1;

// What a member of a group other than world tells the others, before its parts.
struct GroupReport {
    Outcome outcome = Outcome::no_memory_here;
    int32_t part_count = 0;
    uint64_t tables = 0;
};
static_assert(sizeof(GroupReport) == 16);  // docs/scaling.md relies on it

// Numbers the further keys of parts that follow each other, from `first` on, among those of all.
void number_keys(ServerPart* parts, size_t count, size_t first) {
    for (size_t i = 0; i < count; ++i) {
        parts[i].further_keys = static_cast<uint32_t>(first + i);
    }
}

// Completes tables with the parts of all nodes, some of which may have no memory.
void complete_tables(const SliceLayout& layout, int part_count,
                     const std::vector<uint64_t>& further_keys, SegmentTables* tables) {
    ServerPart* parts = tables->parts();
    const ServerPart* end = std::remove_if(parts, parts + part_count,
                                           [](const ServerPart& part) { return part.bytes == 0; });
    tables->part_count = static_cast<int32_t>(end - parts);
    tables->store_further_keys(further_keys.data(), layout.further_key_count());
    layout.fill_slices(tables);
}

}  // namespace

void GlobalMemory::gather_from_members(const Group& group, const void* mine, size_t bytes,
                                       void* all) {
    if (group.size() == 1) {
        std::memcpy(all, mine, bytes);
        return;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    const int count = static_cast<int>(bytes);
    MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, context_.messages.own_comm(group),
                   &request);
    context_.messages.complete(&request);
}

void GlobalMemory::gather_from_leaders(void* all, size_t bytes_of_each) {
    const World& world = context_.progress.world();
    if (world.node_count > 1 && bytes_of_each > 0) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, static_cast<int>(bytes_of_each),
                       MPI_BYTE, world.leaders_comm, &request);
        context_.messages.complete(&request);
    }
}

// The first rank of each node has a report, and gets the parts of all others in its tables. The
// others of the node need only know where these are.
bool GlobalMemory::exchange_parts_of_world(const SliceLayout& layout, const NodeReport& mine,
                                           Segment* segment) {
    const World& world = context_.progress.world();
    uint64_t address = mine.tables;
    if (world.is_leader()) {
        const auto per_node = static_cast<size_t>(layout.servers_per_node());
        const size_t count = per_node * static_cast<size_t>(world.node_count);
        auto* tables = reinterpret_cast<SegmentTables*>(mine.tables);
        std::vector<ServerPart> without_tables(tables == nullptr ? count : 0);
        ServerPart* parts = tables != nullptr ? tables->parts() : without_tables.data();
        const size_t first_here = per_node * static_cast<size_t>(world.node);
        ServerPart* here = parts + first_here;
        std::fill_n(here, per_node, ServerPart{});
        std::copy(mine.parts.begin(), mine.parts.end(), here);
        here->node = mine.outcome == Outcome::failed ? kNoMemory : world.node;
        number_keys(here, per_node, first_here);
        gather_from_leaders(parts, per_node * sizeof(ServerPart));
        std::vector<uint64_t> further_keys(count * layout.further_key_count());
        std::copy(
            mine.further_keys.begin(), mine.further_keys.end(),
            further_keys.begin() + static_cast<ptrdiff_t>(first_here * layout.further_key_count()));
        gather_from_leaders(further_keys.data(),
                            per_node * layout.further_key_count() * sizeof(uint64_t));
        if (std::any_of(parts, parts + count,
                        [](const ServerPart& part) { return part.node == kNoMemory; })) {
            address = 0;
        } else {
            complete_tables(layout, static_cast<int>(count), further_keys, tables);
        }
    }
    node::BarrierWords words = {static_cast<int64_t>(address)};  // the others have 0
    context_.barriers.find_largest_on_node(Purpose::tables, &words);
    segment->tables = reinterpret_cast<SegmentTables*>(words[0]);
    return words[0] != 0;
}

// A group has no communicator of the first members on each node, so all members report, most of
// them nothing.
bool GlobalMemory::exchange_parts_of_group(const SliceLayout& layout, const NodeReport& mine,
                                           Segment* segment) {
    const Group& group = *segment->group;
    const auto per_node = static_cast<size_t>(layout.servers_per_node());
    const auto size = static_cast<size_t>(group.size());
    std::vector<GroupReport> reports(size);
    std::vector<ServerPart> parts(size * per_node);
    std::vector<ServerPart> my_parts = mine.parts;
    my_parts.resize(per_node);
    number_keys(my_parts.data(), per_node, static_cast<size_t>(group.rank()) * per_node);
    const GroupReport my_report{mine.outcome, static_cast<int32_t>(mine.parts.size()), mine.tables};
    gather_from_members(group, &my_report, sizeof my_report, reports.data());
    if (std::any_of(reports.begin(), reports.end(),
                    [](const GroupReport& report) { return report.outcome == Outcome::failed; })) {
        return false;
    }
    gather_from_members(group, my_parts.data(), per_node * sizeof(ServerPart), parts.data());
    std::vector<uint64_t> my_keys = mine.further_keys;
    my_keys.resize(per_node * layout.further_key_count());
    std::vector<uint64_t> further_keys(size * my_keys.size());
    if (!my_keys.empty()) {
        gather_from_members(group, my_keys.data(), my_keys.size() * sizeof my_keys[0],
                            further_keys.data());
    }
    const auto first_member = static_cast<size_t>(layout.first_member_here());
    segment->tables = reinterpret_cast<SegmentTables*>(reports[first_member].tables);
    if (static_cast<int>(first_member) == group.rank()) {
        ServerPart* end = segment->tables->parts();
        for (size_t member = 0; member < size; ++member) {
            end = std::copy_n(&parts[member * per_node], reports[member].part_count, end);
        }
        std::sort(segment->tables->parts(), end,
                  [](const ServerPart& a, const ServerPart& b) { return a.server < b.server; });
        complete_tables(layout, static_cast<int>(end - segment->tables->parts()), further_keys,
                        segment->tables);
    }
    context_.barriers.wait_for_group(group);
    return true;
}

}  // namespace armci::core
