// SPDX-License-Identifier: BSD-3-Clause
// Frames on their way out: messages within the server's window, chunks into granted receive buffers
// that the server has granted, and the memory that a get's chunks land in here.
#include <algorithm>
#include <cstring>
#include <new>

#include "base/log.h"
#include "base/trace.h"
#include "pipeline/origin.h"

namespace armci::pipeline {
OutFrame* Origin::make_frame(void* piece, wire::FrameKind kind, size_t wire_bytes) {
    if (piece == nullptr) {
        return nullptr;
    }
    auto* frame = new (piece) OutFrame;
    frame->operation.complete = on_sent;
    frame->origin = this;
    frame->wire_bytes = static_cast<uint32_t>(wire_bytes);
    auto* header = new (frame->wire()) wire::FrameHeader;
    header->kind = kind;
    header->rank = options_.rank;
    header->frame_bytes = frame->wire_bytes;
    return frame;
}

OutFrame* Origin::new_frame(wire::FrameKind kind, size_t wire_bytes) {
    return make_frame(small_frames_.acquire(OutFrame::kWireOffset + wire_bytes), kind, wire_bytes);
}

OutFrame* Origin::new_chunk_frame(wire::FrameKind kind, size_t wire_bytes) {
    OutFrame* frame =
        make_frame(buffers_.acquire(OutFrame::kWireOffset + wire_bytes), kind, wire_bytes);
    if (frame != nullptr) {
        frame->is_chunk = true;
    }
    return frame;
}

void Origin::discard(OutFrame* frame) {
    (frame->is_chunk ? buffers_ : small_frames_).release(frame);
}

bool Origin::send_handshake(Channel& channel) {
    const std::vector<unsigned char>& address = endpoint_.address();
    OutFrame* frame =
        new_frame(wire::FrameKind::hello, wire::padded(sizeof(wire::FrameHeader) + address.size()));
    if (frame == nullptr) {
        return false;
    }
    std::memcpy(frame->wire() + sizeof(wire::FrameHeader), address.data(), address.size());
    channel.handshake_sent = true;
    if (!post_frame(channel, frame)) {
        channel.handshake_sent = false;
        discard(frame);
    }
    return channel.handshake_sent;
}

bool Origin::post_message(Channel& channel, OutFrame* frame) {
    if (!channel.has_room(frame->wire_bytes)) {
        return false;
    }
    // Ask for an answer before the window could close, so that it always opens again.
    if (!channel.has_room(frame->wire_bytes + largest_message_bytes_)) {
        frame->header()->flags |= wire::kAcknowledgeNow;
    }
    const RegisteredBuffers& memory = frame->is_chunk ? buffers_ : small_frames_;
    if (!endpoint_.post_send(channel.peer, frame->wire(), frame->wire_bytes, memory.descriptor(),
                             &frame->operation)) {
        return false;
    }
    channel.sent_bytes += frame->wire_bytes;
    return true;
}

bool Origin::post_into_recv_buffer(Channel& channel, OutFrame* frame) {
    if (channel.recv_buffers.empty()) {
        return false;
    }
    // Without slots nothing follows until the server has answered.
    if (channel.recv_buffers.size() == 1 || depth_limit_ > 0) {
        frame->header()->flags |= wire::kAcknowledgeNow;
    }
    const uint32_t recv_buffer = channel.recv_buffers.back();
    const fabric::RemoteMemory target{
        channel.recv_area->remote_base +
            uint64_t{recv_buffer} * channel.recv_area->recv_buffer_bytes,
        channel.recv_area->key};
    if (!endpoint_.post_write_notify(channel.peer, frame->wire(), frame->wire_bytes,
                                     buffers_.descriptor(), target, recv_buffer,
                                     &frame->operation)) {
        return false;
    }
    channel.recv_buffers.pop_back();
    channel.last_recv_buffer_frame = channel.sent_frames + 1;
    return true;
}

bool Origin::post_frame(Channel& channel, OutFrame* frame) {
    wire::FrameHeader& header = *frame->header();
    header.sequence = channel.sent_frames + 1;
    const bool is_message = frame->wire_bytes <= largest_message_bytes_;
    header.flow = recv_buffers_wanted(channel, is_message ? 0 : 1);
    frame->operation.peer = channel.node;
    if (base::is_tracing() && frame->is_chunk) [[unlikely]] {
        frame->posted_ns = base::now_ns();
        frame->operation.complete = on_traced_sent;
    }
    const bool posted =
        is_message ? post_message(channel, frame) : post_into_recv_buffer(channel, frame);
    if (!posted) {
        return false;
    }
    ++channel.sent_frames;
    moved_ = true;
    channel.recv_buffers_asked = header.flow;
    if ((header.flags & wire::kAcknowledgeNow) != 0) {
        channel.asked_frame = channel.sent_frames;
    }
    if (frame->is_chunk && depth_limit_ > 0) {
        limited_chunks_.emplace_back(&channel, channel.sent_frames);
    }
    ++stats_->messages_sent;
    return true;
}

// --- Chunks and their slots ----------------------------------------------------------------------

// How many slots to ask for with a frame that takes `used` of those at hand: as many as the queued
// transfers need, and what may be kept for the next ones is replaced when it is used.
uint64_t Origin::recv_buffers_wanted(const Channel& channel, uint64_t used) const {
    if (channel.recv_area == nullptr) {
        return 0;
    }
    uint64_t needed = used > 0 ? channel.keep_recv_buffers : 0;
    // A transfer that fits one message needs none.
    if (channel.queued_bytes > static_cast<int64_t>(largest_message_bytes_) / 2) {
        const auto recv_buffers = static_cast<uint64_t>(channel.queued_bytes) /
                                      (channel.recv_area->recv_buffer_bytes / 2) +
                                  1;
        needed = std::max(needed,
                          std::min<uint64_t>(recv_buffers, channel.recv_area->recv_buffer_count));
    }
    const uint64_t left =
        channel.recv_buffers.size() - std::min<uint64_t>(used, channel.recv_buffers.size());
    return needed > left ? needed - left : 0;
}

void Origin::ask_recv_buffers(Channel& channel) {
    if (channel.recv_buffers_asked > 0 || recv_buffers_wanted(channel, 0) == 0) {
        return;
    }
    OutFrame* frame = new_frame(wire::FrameKind::want, sizeof(wire::FrameHeader));
    if (frame != nullptr) {
        // There may be nothing to grant for a while, and the frames before it must be known.
        frame->header()->flags |= wire::kAcknowledgeNow;
    }
    if (frame != nullptr && !send(channel, frame, nullptr, Effect::none)) {
        discard(frame);
    }
}

size_t Origin::chunk_room(Channel& channel, int64_t sent_bytes, int64_t left_bytes) {
    if (!ensure_handshake(channel)) {
        return 0;
    }
    if (depth_limit_ > 0) {
        std::erase_if(limited_chunks_, [](const auto& chunk) {
            return chunk.second <= chunk.first->acknowledged_frames;
        });
        const auto here = std::count_if(limited_chunks_.begin(), limited_chunks_.end(),
                                        [&](const auto& chunk) { return chunk.first == &channel; });
        if (here >= depth_limit_) {
            ask_acknowledge(channel, channel.sent_frames);
            return 0;
        }
    }
    // More in one message than in a slot that is fetched first.
    const bool fits_message = left_bytes <= static_cast<int64_t>(largest_message_bytes_) / 2;
    if (channel.recv_area == nullptr || fits_message) {
        return largest_message_bytes_;
    }
    if (channel.recv_buffers.empty()) {
        ask_recv_buffers(channel);
        // Chunks under way will bring slots back; else the time until the first grant is used.
        if (channel.last_recv_buffer_frame > channel.acknowledged_frames) {
            ask_acknowledge(channel, channel.last_recv_buffer_frame);
            return 0;
        }
        return largest_message_bytes_;
    }
    const auto recv_buffer = static_cast<int64_t>(std::min<size_t>(
        channel.recv_area->recv_buffer_bytes, buffers_.buffer_bytes() - OutFrame::kWireOffset));
    return static_cast<size_t>(
        depth_limit_ > 0 ? recv_buffer : chunk_room_bytes(recv_buffer, sent_bytes, left_bytes));
}

void Origin::take_grant(Channel& channel, const void* frame, size_t frame_bytes) {
    wire::RecvBuffersBody body;
    if (channel.recv_area == nullptr || !wire::decode_body(frame, frame_bytes, &body) ||
        body.count > wire::kMaxRecvBuffersPerFrame) {
        base::fatal(nullptr, "%s sent a grant that cannot be decoded",
                    channels_.name_of(channel.server).c_str());
    }
    for (uint32_t i = 0; i < body.count; ++i) {
        if (body.recv_buffer[i] >= channel.recv_area->recv_buffer_count) {
            base::fatal(nullptr, "%s granted receive buffer %u, of %u",
                        channels_.name_of(channel.server).c_str(), body.recv_buffer[i],
                        channel.recv_area->recv_buffer_count);
        }
        channel.recv_buffers.push_back(body.recv_buffer[i]);
    }
    channel.keep_recv_buffers = body.keep;
    channel.recv_buffers_asked -= std::min<uint64_t>(channel.recv_buffers_asked, body.count);
    if (channel.has_recv_buffers_to_release()) {
        lists().release_due.add(channel);
    }
}

// True when there is nothing (left) to return.
bool Origin::release_recv_buffers(Channel& channel) {
    while (channel.has_recv_buffers_to_release()) {
        OutFrame* frame = new_frame(wire::FrameKind::release_recv_buffers,
                                    sizeof(wire::FrameHeader) + sizeof(wire::RecvBuffersBody));
        if (frame == nullptr) {
            return false;
        }
        wire::RecvBuffersBody body;
        body.count = static_cast<uint32_t>(
            std::min<size_t>(wire::kMaxRecvBuffersPerFrame,
                             channel.recv_buffers.size() - channel.keep_recv_buffers));
        std::copy(channel.recv_buffers.end() - body.count, channel.recv_buffers.end(),
                  body.recv_buffer);
        std::memcpy(frame->wire() + sizeof(wire::FrameHeader), &body, sizeof body);
        if (!send(channel, frame, nullptr, Effect::none)) {
            discard(frame);
            return false;
        }
        channel.recv_buffers.resize(channel.recv_buffers.size() - body.count);
    }
    return true;
}

bool Origin::acquire_reply_buffer(size_t bytes, ReplyBuffer* reply_buffer) {
    auto* piece = static_cast<char*>(buffers_.acquire(bytes));
    if (piece == nullptr) {
        return false;
    }
    reply_buffer->immediate = reply_buffers_.take();
    reply_buffers_[reply_buffer->immediate] = {piece, bytes};
    reply_buffer->bytes = static_cast<uint32_t>(bytes);
    reply_buffer->address = buffers_.remote_address(piece);
    return true;
}

void Origin::release_reply_buffer(const ReplyBuffer& reply_buffer) {
    buffers_.release(reply_buffers_[reply_buffer.immediate].memory);
    reply_buffers_.release(reply_buffer.immediate);
}

void Origin::on_written(void* context, uint64_t immediate) {
    auto* origin = static_cast<Origin*>(context);
    wire::FrameHeader header;
    const ReplyPiece piece = origin->reply_buffers_.is_used(immediate)
                                 ? origin->reply_buffers_[static_cast<uint32_t>(immediate)]
                                 : ReplyPiece();
    if (piece.memory != nullptr) {
        std::memcpy(&header, piece.memory, sizeof header);
    }
    if (piece.memory == nullptr || header.frame_bytes > piece.bytes) {
        ARMCI_LOG_WARN("ignored a write into reply buffer %llu that no get is waiting for",
                       static_cast<unsigned long long>(immediate));
        return;
    }
    origin->handle_frame(piece.memory, header.frame_bytes);
}

bool Origin::send(Channel& channel, OutFrame* frame, Task* task, Effect effect) {
    if (!ensure_handshake(channel)) {
        return false;
    }
    frame->task = task;
    if (!post_frame(channel, frame)) {
        return false;
    }
    if (effect == Effect::mutation) {
        channel.last_mutation = channel.sent_frames;
        lists().dirty.add(channel);
    }
    if (task != nullptr) {
        task->add_pending();
    }
    return true;
}

void Origin::on_sent(fabric::Operation* operation, const fabric::Completion&) {
    auto* frame = reinterpret_cast<OutFrame*>(operation);
    Origin* origin = frame->origin;
    Task* task = frame->task;
    if (!origin->leaving_batches_.empty()) [[unlikely]] {
        std::erase_if(origin->leaving_batches_,
                      [&](const LeavingBatch& leaving) { return leaving.frame == frame; });
    }
    origin->discard(frame);
    if (task != nullptr) {
        task->remove_pending();
        origin->tasks_.finish_if_complete(task);
    }
}

void Origin::on_traced_sent(fabric::Operation* operation, const fabric::Completion& completion) {
    auto* frame = reinterpret_cast<OutFrame*>(operation);
    base::record({.kind = &base::kTraceTransmit,
                  .begin_ns = frame->posted_ns,
                  .end_ns = base::now_ns(),
                  .bytes = wire::data_bytes(frame->wire(), frame->wire_bytes),
                  .number = static_cast<int64_t>(frame->header()->sequence),
                  .node = operation->peer});
    on_sent(operation, completion);
}

void Origin::send_credit(Channel& channel, uint64_t request_id, const wire::CreditBody& taken) {
    const Credit credit{&channel, request_id, taken};
    if (!try_credit(credit)) {
        credits_due_.push_back(credit);
    }
}

bool Origin::try_credit(const Credit& credit) {
    OutFrame* frame = new_frame(wire::FrameKind::get_credit,
                                sizeof(wire::FrameHeader) + sizeof(wire::CreditBody));
    if (frame == nullptr) {
        return false;
    }
    frame->header()->request_id = credit.request_id;
    std::memcpy(frame->wire() + sizeof(wire::FrameHeader), &credit.taken, sizeof credit.taken);
    if (!send(*credit.channel, frame, nullptr, Effect::none)) {
        discard(frame);
        return false;
    }
    return true;
}

bool Origin::reserve_receive(int64_t bytes) {
    if (receive_reserved_ > 0 && receive_reserved_ + bytes > receive_budget_) {
        return false;
    }
    receive_reserved_ += bytes;
    return true;
}

}  // namespace armci::pipeline
