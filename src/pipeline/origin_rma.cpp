// The origin's remote memory access, direct or through a buffer.
#include <cstring>

#include "base/log.h"
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
    operation->copy_to = nullptr;
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
    if (rma->is_delivered_write) {
        --task->channel_->writes_in_flight;
    }
    if (rma->copy_to != nullptr) {
        std::memcpy(rma->copy_to, rma->bounce, rma->bytes);
    }
    rma->origin->drop(rma);
    task->remove_pending();
    rma->origin->finish_if_complete(task);
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

// False when there is no buffer now.
bool Origin::prepare_bounce(RmaOperation* rma, size_t bytes, const fabric::Region& local) {
    if (local.valid() || !domain_->needs_local_registration()) {
        return true;
    }
    rma->bounce = static_cast<char*>(buffers_.acquire(bytes));
    rma->bytes = bytes;
    return rma->bounce != nullptr;
}

bool Origin::write(Channel& channel, Task* task, const void* data, int64_t bytes,
                   const fabric::Region& local, const fabric::RemoteMemory& target) {
    RmaOperation* rma = new_rma_operation(channel, task);
    rma->is_delivered_write = !ordering_.ordered_writes;
    if (!prepare_bounce(rma, static_cast<size_t>(bytes), local)) {
        drop(rma);
        return false;
    }
    if (rma->bounce != nullptr) {
        std::memcpy(rma->bounce, data, static_cast<size_t>(bytes));
    }
    const auto completion = ordering_.ordered_writes ? fabric::Endpoint::WriteCompletion::local
                                                     : fabric::Endpoint::WriteCompletion::delivered;
    if (!endpoint_.post_write(channel.peer, rma->bounce != nullptr ? rma->bounce : data,
                              static_cast<size_t>(bytes),
                              rma->bounce != nullptr ? buffers_.descriptor() : local.descriptor(),
                              target, completion, &rma->operation)) {
        drop(rma);
        return false;
    }
    if (ordering_.ordered_writes) {
        channel.write_mark = channel.sent_frames + 1;
    } else {
        ++channel.writes_in_flight;
    }
    mark_dirty(channel);
    posted_ = true;
    task->add_pending();
    return true;
}

bool Origin::read(Channel& channel, Task* task, void* data, int64_t bytes,
                  const fabric::Region& local, const fabric::RemoteMemory& source) {
    RmaOperation* rma = new_rma_operation(channel, task);
    if (!prepare_bounce(rma, static_cast<size_t>(bytes), local)) {
        drop(rma);
        return false;
    }
    rma->copy_to = rma->bounce != nullptr ? data : nullptr;
    if (!endpoint_.post_read(channel.peer, rma->bounce != nullptr ? rma->bounce : data,
                             static_cast<size_t>(bytes),
                             rma->bounce != nullptr ? buffers_.descriptor() : local.descriptor(),
                             source, &rma->operation)) {
        drop(rma);
        return false;
    }
    posted_ = true;
    task->add_pending();
    return true;
}

}  // namespace armci::pipeline
