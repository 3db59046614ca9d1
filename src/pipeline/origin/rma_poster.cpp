// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/rma_poster.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/trace.h"

namespace armci::pipeline {

void RmaPoster::open(fabric::Domain& domain, const OriginOptions& options, bool ordered_writes) {
    domain_ = &domain;
    registrations_ = options.registrations;
    ordered_writes_ = ordered_writes;
    writes_copies_ = ordered_writes && domain.delivers_writes();
}

RmaPoster::RmaOperation* RmaPoster::new_operation(Channel& channel, Task* task) {
    const uint32_t slot = operations_.take();
    RmaOperation& rma = operations_[slot];
    rma.operation.complete = on_complete;
    rma.operation.peer = channel.node;
    rma.poster = this;
    rma.slot = slot;
    rma.channel = &channel;
    rma.task = task;
    rma.is_delivered_write = false;
    rma.copied_blocks = 0;
    return &rma;
}

void RmaPoster::drop(RmaOperation* rma) {
    if (rma->bounce != nullptr) {
        buffers_.release(rma->bounce);
        rma->bounce = nullptr;
    }
    operations_.release(rma->slot);
}

void RmaPoster::on_complete(fabric::Operation* operation, const fabric::Completion&) {
    auto* rma = reinterpret_cast<RmaOperation*>(operation);
    Task* task = rma->task;
    rma->channel->is_reached = true;
    if (rma->is_delivered_write) {
        --rma->channel->writes_in_flight;
    }
    rma->channel->reads_in_flight -= operation->kind == fabric::OperationKind::read ? 1 : 0;
    if (task == nullptr) {
        rma->poster->drop(rma);
        return;
    }
    if (rma->is_delivered_write) {
        --task->writes_in_flight();
    }
    if (rma->copied_blocks > 0) {
        rma->poster->note_copy(*rma, rma->poster->copy_in(*rma));
    }
    rma->poster->drop(rma);
    task->remove_pending();
    rma->poster->tasks_.finish_if_complete(task);
}

void RmaPoster::trace(RmaOperation* rma, const fabric::RmaBlock* blocks, size_t block_count) {
    rma->posted_ns = base::now_ns();
    rma->bytes = 0;
    for (size_t i = 0; i < block_count; ++i) {
        rma->bytes += static_cast<int64_t>(blocks[i].bytes);
    }
    rma->operation.complete = on_traced_complete;
}

void RmaPoster::on_traced_complete(fabric::Operation* operation,
                                   const fabric::Completion& completion) {
    auto* rma = reinterpret_cast<RmaOperation*>(operation);
    OriginCounters& counters = rma->poster->counters_;
    const int64_t bytes = rma->bytes;
    base::record({.kind = &base::kTraceRma,
                  .name = fabric::name_of(operation->kind),
                  .begin_ns = rma->posted_ns,
                  .end_ns = base::now_ns(),
                  .bytes = bytes,
                  .node = operation->peer});
    on_complete(operation, completion);
    counters.change_under_way(-bytes);
}

int64_t RmaPoster::copy_out(const RmaOperation& rma, const fabric::RmaBlock* blocks,
                            size_t block_count) const {
    const int64_t began_ns = registrations_.is_timed(rma.bounced_bytes) ? base::now_ns() : 0;
    char* place = rma.bounce;
    for (size_t i = 0; i < block_count; ++i) {
        std::memcpy(place, blocks[i].local, blocks[i].bytes);
        place += blocks[i].bytes;
    }
    return began_ns != 0 ? base::now_ns() - began_ns : 0;
}

int64_t RmaPoster::copy_in(const RmaOperation& rma) const {
    const int64_t began_ns = registrations_.is_timed(rma.bounced_bytes) ? base::now_ns() : 0;
    const char* arrived = rma.bounce;
    for (size_t i = 0; i < rma.copied_blocks; ++i) {
        std::memcpy(rma.blocks[i].local, arrived, rma.blocks[i].bytes);
        arrived += rma.blocks[i].bytes;
    }
    return began_ns != 0 ? base::now_ns() - began_ns : 0;
}

void RmaPoster::note_copy(const RmaOperation& rma, int64_t ns) {
    if (registrations_.is_timed(rma.bounced_bytes)) {
        registrations_.note_copy(rma.bounced_bytes, 1e-3 * static_cast<double>(ns));
    }
}

LocalRegistration RmaPoster::register_local(const strided::AddressRange& memory,
                                            fabric::Access access, int64_t transfer_bytes) {
    const bool is_timed = registrations_.is_timed(transfer_bytes);
    const int64_t began_ns = is_timed ? base::now_ns() : 0;
    // Ordered writes take the first rail.
    const bool is_ordered_write = ordered_writes_ && access == fabric::Access::local_source;
    fabric::Region region =
        try_register(reinterpret_cast<void*>(memory.begin), memory.bytes, access,
                     is_ordered_write ? endpoint_.on_first_rail() : endpoint_.on_rails());
    if (!is_timed || !region.valid()) {
        return LocalRegistration(std::move(region));
    }
    return {std::move(region), registrations_, transfer_bytes, base::now_ns() - began_ns};
}

fabric::Region RmaPoster::try_register(void* start, size_t bytes, fabric::Access access,
                                       fabric::Targets targets) {
    // A limit does not go away, but a single piece of memory may be refused for a reason of its
    // own.
    constexpr int kMaxRefusals = 8;
    std::string error;
    fabric::Region region = domain_->register_memory(start, bytes, access, targets, &error);
    if (region.valid()) {
        refused_registrations_ = 0;
        return region;
    }
    if (++refused_registrations_ >= kMaxRefusals) {
        registrations_.stop();
    }
    base::log(
        registration_warned_ ? base::LogLevel::debug : base::LogLevel::warn,
        "%zu bytes of local memory cannot be registered with the network (%s); such transfers "
        "are copied through the library's buffers. If that is the limit on locked memory, "
        "raise it (ulimit -l) for full speed",
        bytes, error.c_str());
    registration_warned_ = true;
    return region;
}

// Lays out the blocks one behind the other in a buffer. Returns false when no buffer is free now.
bool RmaPoster::lay_out_bounce(RmaOperation* rma, const fabric::RmaBlock* blocks,
                               size_t block_count, fabric::RmaBlock* bounced) {
    size_t bytes = 0;
    for (size_t i = 0; i < block_count; ++i) {
        bytes += blocks[i].bytes;
    }
    rma->bounced_bytes = static_cast<int64_t>(bytes);
    rma->bounce = static_cast<char*>(buffers_.acquire(bytes));
    if (rma->bounce == nullptr) {
        return false;
    }
    char* place = rma->bounce;
    for (size_t i = 0; i < block_count; ++i) {
        bounced[i] = {place, blocks[i].bytes, blocks[i].remote};
        place += blocks[i].bytes;
    }
    return true;
}

bool RmaPoster::write(Channel& channel, Task* task, const fabric::RmaBlock* blocks,
                      size_t block_count, const fabric::Region& local) {
    RmaOperation* rma = new_operation(channel, task);
    rma->is_delivered_write = !ordered_writes_;
    int64_t copy_ns = 0;
    fabric::RmaBlock bounced[fabric::kMaxRmaBlocks];
    fabric::Descriptors descriptors = local.descriptors();
    if (needs_bounce(local)) {
        if (!lay_out_bounce(rma, blocks, block_count, bounced)) {
            drop(rma);
            return false;
        }
        copy_ns = copy_out(*rma, blocks, block_count);
        blocks = bounced;
        descriptors = buffers_.descriptors(rma->bounce);
    }
    if (base::is_tracing()) [[unlikely]] {
        trace(rma, blocks, block_count);
    }
    const auto completion = ordered_writes_ ? fabric::Endpoint::WriteCompletion::local
                                            : fabric::Endpoint::WriteCompletion::delivered;
    if (!endpoint_.post_write(channel.peer, blocks, block_count, descriptors, completion,
                              &rma->operation)) {
        drop(rma);
        return false;
    }
    if (rma->bounce != nullptr) {
        note_copy(*rma, copy_ns);
    }
    if (ordered_writes_) {
        channel.write_mark = channel.flow.sent_frames + 1;
    } else {
        ++channel.writes_in_flight;
        ++task->writes_in_flight();
    }
    channels_.lists().dirty.add(channel);
    turn_.moved = true;
    task->add_pending();
    counters_.change_under_way(rma->bytes);
    return true;
}

bool RmaPoster::write_copy(Channel& channel, const fabric::RmaBlock& block) {
    assert(writes_copies_ && channel.writes_in_flight == 0 && channel.tasks.first == nullptr &&
           channel.batch == nullptr && !channel.mutations_pending());
    RmaOperation* rma = new_operation(channel, nullptr);
    rma->is_delivered_write = true;
    fabric::RmaBlock copy;
    if (!lay_out_bounce(rma, &block, 1, &copy)) {
        drop(rma);
        return false;
    }
    std::memcpy(copy.local, block.local, block.bytes);
    if (base::is_tracing()) [[unlikely]] {
        trace(rma, &copy, 1);
    }
    if (!endpoint_.post_write(channel.peer, &copy, 1, buffers_.descriptors(rma->bounce),
                              fabric::Endpoint::WriteCompletion::delivered, &rma->operation)) {
        drop(rma);
        return false;
    }
    ++channel.last_copy;
    ++channel.writes_in_flight;
    channels_.lists().dirty.add(channel);
    turn_.moved = true;
    counters_.change_under_way(rma->bytes);
    return true;
}

bool RmaPoster::read(Channel& channel, Task* task, const fabric::RmaBlock* blocks,
                     size_t block_count, const fabric::Region& local) {
    RmaOperation* rma = new_operation(channel, task);
    fabric::RmaBlock bounced[fabric::kMaxRmaBlocks];
    fabric::Descriptors descriptors = local.descriptors();
    if (needs_bounce(local)) {
        if (!lay_out_bounce(rma, blocks, block_count, bounced)) {
            drop(rma);
            return false;
        }
        std::copy(blocks, blocks + block_count, rma->blocks);
        rma->copied_blocks = block_count;
        blocks = bounced;
        descriptors = buffers_.descriptors(rma->bounce);
    }
    if (base::is_tracing()) [[unlikely]] {
        trace(rma, blocks, block_count);
    }
    if (!endpoint_.post_read(channel.peer, blocks, block_count, descriptors, &rma->operation)) {
        drop(rma);
        return false;
    }
    ++channel.reads_in_flight;
    turn_.moved = true;
    task->add_pending();
    counters_.change_under_way(rma->bytes);
    return true;
}

}  // namespace armci::pipeline
