// SPDX-License-Identifier: BSD-3-Clause
// Checking mode: local buffers of non-blocking operations, and writes of several ranks to the same
// bytes.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "armci/armci.h"
#include "base/log.h"
#include "check/checks.h"

namespace armci::check {

using base::OpKind;
using check::Bytes;
using check::PendingBuffer;
using check::Write;
using pipeline::Transfer;

void Checks::before_transfer(const Transfer& transfer) {
    ++counts_.transfers;
    check_local_side(transfer);
    check_freed_global(transfer);
    check_overlap(transfer);
    check_destination(transfer);
    log_write(transfer);
}

// The library allows it, and any of the values may stay. So it is a warning in any case.
void Checks::check_destination(const Transfer& transfer) {
    if (transfer.op == OpKind::acc) {
        return;
    }
    const bool is_get = transfer.op == OpKind::get;
    int64_t work = check::kMaxWork;
    const Bytes repeated =
        check::repeated_bytes(transfer, is_get ? check::Side::local : check::Side::remote, &work);
    counts_.destinations_left_out += work < 0 ? 1 : 0;
    if (repeated.is_empty()) {
        return;
    }
    const int rank = is_get ? runtime_.world.rank : transfer.target;
    report(Finding::write, Severity::warning, transfer.function,
           "blocks of the destination overlap: %" PRIu64 " bytes at 0x%" PRIx64
           " of rank %d are written more than once, and any of the values may stay; let strides "
           "be at least as long as what they step over, and list no segment twice",
           repeated.end - repeated.begin, repeated.begin, rank);
}

void Checks::check_handle(const char* function, const armci_hdl_s& handle) {
    if (!core::Handles::may_be_handle(handle)) {
        report(Finding::call, Severity::error, function,
               "argument hdl: the words %d and %d were never a handle; call ARMCI_INIT_HANDLE "
               "before the handle is used for the first time",
               handle.target, handle.aggregate);
    }
}

void Checks::check_local_side(const Transfer& transfer) {
    if (freed_local_.empty()) {
        return;
    }
    const Bytes extent = check::local_extent(transfer);
    std::vector<check::Row> rows;
    int64_t work = check::kMaxWork;
    // Freed ranges do not overlap, so none before one that ends before the extent reaches into it.
    for (auto next = freed_local_.lower_bound(extent.end); next != freed_local_.begin();) {
        const auto& [begin, freed] = *--next;
        if (begin + freed.bytes <= extent.begin) {
            return;
        }
        if (rows.empty()) {
            rows = check::local_rows(transfer);
        }
        const check::Row block = check::make_row(begin, static_cast<int64_t>(freed.bytes), 0, 1);
        const Bytes common = check::common_bytes(rows, {block}, &work);
        if (!common.is_empty()) {
            report(Finding::memory, Severity::error, transfer.function,
                   "the local buffer, %" PRId64 " bytes at 0x%" PRIx64
                   ", is in memory that was freed: %zu bytes at 0x%" PRIx64
                   " from ARMCI_Malloc_local. Free it after its last use",
                   transfer.total_bytes, extent.begin, freed.bytes, begin);
            return;
        }
        if (work < 0) {
            ++counts_.buffers_left_out;
            return;
        }
    }
}

std::optional<node::FreedRange> Checks::find_freed(const std::vector<check::Row>& rows) {
    const Bytes extent = check::extent_of(rows);
    int64_t work = check::kMaxWork;
    for (const node::FreedRange& freed : freed_ranges_.find(extent.begin, extent.end)) {
        const check::Row block =
            check::make_row(freed.begin, static_cast<int64_t>(freed.end - freed.begin), 0, 1);
        if (!check::common_bytes(rows, {block}, &work).is_empty()) {
            return freed;
        }
        if (work < 0) {
            ++counts_.buffers_left_out;
            break;
        }
    }
    return std::nullopt;
}

// What this rank knows to be freed on the remote side has been refused before. No other rank learns
// that the owner has freed memory of ARMCI_Memget.
void Checks::check_freed_global(const Transfer& transfer) {
    if (freed_ranges_.bytes() == 0) {
        return;
    }
    const auto heap_begin = reinterpret_cast<uint64_t>(runtime_.node.mapping.base);
    const Bytes heap{heap_begin, heap_begin + runtime_.node.mapping.bytes};
    if (check::local_extent(transfer).overlaps(heap)) {
        if (const auto freed = find_freed(check::local_rows(transfer))) {
            report(Finding::memory, Severity::error, transfer.function,
                   "the local buffer, %" PRId64 " bytes at 0x%" PRIx64
                   ", is in memory that was freed: rank %d's %" PRIu64
                   " bytes in allocation %s. Free it after its last use",
                   transfer.total_bytes, check::local_extent(transfer).begin, freed->rank,
                   freed->slice_bytes, core::name_of_allocation(freed->allocation).c_str());
        }
    }
    if (!runtime_.world.on_my_node(transfer.target)) {
        return;
    }
    std::vector<check::Row> rows = check::remote_rows(transfer);
    std::erase_if(rows, [&](const check::Row& row) {
        const core::Segment* segment =
            runtime_.segments.find(transfer.target, row.begin, row.block_bytes).segment;
        return segment == nullptr || !segment->is_dynamic();
    });
    if (rows.empty()) {
        return;
    }
    if (const auto freed = find_freed(rows)) {
        report(Finding::memory, Severity::error, transfer.function,
               "the remote memory, %" PRId64 " bytes at 0x%" PRIx64
               " of rank %d, was freed: its %" PRIu64
               " bytes in allocation %s. Free memory after the last access of any rank",
               transfer.total_bytes, rows[0].begin, freed->rank, freed->slice_bytes,
               core::name_of_allocation(freed->allocation).c_str());
    }
}

void Checks::check_overlap(const Transfer& transfer) {
    Bytes bytes;
    int64_t work = check::kMaxWork;
    const PendingBuffer* pending = buffers_.find_overlapping(transfer, &bytes, &work);
    counts_.buffers_left_out += work < 0 ? 1 : 0;
    if (pending != nullptr) {
        report(Finding::buffer, Severity::error, transfer.function,
               "the local buffer shares %" PRIu64 " bytes at 0x%" PRIx64
               " with that of a pending %s %s rank %d; wait for that one first",
               bytes.end - bytes.begin, bytes.begin, pending->function,
               pending->op == OpKind::get ? "from" : "to", pending->target);
    }
}

// A single word may be a flag. A rank that waits for it knows what was written before, and may
// write it next.
void Checks::log_write(const Transfer& transfer) {
    const int64_t now_ns = base::now_ns();
    if (transfer.op == OpKind::get ||
        transfer.total_bytes <= static_cast<int64_t>(sizeof(uint64_t))) {
        writes_.close(transfer.target, now_ns);
        return;
    }
    Write write;
    write.began_ns = now_ns;
    write.host = host_;
    write.origin = runtime_.world.rank;
    write.adds = transfer.op == OpKind::acc;
    std::snprintf(write.function, sizeof write.function, "%s", transfer.function);
    for (const check::Row& row : check::remote_rows(transfer)) {
        write.place = row;
        writes_.add(transfer.target, write);
    }
}

// A get between two places of the same memory may read what it writes.
bool Checks::must_run_at_once(const Transfer& transfer) const {
    if (!runtime_.world.on_my_node(transfer.target)) {
        return false;
    }
    return check::local_extent(transfer).overlaps(check::extent_of(check::remote_rows(transfer)));
}

void Checks::start_nonblocking(Transfer&& transfer, armci_hdl_s* handle) {
    if (handle != nullptr) {
        check_handle(transfer.function, *handle);
    }
    before_transfer(transfer);
    if (!buffers_.has_room(check::row_count(transfer))) {
        ++counts_.buffers_left_out;
        runtime_.transfers.carry_out_nonblocking(std::move(transfer), handle);
        return;
    }
    ++counts_.buffers;
    PendingBuffer pending;
    pending.rows = check::local_rows(transfer);
    pending.function = transfer.function;
    pending.op = transfer.op;
    pending.target = transfer.target;
    pending.extent = check::extent_of(pending.rows);
    // The handle stays active until the program waits, so that it names all that is followed.
    if (handle != nullptr) {
        pending.slot = runtime_.handles.begin(handle);
    }
    if (transfer.op != OpKind::get) {
        pending.checksum = check::checksum(pending.rows);
    } else if (!must_run_at_once(transfer)) {
        check::poison_rows(pending.rows);
        transfer.sides.own();
        pending.is_held_back = true;
        pending.transfer = std::move(transfer);
        buffers_.add(std::move(pending));
        return;
    }
    // This is done before it is started, which may let in other threads that fill the room.
    buffers_.add(std::move(pending));
    runtime_.transfers.carry_out_nonblocking(std::move(transfer), handle);
}

void Checks::complete(std::vector<PendingBuffer> pending) {
    const uint64_t first = last_taken_ + 1;
    for (const PendingBuffer& one : pending) {
        completing_.emplace(++last_taken_, one.target);
    }
    uint64_t number = first;
    for (PendingBuffer& one : pending) {
        const void* at = nullptr;
        if (!one.is_untouched(&at)) {
            report(
                Finding::buffer, Severity::error, one.function,
                "the local buffer of this operation %s rank %d was written at or after %p before "
                "it was waited for; leave it alone until ARMCI_Wait",
                one.op == OpKind::get ? "from" : "to", one.target, at);
        }
        if (one.is_held_back) {
            runtime_.transfers.carry_out(std::move(one.transfer));
        }
        if (one.slot != PendingBuffer::kNoSlot) {
            runtime_.handles.end(one.slot);
        }
        completing_.erase(number++);
    }
}

void Checks::wait_for_other_threads(int target) {
    // Others may take out more while this waits.
    const uint64_t last = last_taken_;
    const auto is_awaited = [&](const auto& one) {
        return one.first <= last && (target == kEveryTarget || one.second == target);
    };
    runtime_.progress.wait_until({nullptr, "operations that another thread completes"}, [&] {
        return std::none_of(completing_.begin(), completing_.end(), is_awaited);
    });
}

namespace {

bool is_on(const Runtime& runtime, const PendingBuffer& pending, const armci_hdl_s& handle) {
    return pending.slot != PendingBuffer::kNoSlot && runtime.handles.is_active(handle) &&
           pending.slot == static_cast<uint32_t>(handle.target);
}

}  // namespace

void Checks::wait_for_handle(const char* function, const armci_hdl_s& handle) {
    check_handle(function, handle);
    complete(buffers_.take(
        [&](const PendingBuffer& pending) { return is_on(runtime_, pending, handle); }));
}

bool Checks::has_completed(const armci_hdl_s& handle) const {
    return runtime_.handles.pending_on(handle) == buffers_.count([&](const PendingBuffer& pending) {
        return is_on(runtime_, pending, handle);
    });
}

void Checks::wait_for_target(int target) {
    complete(buffers_.take([&](const PendingBuffer& pending) { return pending.target == target; }));
    wait_for_other_threads(target);
}

void Checks::wait_for_all() {
    complete(buffers_.take([](const PendingBuffer&) { return true; }));
    wait_for_other_threads(kEveryTarget);
}

namespace {

// Only a wait for its handle ends a get that has one.
bool is_ended_by_fences(const PendingBuffer& pending) {
    return pending.op != OpKind::get || pending.slot == PendingBuffer::kNoSlot;
}

}  // namespace

void Checks::fence(int target) {
    complete(buffers_.take([&](const PendingBuffer& pending) {
        return pending.target == target && is_ended_by_fences(pending);
    }));
    wait_for_other_threads(target);
    close_writes(target);
}

void Checks::fence_all() {
    complete_fenced();
    writes_.close_all(base::now_ns());
}

void Checks::fence_before_meeting(const char* function, const Group& group) {
    if (group.is_world()) {
        complete_fenced();
        compare_writes(function, Fenced::yes);
    } else {
        fence_all();
    }
}

void Checks::before_barrier(const char* function, const Group& group) {
    meet(function, group, Collective::barrier, 0);
    if (group.is_world()) {
        compare_writes(function, Fenced::no);
    }
}

void Checks::complete_fenced() {
    complete(buffers_.take(is_ended_by_fences));
    wait_for_other_threads(kEveryTarget);
}

void Checks::close_writes(int target) {
    writes_.close(target, base::now_ns());
}

std::string Checks::describe_bytes(int rank, const Bytes& bytes) const {
    const auto count = static_cast<int64_t>(bytes.end - bytes.begin);
    char text[160];
    const core::Segments::Found found = runtime_.segments.find(rank, bytes.begin, count);
    if (found.segment == nullptr) {
        std::snprintf(text, sizeof text, "%" PRId64 " bytes at 0x%" PRIx64 " of rank %d", count,
                      bytes.begin, rank);
        return text;
    }
    const Slice& slice = found.segment->slice(found.segment->group->group_rank(rank));
    const uint64_t first = bytes.begin - slice.base;
    std::snprintf(text, sizeof text,
                  "bytes %" PRIu64 " to %" PRIu64 " of rank %d's %" PRIu64 " in allocation %s",
                  first, first + static_cast<uint64_t>(count) - 1, rank, slice.bytes,
                  core::name_of_allocation(found.segment->id).c_str());
    return text;
}

void Checks::compare_writes(const char* function, Fenced fenced) {
    const core::World& world = runtime_.world;
    const auto size = static_cast<size_t>(world.size);
    // What other threads write while this rank waits here belongs to the next comparison.
    std::vector<Write> mine;
    std::vector<int> sent(size);
    writes_.for_each(world.size, [&](int target, const Write& write) {
        ++sent[static_cast<size_t>(target)];
        mine.push_back(write);
    });
    writes_.forget(fenced == Fenced::yes ? check::WriteLog::Keep::nothing
                                         : check::WriteLog::Keep::open_ones);
    const auto wait = [&](MPI_Request* request) { runtime_.messages.complete(request); };
    MPI_Request request = MPI_REQUEST_NULL;
    auto total = static_cast<int64_t>(mine.size());
    MPI_Iallreduce(MPI_IN_PLACE, &total, 1, MPI_INT64_T, MPI_SUM, world.comm, &request);
    wait(&request);
    if (total == 0) {
        return;
    }
    // Each rank receives what was written to its memory.
    std::vector<int> received(size);
    MPI_Ialltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, world.comm, &request);
    wait(&request);
    // What one rank writes to another is limited, so the sums are small.
    std::vector<int> sent_from(size);
    std::vector<int> received_at(size);
    int received_count = received[0];
    for (size_t i = 1; i < size; ++i) {
        sent_from[i] = sent_from[i - 1] + sent[i - 1];
        received_at[i] = received_at[i - 1] + received[i - 1];
        received_count += received[i];
    }
    std::vector<Write> writes(static_cast<size_t>(received_count));
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(sizeof(Write), MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Ialltoallv(mine.data(), sent.data(), sent_from.data(), type, writes.data(), received.data(),
                   received_at.data(), type, world.comm, &request);
    wait(&request);
    MPI_Type_free(&type);

    const check::Conflicts conflicts = check::find_conflicts(std::move(writes));
    counts_.comparisons_cut += conflicts.too_many ? 1 : 0;
    counts_.writes_left_out += writes_.take_left_out();
    for (const check::Conflict& conflict : conflicts.found) {
        report(
            Finding::write, Severity::error, function,
            "rank %d by %s and rank %d by %s have written %s, and nothing orders the one behind "
            "the other; let a fence and then a barrier, a message or a mutex stand between them, "
            "or use accumulates",
            conflict.first.origin, conflict.first.function, conflict.second.origin,
            conflict.second.function, describe_bytes(world.rank, conflict.bytes).c_str());
    }
}

}  // namespace armci::check
