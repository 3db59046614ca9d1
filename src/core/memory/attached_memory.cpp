// SPDX-License-Identifier: BSD-3-Clause
#include "core/memory/attached_memory.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <iterator>
#include <vector>

#include "base/log.h"
#include "node/process_accumulate.h"
#include "pipeline/origin/request_task.h"

namespace armci::core {
namespace {

using Direction = node::ProcessMover::Direction;

uint64_t address_of(const void* memory) {
    return reinterpret_cast<uint64_t>(memory);
}

void check_access(const char* function, const node::Attachment& process,
                  const node::AccessFailure& failure) {
    if (failure.error == ESRCH) {
        base::await_verdict();  // the owner's process may have ended
    }
    if (failure.error != 0) {
        base::fatal(function, "attached memory at 0x%" PRIx64 " of rank %d cannot be accessed: %s",
                    failure.address, process.rank, node::explain(failure).c_str());
    }
}

}  // namespace

uint32_t KnownAttachments::find(int rank, uint64_t address, uint64_t bytes) const {
    const auto after = ranges_.upper_bound({rank, address});
    if (after == ranges_.begin()) {
        return wire::kGlobal;
    }
    const auto& [key, range] = *std::prev(after);
    const bool inside = key.first == rank && address < range.end && bytes <= range.end - address;
    return inside ? range.owner : wire::kGlobal;
}

// Known ranges that it overlaps are outdated.
void KnownAttachments::add(int rank, uint32_t owner, uint64_t begin, uint64_t end) {
    if (ranges_.size() >= kMax) {
        ranges_.clear();
    }
    auto place = ranges_.lower_bound({rank, begin});
    if (place != ranges_.begin()) {
        const auto before = std::prev(place);
        if (before->first.first == rank && before->second.end > begin) {
            ranges_.erase(before);
        }
    }
    while (place != ranges_.end() && place->first.first == rank && place->first.second < end) {
        place = ranges_.erase(place);
    }
    ranges_[{rank, begin}] = Range{end, owner};
}

void AttachedMemory::start() {
    directory_ = node::Attachments(&node_.heap.control().attachments);
}

void AttachedMemory::attach(const char* function, void* memory, size_t bytes) {
    const uint64_t begin = address_of(memory);
    const uint64_t heap_begin = address_of(node_.mapping.base);
    const uint64_t heap_end = heap_begin + node_.mapping.bytes;
    if (!node::is_attachable(begin, bytes, heap_begin, node_.mapping.bytes)) {
        base::fatal(function,
                    "arguments ptr = %p, bytes = %zu: %s; attach memory of the program's own",
                    memory, bytes,
                    begin < heap_end && begin + bytes > heap_begin
                        ? "the range overlaps the library's global memory, which needs no attaching"
                        : "no program has memory there");
    }
    if (progress_.world().node_ranks.size() > 1) {
        const std::string obstacle = node::allow_access_by_others();
        if (!obstacle.empty()) {
            base::fatal(function, "the other ranks of %s cannot access memory of this process: %s",
                        describe_node(progress_.world()).c_str(), obstacle.c_str());
        }
    }
    node::Attachment entry{};
    entry.begin = begin;
    entry.end = begin + bytes;
    entry.pid_namespace = node::own_pid_namespace();
    entry.pid = getpid();
    entry.rank = progress_.world().rank;
    entry.owner = static_cast<uint32_t>(progress_.world().rank_in_node);
    node::Attachment other{};
    switch (directory_.add(entry, &other)) {
        case node::Attachments::Added::yes:
            return;
        case node::Attachments::Added::overlaps:
            base::fatal(function,
                        "arguments ptr = %p, bytes = %zu: the range overlaps [0x%" PRIx64
                        ", 0x%" PRIx64
                        "), which is attached already; call ARMCIX_Detach for that "
                        "first",
                        memory, bytes, other.begin, other.end);
        case node::Attachments::Added::full:
            base::fatal(function,
                        "%u ranges are attached on %s, and no more can be; detach what is not in "
                        "use, or attach larger pieces",
                        node::AttachmentTable::kMax, describe_node(progress_.world()).c_str());
    }
}

void AttachedMemory::detach(const char* function, void* memory) {
    const auto owner = static_cast<uint32_t>(progress_.world().rank_in_node);
    if (!directory_.remove(owner, address_of(memory))) {
        base::fatal(function,
                    "argument ptr = %p: this rank has attached nothing that begins there; pass "
                    "what ARMCIX_Attach was called with, once",
                    memory);
    }
}

uint32_t AttachedMemory::ask_server(const char* function, int rank, uint64_t address,
                                    uint64_t bytes) {
    const NodeNumbers& node_of = progress_.world().node_of;
    const auto owner = static_cast<uint32_t>(node_of.rank_in_node(rank)) + 1;
    pipeline::RequestTask task(function, wire::FrameKind::find_attached,
                               wire::FindAttachedBody{address, bytes, owner},
                               pipeline::RequestTask::Answer::expected);
    progress_.run_task(task, progress_.network()->rank_servers.of(rank),
                       {function, "the attached memory of rank", rank});
    const wire::AttachedBody& range = task.attached();
    if (range.end == 0) {
        return wire::kGlobal;
    }
    known_.add(rank, owner, range.begin, range.end);
    return owner;
}

// Returns false when a rank of another node cannot have attached that range, because it is in the
// heap of its node, or no address of memory.
bool AttachedMemory::may_be_attached(int rank, uint64_t address, uint64_t bytes) const {
    const Network& network = *progress_.network();
    const int node = progress_.world().node_of[rank];
    const ServerRecord& record = network.record_of(network.servers.first_of(node));
    return node::is_attachable(address, bytes, record.heap_begin, record.heap_bytes);
}

// Returns the process of an owner that was found a moment ago.
node::Attachment AttachedMemory::process_of(const char* function, uint32_t owner) {
    const node::Attachment* any = directory_.any_of(owner - 1);
    if (any == nullptr) {
        base::fatal(function,
                    "rank %d has detached memory while it was accessed; let it wait for a message "
                    "or a barrier that follows the last fence",
                    progress_.world().node_ranks[owner - 1]);
    }
    return *any;
}

uint32_t AttachedMemory::find(const char* function, int rank, uint64_t address, int64_t bytes) {
    const auto range_bytes = static_cast<uint64_t>(bytes);
    if (progress_.world().on_my_node(rank)) {
        const std::vector<int32_t>& ranks = progress_.world().node_ranks;
        const auto number = std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin();
        const auto owner = static_cast<uint32_t>(number);
        return directory_.find(owner, address, range_bytes) != nullptr ? owner + 1 : wire::kGlobal;
    }
    const uint32_t known = known_.find(rank, address, range_bytes);
    if (known != wire::kGlobal || !may_be_attached(rank, address, range_bytes)) {
        return known;
    }
    return ask_server(function, rank, address, range_bytes);
}

void AttachedMemory::run(const pipeline::Transfer& transfer) {
    const node::Attachment process = process_of(transfer.function, transfer.place.owner);
    if (transfer.op == base::OpKind::acc) {
        node::ProcessAccumulator accumulator(node_.heap.stripes(), transfer.scale, process);
        transfer.sides.for_each_block([&](const char* local, char* remote, int64_t bytes) {
            accumulator.add(local, remote, bytes);
        });
        accumulator.finish();
        check_access(transfer.function, process, accumulator.failure());
        return;
    }
    node::ProcessMover mover(process, transfer.op == base::OpKind::put ? Direction::to_process
                                                                       : Direction::from_process);
    transfer.sides.for_each_block(
        [&](char* local, char* remote, int64_t bytes) { mover.add(local, remote, bytes); });
    mover.finish();
    check_access(transfer.function, process, mover.failure());
}

void AttachedMemory::store(const char* function, int* flag, int value, uint32_t owner) {
    const node::Attachment process = process_of(function, owner);
    std::atomic_thread_fence(std::memory_order_seq_cst);  // after all data
    node::ProcessMover mover(process, Direction::to_process);
    mover.add(&value, flag, sizeof value);
    mover.finish();
    check_access(function, process, mover.failure());
}

int64_t AttachedMemory::read_modify_write(const char* function, node::WordOperation operation,
                                          void* address, int64_t operand, uint32_t owner) {
    const node::Attachment process = process_of(function, owner);
    int64_t old = 0;
    node::AccessFailure failure;
    node::read_modify_write(node_.heap.stripes(), process, operation, address, operand, &old,
                            &failure);
    check_access(function, process, failure);
    return old;
}

}  // namespace armci::core
