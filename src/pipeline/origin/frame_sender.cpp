// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/frame_sender.h"

#include <cstring>
#include <new>
#include <vector>

#include "base/log.h"
#include "base/trace.h"

namespace armci::pipeline {
namespace {

// Smaller chunks than this cost more in frames than a narrow window costs in pauses.
constexpr size_t kSmallestChunkFrame = 4096 - OutFrame::kWireOffset;
constexpr size_t kSmallFramesBytes = 256 << 10;

}  // namespace

bool FrameSender::open(fabric::Domain& domain, const OriginOptions& options, base::Stats* stats,
                       std::string* error) {
    rank_ = options.rank;
    stats_ = stats;
    if (!small_frames_.open(1, kSmallFramesBytes, domain, endpoint_, fabric::Access::local,
                            error)) {
        return false;
    }
    // Several messages fit a server's window, so that they follow each other without a pause.
    largest_message_bytes_ =
        std::min(chunk_buffers_.buffer_bytes() - OutFrame::kWireOffset,
                 std::max<size_t>(kSmallestChunkFrame,
                                  static_cast<size_t>(options.server_window_bytes) / 4));
    if (options.write_chunks) {
        largest_message_bytes_ = std::min(largest_message_bytes_, kSmallFrameBytes);
    }
    largest_message_bytes_ &= ~size_t{7};  // as frames are padded
    return true;
}

OutFrame* FrameSender::make_frame(void* piece, wire::FrameKind kind, size_t wire_bytes) {
    if (piece == nullptr) {
        return nullptr;
    }
    auto* frame = new (piece) OutFrame;
    frame->operation.complete = on_sent;
    frame->owner = this;
    frame->wire_bytes = static_cast<uint32_t>(wire_bytes);
    auto* header = new (frame->wire()) wire::FrameHeader;
    header->kind = kind;
    header->rank = rank_;
    header->frame_bytes = frame->wire_bytes;
    return frame;
}

OutFrame* FrameSender::new_frame(wire::FrameKind kind, size_t wire_bytes) {
    return make_frame(small_frames_.acquire(OutFrame::kWireOffset + wire_bytes), kind, wire_bytes);
}

OutFrame* FrameSender::new_chunk_frame(wire::FrameKind kind, size_t wire_bytes) {
    OutFrame* frame =
        make_frame(chunk_buffers_.acquire(OutFrame::kWireOffset + wire_bytes), kind, wire_bytes);
    if (frame != nullptr) {
        frame->is_chunk = true;
    }
    return frame;
}

void FrameSender::discard(OutFrame* frame) {
    (frame->is_chunk ? chunk_buffers_ : small_frames_).release(frame);
}

bool FrameSender::send_handshake(Channel& channel) {
    const std::vector<unsigned char>& address = endpoint_.address();
    OutFrame* frame =
        new_frame(wire::FrameKind::hello, wire::padded(sizeof(wire::FrameHeader) + address.size()));
    if (frame == nullptr) {
        return false;
    }
    std::memcpy(frame->wire() + sizeof(wire::FrameHeader), address.data(), address.size());
    channel.handshake_sent = true;
    if (!post(channel, frame)) {
        channel.handshake_sent = false;
        discard(frame);
    }
    return channel.handshake_sent;
}

bool FrameSender::post_message(Channel& channel, OutFrame* frame) {
    if (!channel.has_room(frame->wire_bytes)) {
        return false;
    }
    // The frame asks for an answer before the window could close, so that the window always opens
    // again.
    if (!channel.has_room(frame->wire_bytes + largest_message_bytes_)) {
        frame->header()->flags |= wire::kAcknowledgeNow;
    }
    const RegisteredBuffers& memory = frame->is_chunk ? chunk_buffers_ : small_frames_;
    if (!endpoint_.post_send(channel.peer, frame->wire(), frame->wire_bytes, memory.descriptor(),
                             &frame->operation)) {
        return false;
    }
    channel.sent_bytes += frame->wire_bytes;
    return true;
}

bool FrameSender::post_into_recv_buffer(Channel& channel, OutFrame* frame) {
    if (channel.recv_buffers.empty()) {
        return false;
    }
    // Without receive buffers nothing can follow until the server has answered.
    if (channel.recv_buffers.size() == 1 || depth_.is_set()) {
        frame->header()->flags |= wire::kAcknowledgeNow;
    }
    const uint32_t recv_buffer = channel.recv_buffers.back();
    const fabric::RemoteMemory target{
        channel.recv_area->remote_base +
            uint64_t{recv_buffer} * channel.recv_area->recv_buffer_bytes,
        channel.recv_area->key};
    if (!endpoint_.post_write_notify(channel.peer, frame->wire(), frame->wire_bytes,
                                     chunk_buffers_.descriptor(), target, recv_buffer,
                                     &frame->operation)) {
        return false;
    }
    channel.recv_buffers.pop_back();
    channel.last_recv_buffer_frame = channel.sent_frames + 1;
    return true;
}

bool FrameSender::post(Channel& channel, OutFrame* frame) {
    wire::FrameHeader& header = *frame->header();
    header.sequence = channel.sent_frames + 1;
    const bool is_message = frame->wire_bytes <= largest_message_bytes_;
    header.flow = channel.recv_buffers_wanted(is_message ? 0 : 1, largest_message_bytes_);
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
    turn_.moved = true;
    channel.recv_buffers_asked = header.flow;
    if ((header.flags & wire::kAcknowledgeNow) != 0) {
        channel.asked_frame = channel.sent_frames;
    }
    if (frame->is_chunk) {
        depth_.note_sent(channel);
    }
    ++stats_->messages_sent;
    return true;
}

bool FrameSender::post_to(fabric::PeerAddress peer, OutFrame* frame) {
    const bool posted = endpoint_.post_send(peer, frame->wire(), frame->wire_bytes,
                                            small_frames_.descriptor(), &frame->operation);
    turn_.moved |= posted;
    return posted;
}

bool FrameSender::send(Channel& channel, OutFrame* frame, Task* task, Effect effect) {
    if (!ensure_handshake(channel)) {
        return false;
    }
    frame->task = task;
    if (!post(channel, frame)) {
        return false;
    }
    if (effect == Effect::mutation) {
        channel.last_mutation = channel.sent_frames;
        channels_.lists().dirty.add(channel);
    }
    if (task != nullptr) {
        task->add_pending();
    }
    return true;
}

bool FrameSender::send_or_discard(Channel& channel, OutFrame* frame) {
    if (send(channel, frame, nullptr, Effect::none)) {
        return true;
    }
    discard(frame);
    return false;
}

void FrameSender::ask_acknowledge(Channel& channel, uint64_t needed) {
    if (channel.asked_frame >= needed) {
        return;
    }
    OutFrame* frame = new_frame(wire::FrameKind::fence, sizeof(wire::FrameHeader));
    if (frame != nullptr) {
        frame->header()->flags |= wire::kAcknowledgeNow;
        send_or_discard(channel, frame);
    }
}

void FrameSender::on_sent(fabric::Operation* operation, const fabric::Completion&) {
    auto* frame = reinterpret_cast<OutFrame*>(operation);
    auto* sender = static_cast<FrameSender*>(frame->owner);
    Task* task = frame->task;
    sender->discard(frame);
    if (task != nullptr) {
        task->remove_pending();
        sender->tasks_.finish_if_complete(task);
    }
}

void FrameSender::on_traced_sent(fabric::Operation* operation,
                                 const fabric::Completion& completion) {
    auto* frame = reinterpret_cast<OutFrame*>(operation);
    base::record({.kind = &base::kTraceTransmit,
                  .begin_ns = frame->posted_ns,
                  .end_ns = base::now_ns(),
                  .bytes = wire::data_bytes(frame->wire(), frame->wire_bytes),
                  .number = static_cast<int64_t>(frame->header()->sequence),
                  .node = operation->peer});
    on_sent(operation, completion);
}

}  // namespace armci::pipeline
