// SPDX-License-Identifier: BSD-3-Clause
#include "core/memory/global_memory.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "base/config_value.h"
#include "base/log.h"
#include "node/memory_limits.h"
#include "pipeline/buffers/server_numbers.h"
#include "pipeline/origin/request_task.h"

namespace armci::core {

struct NodeReport {
    enum class Outcome : int32_t { no_memory_here = 0, allocated = 1, failed = 2 };

    Outcome outcome = Outcome::no_memory_here;
    int32_t padding = 0;  // a report travels between ranks
    ServerPart part;
    uint64_t tables = 0;  // address, for ranks of the same node
};

struct AllocationPlan {
    // What one data server gets.
    struct Part {
        int server;
        int node;
        int first_member;  // group rank; allocates and publishes it
        int64_t bytes;
    };
    const Part& part_with(int member) const { return parts[part_of[member]]; }
    // Returns the group rank of the first member on that one's node, which makes the tables there.
    int first_on_node_of(int member) const;

    std::vector<int64_t> slice_bytes;   // by group rank
    std::vector<int64_t> slice_offset;  // by group rank; from the beginning of its part
    std::vector<Part> parts;            // by server; members without memory may give empty ones
    std::vector<int> part_of;           // by group rank
    bool overflow = false;
};

int AllocationPlan::first_on_node_of(int member) const {
    const int node = part_with(member).node;
    int first = member;
    for (const Part& part : parts) {
        first = part.node == node ? std::min(first, part.first_member) : first;
    }
    return first;
}

namespace {

using Outcome = NodeReport::Outcome;

uint64_t g_memory_limit = 0;

// Small slices are packed. Large ones begin on pages of their own, so that their owner touches
// these first.
constexpr int64_t kSmallAlignment = 64;
constexpr int64_t kLargeSlice = 16 << 10;

// What every member reports to all others first.
struct Wish {
    int64_t bytes = 0;        // negative: the limit forbids its share
    uint64_t segment_id = 0;  // from group rank 0
};

// Every member has as many of both as there are members. docs/scaling.md relies on these sizes.
static_assert(sizeof(Wish) == 16 && sizeof(NodeReport) == 64);

// A job without a network has no data server, and number 0 stands for its node.
int server_of(const Progress& progress, int rank) {
    return progress.network() != nullptr ? progress.network()->rank_servers.of(rank) : 0;
}

int64_t alignment_of(int64_t slice_bytes) {
    return slice_bytes >= kLargeSlice ? static_cast<int64_t>(node::kPageBytes) : kSmallAlignment;
}

AllocationPlan make_plan(const Progress& progress, const Group& group,
                         std::vector<int64_t> slice_bytes) {
    AllocationPlan plan;
    plan.slice_bytes = std::move(slice_bytes);
    const int size = group.size();
    plan.slice_offset.resize(size);
    plan.part_of.resize(size);
    const auto server_of_member = [&](int member) {
        return server_of(progress, group.world_rank(member));
    };
    // Finds the server's part, or where it has to be inserted.
    const auto find_part = [&](int server) {
        return std::lower_bound(
            plan.parts.begin(), plan.parts.end(), server,
            [](const AllocationPlan::Part& p, int wanted) { return p.server < wanted; });
    };
    for (int member = 0; member < size; ++member) {
        const int server = server_of_member(member);
        const auto part = find_part(server);
        if (part == plan.parts.end() || part->server != server) {
            const int node = progress.world().node_of[group.world_rank(member)];
            plan.parts.insert(part, AllocationPlan::Part{server, node, member, 0});
        }
    }
    for (int member = 0; member < size; ++member) {
        const auto part = find_part(server_of_member(member));
        plan.part_of[member] = static_cast<int>(part - plan.parts.begin());
        const int64_t bytes = plan.slice_bytes[member];
        const int64_t unit = alignment_of(bytes);
        int64_t end = 0;
        if (plan.overflow || __builtin_add_overflow(part->bytes, unit - 1, &end) ||
            __builtin_add_overflow(end / unit * unit, bytes, &end)) {
            plan.overflow = true;
            continue;
        }
        plan.slice_offset[member] = end - bytes;
        part->bytes = end;
    }
    return plan;
}

template <class T>
void all_gather(Messages& messages, const Group& group, const T& mine, T* all) {
    if (group.size() == 1) {
        all[0] = mine;
        return;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgather(&mine, sizeof(T), MPI_BYTE, all, sizeof(T), MPI_BYTE, group.own_comm(),
                   &request);
    messages.complete(&request);
}

int64_t free_heap(const node::NodeHeap& heap) {
    return static_cast<int64_t>(heap.data_bytes()) - static_cast<int64_t>(heap.used_bytes());
}

// What the host has left, without memory that was allocated and not touched yet.
struct Available {
    node::MemoryLimit limit;
    int64_t promised = 0;
    int64_t kept = 0;  // by checking mode: resident, and not allocated

    int64_t bytes() const { return limit.available_bytes - promised; }
    std::string explain() const;
};

// `taken_bytes` of the allocated memory are not subtracted, because the question is whether they
// exist. What checking mode keeps on other nodes of the host is not known here.
Available look_at_memory(const MemoryContext& context, size_t taken_bytes) {
    Available available;
    available.limit = node::available_memory();
    available.kept = static_cast<int64_t>(context.checking->freed_bytes());
    available.promised = std::max<int64_t>(
        0, static_cast<int64_t>(context.node.heap.given_out_bytes() - taken_bytes) -
               static_cast<int64_t>(context.node.heap.resident_bytes()) + available.kept);
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

// Returns where a member's slice begins. It must not be empty.
uint64_t address_of_slice(const AllocationPlan& plan, const std::vector<NodeReport>& reports,
                          int member) {
    return reports[plan.part_with(member).first_member].part.begin +
           static_cast<uint64_t>(plan.slice_offset[member]);
}

void fill_tables(SegmentTables* tables, const AllocationPlan& plan,
                 const std::vector<NodeReport>& reports) {
    tables->slice_count = static_cast<int32_t>(plan.slice_bytes.size());
    tables->part_count = 0;
    for (const AllocationPlan::Part& part : plan.parts) {
        const NodeReport& report = reports[part.first_member];
        if (report.outcome == Outcome::allocated) {
            tables->parts()[tables->part_count++] = report.part;
        }
    }
    for (int member = 0; member < tables->slice_count; ++member) {
        Slice& slice = tables->slices()[member];
        slice.bytes = static_cast<uint64_t>(plan.slice_bytes[member]);
        slice.base = slice.bytes == 0 ? 0 : address_of_slice(plan, reports, member);
    }
}

// Finds the tables of this rank's node. Its first member there fills them.
void use_tables(const AllocationPlan& plan, const std::vector<NodeReport>& reports,
                Segment* segment) {
    const int my_rank = segment->group->rank();
    const int first_member = plan.first_on_node_of(my_rank);
    segment->tables = reinterpret_cast<SegmentTables*>(reports[first_member].tables);
    if (first_member == my_rank) {
        fill_tables(segment->tables, plan, reports);
    }
}

void set_base_pointers(const AllocationPlan& plan, const std::vector<NodeReport>& reports,
                       void** base_pointers) {
    for (size_t member = 0; member < plan.slice_bytes.size(); ++member) {
        if (plan.slice_bytes[member] > 0) {
            base_pointers[member] =
                reinterpret_cast<void*>(address_of_slice(plan, reports, static_cast<int>(member)));
        }
    }
}

}  // namespace

void set_memory_limit(uint64_t bytes) {
    g_memory_limit = bytes;
}
uint64_t memory_limit() {
    return g_memory_limit;
}

int GlobalMemory::my_server() const {
    return server_of(context_.progress, context_.progress.world().rank);
}

node::NodeHeap::Range GlobalMemory::take_from_heap(const char* function, size_t bytes) {
    const node::NodeHeap::Range range = context_.node.heap.allocate(bytes);
    context_.checking->check_given_out(function, range);
    return range;
}

node::NodeHeap::Range GlobalMemory::take_available(const char* function, size_t bytes,
                                                   std::string* reason) {
    const auto wanted = static_cast<int64_t>(bytes);
    const bool check_is_due = context_.node.heap.check_is_due(bytes);
    const node::NodeHeap::Range range = wanted <= free_heap(context_.node.heap)
                                            ? take_from_heap(function, bytes)
                                            : node::NodeHeap::Range{};
    if (range.data == nullptr) {
        *reason = explain_full_heap(context_, wanted);
        return range;
    }
    if (!check_is_due) {
        return range;
    }
    // This is done only now, so that each node that shares a host's memory sees what the others
    // have taken.
    Available available = look_at_memory(context_, range.bytes);
    if (wanted > available.bytes() && available.kept > 0) {
        context_.checking->release_freed(function);
        available = look_at_memory(context_, range.bytes);
    }
    if (wanted > available.bytes()) {
        *reason = available.explain();
        context_.node.heap.release(range.record);
        return {};
    }
    context_.node.heap.note_check(0);
    return range;
}

void GlobalMemory::publish(const char* function, ServerPart* part) {
    if (context_.progress.network() == nullptr) {
        return;
    }
    pipeline::RequestTask task(function, wire::FrameKind::add_segment,
                               wire::SegmentBody{part->begin, part->bytes},
                               pipeline::RequestTask::Answer::expected);
    context_.progress.run_task(task, part->server, {function, "a data server of this rank's node"});
    part->registered = task.segment().registered != 0 ? 1 : 0;
    part->remote_base = task.segment().remote_base;
    part->key = task.segment().key;
}

void GlobalMemory::withdraw(const char* function, const ServerPart& part) {
    if (context_.progress.network() == nullptr) {
        return;
    }
    pipeline::RequestTask task(function, wire::FrameKind::remove_segment,
                               wire::SegmentBody{part.begin, part.bytes},
                               pipeline::RequestTask::Answer::expected);
    context_.progress.run_task(task, part.server, {function, "a data server of this rank's node"});
    if (task.value() == 0) {
        base::fatal(function, "%s does not know the segment at 0x%" PRIx64,
                    context_.progress.network()->servers.name_of(part.server).c_str(), part.begin);
    }
}

void GlobalMemory::log_shortage(const char* function, int64_t bytes, const std::string& reason) {
    base::log(base::LogLevel::error,
              "%s: %" PRId64 " bytes of global memory were asked for on %s: %s", function, bytes,
              describe_node(context_.progress.world()).c_str(), reason.c_str());
}

// Sets the segment's heap records.
NodeReport GlobalMemory::allocate_part(const char* function, int64_t bytes, int64_t tables_bytes,
                                       Segment* segment) {
    NodeReport report;
    node::NodeHeap::Range tables;
    if (tables_bytes > 0) {
        tables = take_from_heap(function, static_cast<size_t>(tables_bytes));
        if (tables.data == nullptr) {
            log_shortage(function, bytes, explain_full_heap(context_, bytes));
            report.outcome = Outcome::failed;
            return report;
        }
    }
    node::NodeHeap::Range data;
    if (bytes > 0) {
        std::string reason;
        data = take_available(function, static_cast<size_t>(bytes), &reason);
        if (data.data == nullptr) {
            if (tables.data != nullptr) {
                context_.node.heap.release(tables.record);
            }
            log_shortage(function, bytes, reason);
            report.outcome = Outcome::failed;
            return report;
        }
    }
    report.tables = reinterpret_cast<uint64_t>(tables.data);
    segment->tables_record = tables.record;
    if (bytes > 0) {
        report.part.node = context_.progress.world().node;
        report.part.server = my_server();
        report.part.begin = reinterpret_cast<uint64_t>(data.data);
        report.part.bytes = static_cast<uint64_t>(bytes);
        publish(function, &report.part);
        segment->data_record = data.record;
        report.outcome = Outcome::allocated;
    }
    return report;
}

void GlobalMemory::release_part(const char* function, const Segment& segment,
                                const ServerPart* part) {
    if (segment.data_record != 0) {
        withdraw(function, *part);
        // Neither the library's own memory nor an allocation that failed on some node is poisoned.
        const bool is_poisoned = !segment.is_internal && segment.tables != nullptr &&
                                 context_.checking->poison_freed(segment, *part);
        context_.node.heap.release(segment.data_record, is_poisoned
                                                            ? node::NodeHeap::Pages::keep
                                                            : node::NodeHeap::Pages::release);
    }
    if (segment.tables_record != 0) {
        context_.node.heap.release(segment.tables_record);
    }
}

bool GlobalMemory::exceeds_limit(const char* function, int64_t bytes) const {
    const uint64_t limit = memory_limit();
    if (limit == 0 || allocated_bytes_ + static_cast<uint64_t>(bytes) <= limit) {
        return false;
    }
    base::log(base::LogLevel::error,
              "%s: %" PRId64 " bytes of global memory were asked for on top of %" PRIu64
              ", and the limit for a process is %" PRIu64
              "; raise it (ARMCI_SHM_LIMIT, ARMCI_Set_shm_limit)",
              function, bytes, allocated_bytes_, limit);
    return true;
}

std::optional<std::vector<int64_t>> GlobalMemory::exchange_wishes(const char* function,
                                                                  int64_t bytes, Segment* segment) {
    const Group& group = *segment->group;
    Wish wish{exceeds_limit(function, bytes) ? -1 : bytes, 0};
    if (group.rank() == 0) {
        wish.segment_id = static_cast<uint64_t>(context_.progress.world().rank)
                              << kCollectiveCountBits |
                          next_segment_number_++;
    }
    std::vector<Wish> wishes(group.size());
    all_gather(context_.messages, group, wish, wishes.data());
    segment->id = wishes[0].segment_id;
    std::vector<int64_t> slice_bytes(group.size());
    std::transform(wishes.begin(), wishes.end(), slice_bytes.begin(),
                   [](const Wish& other) { return other.bytes; });
    if (std::any_of(slice_bytes.begin(), slice_bytes.end(), [](int64_t b) { return b < 0; })) {
        return std::nullopt;
    }
    return slice_bytes;
}

std::optional<std::vector<NodeReport>> GlobalMemory::allocate_parts(const char* function,
                                                                    const AllocationPlan& plan,
                                                                    Segment* segment) {
    const Group& group = *segment->group;
    const AllocationPlan::Part& my_part = plan.part_with(group.rank());
    NodeReport mine;
    if (my_part.first_member == group.rank() && plan.overflow) {
        base::log(base::LogLevel::error,
                  "%s: the sizes of the ranks of a node add up to more than "
                  "64 bits",
                  function);
        mine.outcome = Outcome::failed;
    } else if (my_part.first_member == group.rank()) {
        const bool makes_tables = plan.first_on_node_of(group.rank()) == group.rank();
        const size_t tables_bytes =
            makes_tables ? SegmentTables::bytes(group.size(), static_cast<int>(plan.parts.size()))
                         : 0;
        mine = allocate_part(function, my_part.bytes, static_cast<int64_t>(tables_bytes), segment);
    }
    std::vector<NodeReport> reports(group.size());
    all_gather(context_.messages, group, mine, reports.data());
    const bool failed = std::any_of(reports.begin(), reports.end(), [](const NodeReport& report) {
        return report.outcome == Outcome::failed;
    });
    if (failed) {
        release_part(function, *segment, &mine.part);
        return std::nullopt;
    }
    return reports;
}

bool GlobalMemory::allocate(const char* function, const GroupRef& group, int64_t bytes,
                            void** base_pointers, Segment** segment_out) {
    std::fill(base_pointers, base_pointers + group->size(), nullptr);
    if (segment_out != nullptr) {
        *segment_out = nullptr;
    }
    auto segment = std::make_unique<Segment>();
    segment->group = group;
    std::optional<std::vector<int64_t>> wanted = exchange_wishes(function, bytes, segment.get());
    if (!wanted.has_value()) {
        return false;
    }
    if (std::all_of(wanted->begin(), wanted->end(), [](int64_t b) { return b == 0; })) {
        return true;
    }
    const AllocationPlan plan = make_plan(context_.progress, *group, std::move(*wanted));
    const std::optional<std::vector<NodeReport>> reports =
        allocate_parts(function, plan, segment.get());
    if (!reports.has_value()) {
        return false;
    }
    use_tables(plan, *reports, segment.get());
    set_base_pointers(plan, *reports, base_pointers);
    if (context_.progress.config().debug_alloc && bytes > 0) {
        std::memset(base_pointers[group->rank()], 0, static_cast<size_t>(bytes));
    }
    // Now the tables are complete on every node and the memory is usable from everywhere.
    context_.barriers.wait_for_group(*group);
    allocated_bytes_ += static_cast<uint64_t>(bytes);
    Segment* added = context_.segments.add(std::move(segment));
    if (segment_out != nullptr) {
        *segment_out = added;
    }
    return true;
}

void GlobalMemory::free_segment(Segment* segment) {
    const GroupRef group = segment->group;
    const int my_rank = group->rank();
    allocated_bytes_ -= segment->slice(my_rank).bytes;
    const ServerPart* part = segment->part(my_server());
    const ServerPart my_part = part != nullptr ? *part : ServerPart{};
    context_.checking->remember_freed(*segment);
    const std::unique_ptr<Segment> removed = context_.segments.remove(segment);
    // After this no rank looks into the tables any more, and all have fenced before.
    context_.barriers.wait_for_group(*group);
    release_part("ARMCI_Free", *removed, &my_part);
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
    uint64_t id = mine != nullptr ? mine->id : 0;
    const uint64_t my_id = id;
    if (group->size() > 1) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Iallreduce(MPI_IN_PLACE, &id, 1, MPI_UINT64_T, MPI_MAX, group->own_comm(), &request);
        context_.messages.complete(&request);
    }
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
