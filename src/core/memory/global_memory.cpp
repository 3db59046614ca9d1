// SPDX-License-Identifier: BSD-3-Clause
#include "core/memory/global_memory.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "base/config_value.h"
#include "base/log.h"
#include "core/memory/node_report.h"
#include "core/memory/slice_layout.h"
#include "node/memory_limits.h"
#include "pipeline/buffers/server_numbers.h"
#include "pipeline/origin/request_task.h"

namespace armci::core {

namespace {

using Outcome = NodeReport::Outcome;

uint64_t g_memory_limit = 0;

// docs/scaling.md relies on it.
static_assert(sizeof(ServerPart) == 48);

int64_t free_heap(const node::NodeHeap& heap) {
    return static_cast<int64_t>(heap.data_bytes()) - static_cast<int64_t>(heap.used_bytes());
}

// What the host has left, without memory that was allocated and not touched yet.
struct Available {
    node::MemoryLimit limit;
    int64_t promised = 0;

    int64_t bytes() const { return limit.available_bytes - promised; }
    std::string explain() const;
};

// `taken_bytes` of the allocated memory are not subtracted, because the question is whether they
// exist. What checking mode keeps on other nodes of the host is not known here.
Available look_at_memory(const MemoryContext& context, size_t taken_bytes) {
    Available available;
    available.limit = node::available_memory();
    const node::NodeHeap& heap = context.node.heap;
    const auto kept_by_checks = static_cast<int64_t>(context.checking->freed_bytes());
    available.promised =
        std::max<int64_t>(0, static_cast<int64_t>(heap.given_out_bytes() - taken_bytes) -
                                 static_cast<int64_t>(heap.resident_bytes()) + kept_by_checks +
                                 static_cast<int64_t>(heap.kept_on_host_bytes()));
    return available;
}

std::string Available::explain() const {
    char text[256];
    std::snprintf(text, sizeof text,
                  " has %" PRId64 " bytes available, of which %" PRId64
                  " are promised to earlier allocations; use more nodes or smaller arrays",
                  limit.available_bytes, promised);
    return limit.reason + text;  // with the path of a control group, however long
}

// Explains why the heap has no room, and what to do about it.
std::string explain_full_heap(const MemoryContext& context, int64_t bytes) {
    const int64_t left = free_heap(context.node.heap);
    char text[256];
    std::snprintf(text, sizeof text,
                  "the node heap has %" PRId64 " of %zu bytes of address space left%s", left,
                  context.node.heap.data_bytes(), bytes <= left ? ", in smaller pieces" : "");
    // A larger heap would not help where there is no memory for it.
    const Available available = look_at_memory(context, 0);
    if (bytes > available.bytes()) {
        return text + (", and " + available.explain());
    }
    if (context.node.mapping.bytes < context.node.mapping.wanted_bytes) {
        return text +
               (", because the limits on this process (ulimit -v or -f) let it reserve no more "
                "than " +
                base::bytes_text(static_cast<int64_t>(context.node.mapping.bytes)) +
                " instead of " +
                base::bytes_text(static_cast<int64_t>(context.node.mapping.wanted_bytes)) +
                "; raise them on all nodes");
    }
    return text + std::string("; raise ARMCI_HEAP_SIZE");
}

std::string explain_freed_again(const MemoryContext& context, const void* base) {
    std::string text = context.checking->explain_freed(context.progress.world().rank,
                                                       reinterpret_cast<uint64_t>(base), 1);
    return text.empty() ? text : text + "; ";
}

}  // namespace

void set_memory_limit(uint64_t bytes) {
    g_memory_limit = bytes;
}
uint64_t memory_limit() {
    return g_memory_limit;
}

int GlobalMemory::my_server() const {
    const Network* network = context_.progress.network();
    return network != nullptr ? network->rank_servers.of(context_.progress.world().rank) : 0;
}

node::NodeHeap::Range GlobalMemory::take_from_heap(const char* function, size_t bytes) {
    const node::NodeHeap::Range range = context_.node.heap.allocate(bytes);
    context_.checking->check_given_out(function, range);
    return range;
}

void GlobalMemory::count_taken(const node::NodeHeap::Range& range) {
    ++context_.stats.pieces_taken;
    context_.stats.pieces_kept += range.was_kept ? 1 : 0;
}

node::NodeHeap::Range GlobalMemory::take_available(const char* function, size_t bytes,
                                                   std::string* reason) {
    const auto wanted = static_cast<int64_t>(bytes);
    const bool check_is_due = context_.node.heap.check_is_due(bytes);
    node::NodeHeap::Range range = wanted <= free_heap(context_.node.heap)
                                      ? take_from_heap(function, bytes)
                                      : node::NodeHeap::Range{};
    if (range.data == nullptr) {
        *reason = explain_full_heap(context_, wanted);
        return range;
    }
    // This is checked only now, so that each node that shares a host's memory sees what the others
    // have taken.
    if (check_is_due) {
        Available available = look_at_memory(context_, range.bytes);
        if (wanted > available.bytes()) {
            context_.checking->release_freed(function);
            context_.node.heap.give_back_all();
            const auto begin = reinterpret_cast<uint64_t>(range.data);
            context_.node.heap.release_pages(begin, begin + range.bytes);
            range.was_kept = false;
            available = look_at_memory(context_, range.bytes);
        }
        if (wanted > available.bytes()) {
            *reason = available.explain();
            context_.node.heap.release(range.record);
            return {};
        }
        context_.node.heap.note_check(0);
    }
    count_taken(range);
    return range;
}

datasrv::Server* GlobalMemory::server_here(int number) const {
    const Network& network = *context_.progress.network();
    return network.rank_servers.hosted() == number ? network.server.get() : nullptr;
}

void GlobalMemory::publish(const char* function, ServerPart* part,
                           std::vector<uint64_t>* further_keys) {
    const Network* network = context_.progress.network();
    if (network == nullptr) {
        return;
    }
    const wire::SegmentBody body{part->begin, part->bytes};
    wire::SegmentReply reply;
    datasrv::Server* here = server_here(part->server);
    if (here == nullptr || !here->try_add_segment(body, &reply)) {
        pipeline::RequestTask task(function, wire::FrameKind::add_segment, body,
                                   pipeline::RequestTask::Answer::expected);
        context_.progress.run_task(task, part->server,
                                   {function, "a data server of this rank's node"});
        reply = task.segment();
    }
    part->registered = reply.registered != 0 ? 1 : 0;
    part->remote_base = reply.remote_base;
    part->key = reply.key;
    further_keys->insert(further_keys->end(), reply.further_keys,
                         reply.further_keys + network->domain.further_key_count());
}

void GlobalMemory::withdraw(const char* function, const ServerPart& part) {
    if (context_.progress.network() == nullptr) {
        return;
    }
    const wire::SegmentBody body{part.begin, part.bytes};
    datasrv::Server* here = server_here(part.server);
    if (here != nullptr && here->try_remove_segment(body)) {
        return;
    }
    pipeline::RequestTask task(function, wire::FrameKind::remove_segment, body,
                               pipeline::RequestTask::Answer::expected);
    context_.progress.run_task(task, part.server, {function, "a data server of this rank's node"});
    if (task.value() == 0) {
        base::fatal(function, "%s does not know the segment at 0x%" PRIx64,
                    context_.progress.network()->servers.name_of(part.server).c_str(), part.begin);
    }
}

void GlobalMemory::log_shortage(const char* function, int64_t bytes, const std::string& reason) {
    base::log_before_return("%s: %" PRId64 " bytes of global memory were asked for on %s: %s",
                            function, bytes, describe_node(context_.progress.world()).c_str(),
                            reason.c_str());
}

// Sets the segment's heap records.
NodeReport GlobalMemory::allocate_part(const char* function,
                                       const std::vector<SliceLayout::Range>& ranges,
                                       const SliceLayout& layout, Segment* segment) {
    NodeReport report;
    const int64_t bytes = ranges.empty() ? 0 : ranges.back().end;
    const node::NodeHeap::Range tables = take_from_heap(function, layout.tables_bytes());
    if (tables.data == nullptr) {
        log_shortage(function, bytes, explain_full_heap(context_, bytes));
        report.outcome = Outcome::failed;
        return report;
    }
    node::NodeHeap::Range data;
    if (bytes > 0) {
        std::string reason;
        data = take_available(function, static_cast<size_t>(bytes), &reason);
        if (data.data == nullptr) {
            context_.node.keeper.release(tables.record);
            log_shortage(function, bytes, reason);
            report.outcome = Outcome::failed;
            return report;
        }
    }
    count_taken(tables);
    SegmentTables* made = layout.make_tables(tables.data);
    made->was_kept = data.was_kept;
    report.tables = reinterpret_cast<uint64_t>(made);
    segment->tables_record = tables.record;
    if (bytes > 0) {
        for (const SliceLayout::Range& range : ranges) {
            ServerPart& part = report.parts.emplace_back();
            part.node = context_.progress.world().node;
            part.server = range.server;
            part.begin = reinterpret_cast<uint64_t>(data.data) + static_cast<uint64_t>(range.begin);
            part.bytes = static_cast<uint64_t>(range.end - range.begin);
            publish(function, &part, &report.further_keys);
        }
        segment->data_record = data.record;
        report.outcome = Outcome::allocated;
    }
    return report;
}

void GlobalMemory::release_to_heap(uint32_t record, bool is_poisoned) {
    if (is_poisoned) {
        context_.node.heap.release(record, node::NodeHeap::Pages::leave);
    } else {
        context_.node.keeper.release(record);
    }
}

void GlobalMemory::release_parts(const char* function, const Segment& segment,
                                 const std::vector<ServerPart>& parts) {
    if (segment.data_record != 0) {
        for (const ServerPart& part : parts) {
            withdraw(function, part);
        }
        // Neither the library's own memory nor an allocation that failed on some node is poisoned.
        const bool is_poisoned =
            !segment.is_internal && segment.tables != nullptr &&
            context_.checking->poison_freed(
                segment, parts.back().begin + parts.back().bytes - parts.front().begin);
        release_to_heap(segment.data_record, is_poisoned);
    }
    if (segment.tables_record != 0) {
        context_.node.keeper.release(segment.tables_record);
    }
}

std::string GlobalMemory::explain_limit(int64_t bytes) const {
    const uint64_t limit = memory_limit();
    if (limit == 0 || allocated_bytes_ + static_cast<uint64_t>(bytes) <= limit) {
        return {};
    }
    char text[256];
    std::snprintf(text, sizeof text,
                  "%" PRId64 " bytes of global memory were asked for on top of %" PRIu64
                  ", and the limit for a process is %" PRIu64
                  "; raise it (ARMCI_SHM_LIMIT, ARMCI_Set_shm_limit)",
                  bytes, allocated_bytes_, limit);
    return text;
}

void GlobalMemory::find_largest(const Group& group, Purpose purpose, node::BarrierWords* words) {
    if (!context_.barriers.find_largest_on_one_node(group, purpose, words)) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Iallreduce(MPI_IN_PLACE, words->data(), static_cast<int>(words->size()), MPI_INT64_T,
                       MPI_MAX, context_.messages.own_comm(group), &request);
        context_.messages.complete(&request);
    }
}

GlobalMemory::Wishes GlobalMemory::exchange_wishes(const char* function, int64_t bytes,
                                                   Segment* segment) {
    const Group& group = *segment->group;
    const std::string beyond_limit = explain_limit(bytes);
    if (!beyond_limit.empty()) {
        base::log_before_return("%s: %s", function, beyond_limit.c_str());
    }
    const int64_t wish = beyond_limit.empty() ? bytes : -1;
    node::BarrierWords words = {0, wish, -wish};  // 0: the number, which only group rank 0 has
    if (group.rank() == 0) {
        words[0] = static_cast<int64_t>(static_cast<uint64_t>(context_.progress.world().rank)
                                            << kCollectiveCountBits |
                                        next_segment_number_++);
    }
    find_largest(group, Purpose::sizes, &words);
    segment->id = static_cast<uint64_t>(words[0]);
    return {-words[2], words[1]};
}

SliceLayout GlobalMemory::plan_slices(const Group& group, int64_t bytes, const Wishes& wishes) {
    const World& world = context_.progress.world();
    const Network* network = context_.progress.network();
    if (wishes.least == wishes.most) {
        return {world, network, group, bytes};
    }
    std::vector<int64_t> each(static_cast<size_t>(group.size()));
    gather_from_members(group, &bytes, sizeof bytes, each.data());
    return {world, network, group, std::move(each)};
}

NodeReport GlobalMemory::allocate_here(const char* function, const SliceLayout& layout,
                                       Segment* segment) {
    const std::optional<std::vector<SliceLayout::Range>> ranges = layout.ranges_here();
    if (ranges.has_value()) {
        return allocate_part(function, *ranges, layout, segment);
    }
    base::log_before_return(
        "%s: the sizes of the ranks of a node add up to more than "
        "64 bits",
        function);
    NodeReport report;
    report.outcome = Outcome::failed;
    return report;
}

// The first member on each node allocates for all of them there.
bool GlobalMemory::allocate_parts(const char* function, const SliceLayout& layout,
                                  Segment* segment) {
    const Group& group = *segment->group;
    NodeReport mine;
    if (layout.first_member_here() == group.rank()) {
        mine = allocate_here(function, layout, segment);
    }
    const bool is_allocated = group.is_world() ? exchange_parts_of_world(layout, mine, segment)
                                               : exchange_parts_of_group(layout, mine, segment);
    if (!is_allocated) {
        segment->tables = nullptr;
        release_parts(function, *segment, mine.parts);
    }
    return is_allocated;
}

bool GlobalMemory::allocate(const char* function, const GroupRef& group, int64_t bytes,
                            void** base_pointers, Segment** segment_out) {
    if (base_pointers != nullptr) {
        std::fill(base_pointers, base_pointers + group->size(), nullptr);
    }
    if (segment_out != nullptr) {
        *segment_out = nullptr;
    }
    auto segment = std::make_unique<Segment>();
    segment->group = group;
    const Wishes wishes = exchange_wishes(function, bytes, segment.get());
    if (wishes.least < 0) {
        return false;
    }
    if (wishes.most == 0) {
        return true;
    }
    if (!allocate_parts(function, plan_slices(*group, bytes, wishes), segment.get())) {
        return false;
    }
    for (int member = 0; base_pointers != nullptr && member < group->size(); ++member) {
        const Slice slice = segment->slice(member);
        base_pointers[member] = slice.bytes > 0 ? reinterpret_cast<void*>(slice.base) : nullptr;
    }
    // The memory is usable from everywhere: all nodes had theirs when they told each other, and
    // this node's tables are complete.
    if (context_.progress.config().debug_alloc) {
        if (bytes > 0) {
            std::memset(reinterpret_cast<void*>(segment->slice(group->rank()).base), 0,
                        static_cast<size_t>(bytes));
        }
        context_.barriers.wait_for_group(*group);  // no rank writes to what is not clear yet
    }
    allocated_bytes_ += static_cast<uint64_t>(bytes);
    Segment* added = context_.segments.add(std::move(segment));
    populate(*added);
    if (segment_out != nullptr) {
        *segment_out = added;
    }
    return true;
}

void GlobalMemory::populate(const Segment& segment) {
    const Slice slice = segment.slice(segment.group->rank());
    const int64_t min_bytes = context_.progress.config().populate_min;
    if (min_bytes > 0 && slice.bytes >= static_cast<uint64_t>(min_bytes) &&
        !segment.tables->was_kept) {
        context_.node.populator.populate(slice.base, slice.bytes);
    }
}

void GlobalMemory::free_segment(Segment* segment) {
    const GroupRef group = segment->group;
    const int my_rank = group->rank();
    const Slice slice = segment->slice(my_rank);
    context_.node.populator.leave(slice.base, slice.bytes);
    allocated_bytes_ -= slice.bytes;
    const std::span<const ServerPart> here = segment->parts_on(context_.progress.world().node);
    const std::vector<ServerPart> parts(here.begin(), here.end());
    context_.checking->remember_freed(*segment);
    const std::unique_ptr<Segment> removed = context_.segments.remove(segment);
    // All ranks have fenced before. After this none of this node looks into its tables any more.
    if (group->is_world()) {
        context_.barriers.wait_for_node(Purpose::removal);
    } else {
        context_.barriers.wait_for_group(*group);
    }
    release_parts("ARMCI_Free", *removed, parts);
}

Segment* GlobalMemory::find_mine(const char* function, void* base) {
    if (base == nullptr) {
        return nullptr;
    }
    Segment* mine = context_.segments.find_by_my_base(base);
    if (mine == nullptr || mine->is_internal || mine->is_dynamic()) {
        base::fatal(function,
                    "argument ptr = %p: not the beginning of this rank's part of any "
                    "allocation; %spass what ARMCI_Malloc returned for this rank, once",
                    base, explain_freed_again(context_, base).c_str());
    }
    return mine;
}

void GlobalMemory::free(const char* function, const GroupRef& fallback_group, void* base) {
    Segment* mine = find_mine(function, base);
    const GroupRef group = mine != nullptr ? mine->group : fallback_group;
    if (group == nullptr) {
        return;  // a null pointer and a freed group name no allocation
    }
    context_.checking->meet(function, *group, Collective::free);
    context_.completion.wait_everything();  // gets as well, because what they read from is freed
    fence_all(context_.progress);
    context_.checking->fence_before_meeting(function, *group);
    const uint64_t my_id = mine != nullptr ? mine->id : 0;
    node::BarrierWords words = {static_cast<int64_t>(my_id)};
    find_largest(*group, Purpose::freed, &words);
    const auto id = static_cast<uint64_t>(words[0]);
    if (id == 0) {
        return;
    }
    if (my_id != 0 && my_id != id) {
        base::fatal(function,
                    "argument ptr = %p: other ranks free a different allocation in the same "
                    "call",
                    base);
    }
    Segment* segment = context_.segments.find_by_id(id);
    if (segment == nullptr) {
        base::fatal(function,
                    "other ranks free an allocation of a group that this rank is not in; "
                    "use ARMCI_Free_group with that group");
    }
    free_segment(segment);
}

}  // namespace armci::core
