// The origin's remote memory access, direct or through a buffer.
#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "base/trace.h"
#include "pipeline/origin.h"

namespace armci::pipeline {

Origin::RmaOperation* Origin::new_rma_operation(Channel& channel, Task* task) {
    RmaOperation* operation = nullptr;
    if (spare_rma_operations_.empty()) {
        rma_operations_.push_back(std::make_unique<RmaOperation>());
        operation = rma_operations_.back().get();
        operation->operation.complete = on_rma;
        operation->origin = this;
    } else {
        operation = spare_rma_operations_.back();
        spare_rma_operations_.pop_back();
    }
    operation->task = task;
    operation->operation.peer = channel.node;
    operation->is_delivered_write = false;
    operation->copied_runs = 0;
    return operation;
}

void Origin::drop(RmaOperation* rma) {
    if (rma->bounce != nullptr) {
        buffers_.release(rma->bounce);
        rma->bounce = nullptr;
    }
    spare_rma_operations_.push_back(rma);
}

void Origin::on_rma(fabric::Operation* operation, const fabric::Completion&) {
    auto* rma = reinterpret_cast<RmaOperation*>(operation);
    Task* task = rma->task;
    task->channel_->is_reached = true;
    if (rma->is_delivered_write) {
        --task->channel_->writes_in_flight;
        --task->writes_in_flight_;
    }
    const char* arrived = rma->bounce;
    for (size_t i = 0; i < rma->copied_runs; ++i) {
        std::memcpy(rma->runs[i].local, arrived, rma->runs[i].bytes);
        arrived += rma->runs[i].bytes;
    }
    rma->origin->drop(rma);
    task->remove_pending();
    rma->origin->finish_if_complete(task);
}

void Origin::trace(RmaOperation* rma, const fabric::RmaRun* runs, size_t run_count) {
    rma->posted_ns = base::now_ns();
    rma->bytes = 0;
    for (size_t i = 0; i < run_count; ++i) {
        rma->bytes += static_cast<int64_t>(runs[i].bytes);
    }
    rma->operation.complete = on_traced_rma;
}

void Origin::on_traced_rma(fabric::Operation* operation, const fabric::Completion& completion) {
    auto* rma = reinterpret_cast<RmaOperation*>(operation);
    base::record({.kind = &base::kTraceRma,
                  .name = operation->what,
                  .begin_ns = rma->posted_ns,
                  .end_ns = base::now_ns(),
                  .bytes = rma->bytes,
                  .node = operation->peer});
    on_rma(operation, completion);
}

fabric::Region Origin::register_local(void* start, size_t bytes, fabric::Access access) {
    // A limit stays where it is; a single piece of memory may have troubles of its own.
    constexpr int kMostRefusals = 8;
    std::string error;
    fabric::Region region = domain_->register_memory(start, bytes, access, &endpoint_, &error);
    if (region.valid()) {
        refused_registrations_ = 0;
        return region;
    }
    registration_refused_ = ++refused_registrations_ >= kMostRefusals;
    base::log(
        registration_warned_ ? base::LogLevel::debug : base::LogLevel::warn,
        "%zu bytes of local memory cannot be registered with the network (%s); such transfers "
        "are copied through the library's buffers. If that is the limit on locked memory, "
        "raise it (ulimit -l) for full speed",
        bytes, error.c_str());
    registration_warned_ = true;
    return region;
}

// The runs one after the other in a buffer; false when there is none now.
bool Origin::lay_out_bounce(RmaOperation* rma, const fabric::RmaRun* runs, size_t run_count,
                            fabric::RmaRun* bounced) {
    size_t bytes = 0;
    for (size_t i = 0; i < run_count; ++i) {
        bytes += runs[i].bytes;
    }
    rma->bounce = static_cast<char*>(buffers_.acquire(bytes));
    if (rma->bounce == nullptr) {
        return false;
    }
    char* place = rma->bounce;
    for (size_t i = 0; i < run_count; ++i) {
        bounced[i] = {place, runs[i].bytes, runs[i].remote};
        place += runs[i].bytes;
    }
    return true;
}

bool Origin::write(Channel& channel, Task* task, const fabric::RmaRun* runs, size_t run_count,
                   const fabric::Region& local) {
    RmaOperation* rma = new_rma_operation(channel, task);
    rma->is_delivered_write = !ordering_.ordered_writes;
    fabric::RmaRun bounced[fabric::kMostRmaRuns];
    void* descriptor = local.descriptor();
    if (needs_bounce(local)) {
        if (!lay_out_bounce(rma, runs, run_count, bounced)) {
            drop(rma);
            return false;
        }
        for (size_t i = 0; i < run_count; ++i) {
            std::memcpy(bounced[i].local, runs[i].local, runs[i].bytes);
        }
        runs = bounced;
        descriptor = buffers_.descriptor();
    }
    if (base::is_tracing()) [[unlikely]] {
        trace(rma, runs, run_count);
    }
    const auto completion = ordering_.ordered_writes ? fabric::Endpoint::WriteCompletion::local
                                                     : fabric::Endpoint::WriteCompletion::delivered;
    if (!endpoint_.post_write(channel.peer, runs, run_count, descriptor, completion,
                              &rma->operation)) {
        drop(rma);
        return false;
    }
    if (ordering_.ordered_writes) {
        channel.write_mark = channel.sent_frames + 1;
    } else {
        ++channel.writes_in_flight;
        ++task->writes_in_flight_;
    }
    mark_dirty(channel);
    moved_ = true;
    task->add_pending();
    return true;
}

bool Origin::read(Channel& channel, Task* task, const fabric::RmaRun* runs, size_t run_count,
                  const fabric::Region& local) {
    RmaOperation* rma = new_rma_operation(channel, task);
    fabric::RmaRun bounced[fabric::kMostRmaRuns];
    void* descriptor = local.descriptor();
    if (needs_bounce(local)) {
        if (!lay_out_bounce(rma, runs, run_count, bounced)) {
            drop(rma);
            return false;
        }
        std::copy(runs, runs + run_count, rma->runs);
        rma->copied_runs = run_count;
        runs = bounced;
        descriptor = buffers_.descriptor();
    }
    if (base::is_tracing()) [[unlikely]] {
        trace(rma, runs, run_count);
    }
    if (!endpoint_.post_read(channel.peer, runs, run_count, descriptor, &rma->operation)) {
        drop(rma);
        return false;
    }
    moved_ = true;
    task->add_pending();
    return true;
}

}  // namespace armci::pipeline
