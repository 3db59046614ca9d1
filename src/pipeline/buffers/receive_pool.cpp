// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/buffers/receive_pool.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "base/strangers.h"
#include "wire/frame.h"

namespace armci::pipeline {
namespace {

// A buffer is released when less than one largest frame is free in it, so up to one frame of each
// is wasted. Several frames to a buffer keep that part small.
constexpr size_t kFramesPerBuffer = 4;
constexpr size_t kSmallestBuffer = 64 << 10;
constexpr size_t kMaxCompletions = 16384;
// How many times the first buffers there may be.
constexpr size_t kMaxAreas = 4;

size_t bytes_per_buffer(size_t largest_frame_bytes) {
    return std::max(kFramesPerBuffer * largest_frame_bytes, kSmallestBuffer);
}

}  // namespace

size_t ReceivePool::buffer_count(size_t window_bytes, size_t largest_frame_bytes) {
    const size_t usable = bytes_per_buffer(largest_frame_bytes) - largest_frame_bytes;
    return std::max<size_t>(2, window_bytes / usable + 1);
}

size_t ReceivePool::completion_count(size_t window_bytes) {
    return std::min(window_bytes / sizeof(wire::FrameHeader), kMaxCompletions);
}

bool ReceivePool::open(fabric::Domain& domain, fabric::Endpoint& endpoint, size_t window_bytes,
                       size_t largest_frame_bytes, FrameHandler handler, void* context,
                       std::string* error) {
    domain_ = &domain;
    endpoint_ = &endpoint;
    ends_early_ = domain.row().ends_early;
    handler_ = handler;
    context_ = context;
    largest_frame_bytes_ = largest_frame_bytes;
    buffer_bytes_ = bytes_per_buffer(largest_frame_bytes);
    first_count_ = buffer_count(window_bytes, largest_frame_bytes);
    return add_buffers(error);
}

bool ReceivePool::add_buffers(std::string* error) {
    RegisteredMapping& memory = memory_.emplace_back();
    if (!memory.map(first_count_ * buffer_bytes_)) {
        *error = "no memory for " + std::to_string(first_count_ * buffer_bytes_) +
                 " bytes of receive buffers: " + std::strerror(errno);
        return false;
    }
    if (domain_->needs_local_registration() &&
        !memory.make_accessible(*domain_, endpoint_->on_first_rail(), fabric::Access::local,
                                error)) {
        return false;
    }
    for (size_t i = 0; i < first_count_; ++i) {
        auto buffer = std::make_unique<Buffer>();
        buffer->operation.complete = on_completion;
        buffer->pool = this;
        buffer->memory = &memory;
        buffer->data = memory.data() + i * buffer_bytes_;
        post(buffer.get());
        buffers_.push_back(std::move(buffer));
    }
    return true;
}

void ReceivePool::close() {
    buffers_.clear();
    unposted_.clear();
    away_count_ = 0;
    memory_.clear();
}

void ReceivePool::post(Buffer* buffer) {
    if (!endpoint_->post_multi_receive(buffer->data, buffer_bytes_, buffer->memory->descriptors(),
                                       &buffer->operation)) {
        unposted_.push_back(buffer);
    }
}

void ReceivePool::retry_posts() {
    if (unposted_.empty()) {
        return;
    }
    std::vector<Buffer*> again;
    again.swap(unposted_);
    for (Buffer* buffer : again) {
        post(buffer);
    }
}

// Frames are multiples of 8 bytes. Behind a message that is no frame, others may lie unaligned,
// although their sender has done nothing wrong.
void ReceivePool::handle(const void* frame, size_t bytes) {
    if (reinterpret_cast<uintptr_t>(frame) % sizeof(uint64_t) == 0) {
        handler_(context_, frame, bytes);
        return;
    }
    std::vector<uint64_t> straight((bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t));
    std::memcpy(straight.data(), frame, bytes);
    handler_(context_, straight.data(), bytes);
}

void ReceivePool::set_away(Buffer* buffer, bool is_away) {
    if (std::exchange(buffer->is_away, is_away) == is_away) {
        return;
    }
    away_count_ += is_away ? 1 : size_t{0} - 1;
    std::string error;
    const bool is_scarce = 4 * (buffers_.size() - away_count_) < first_count_;
    if (is_scarce && memory_.size() < kMaxAreas && !add_buffers(&error)) {
        ARMCI_LOG_WARN("messages that never arrived completely keep receive buffers: %s",
                       error.c_str());
    }
}

bool ReceivePool::note_lost_message(Buffer* buffer, const fabric::Completion& completion) {
    if (completion.cut) {
        base::drop_from_stranger(base::FromStranger::transfer,
                                 "dropped a message of more than %zu bytes, the longest there are: "
                                 "no rank of this job sends such",
                                 largest_frame_bytes_);
    } else {
        base::drop_from_stranger(base::FromStranger::transfer,
                                 "dropped a message that did not arrive completely");
    }
    if ((completion.flags & FI_MULTI_RECV) != 0 || (completion.cut && domain_->forgets_cut())) {
        return true;
    }
    // The provider will release the buffer, or it has forgotten it and does not say so.
    set_away(buffer, true);
    return false;
}

void ReceivePool::on_completion(fabric::Operation* operation,
                                const fabric::Completion& completion) {
    auto* buffer = reinterpret_cast<Buffer*>(operation);
    if (completion.cancelled) {
        return;
    }
    const bool is_lost = completion.cut || completion.broken;
    buffer->is_used_up |= is_lost && buffer->pool->note_lost_message(buffer, completion);
    // Some providers announce the end of a buffer with its last message, others on its own.
    if ((completion.flags & FI_RECV) != 0 && completion.bytes > 0) {
        const auto offset =
            static_cast<size_t>(static_cast<const char*>(completion.data) - buffer->data);
        buffer->handled_bytes += completion.bytes;
        buffer->furthest_end = std::max(buffer->furthest_end, offset + completion.bytes);
        buffer->pool->handle(completion.data, completion.bytes);
    }
    buffer->is_used_up |= (completion.flags & FI_MULTI_RECV) != 0;
    // ofi_rxm announces the end of a buffer with the message that fills it. Earlier messages in
    // several packets may still be arriving in it; they show as bytes not handled yet.
    const bool all_have_come =
        !buffer->pool->ends_early_ || buffer->handled_bytes == buffer->furthest_end;
    if (buffer->is_used_up && all_have_come) {
        buffer->handled_bytes = 0;
        buffer->furthest_end = 0;
        buffer->is_used_up = false;
        buffer->pool->set_away(buffer, false);
        buffer->pool->post(buffer);
    } else if (buffer->is_used_up) {
        buffer->pool->set_away(buffer, true);
    }
}

}  // namespace armci::pipeline
