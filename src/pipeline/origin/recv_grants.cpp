// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/recv_grants.h"

#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "pipeline/buffers/chunk_sizes.h"

namespace armci::pipeline {

void RecvGrants::ask(Channel& channel) {
    if (channel.recv_buffers.asked > 0 ||
        channel.recv_buffers.wanted(0, frames_.largest_message_bytes()) == 0) {
        return;
    }
    OriginFrame* frame = frames_.new_frame(wire::FrameKind::want, sizeof(wire::FrameHeader));
    if (frame != nullptr) {
        // The server may have nothing to grant for a while, and the frames before this one must be
        // acknowledged.
        frame->header()->flags |= wire::kAcknowledgeNow;
        frames_.send_or_release(channel, frame);
    }
}

size_t RecvGrants::chunk_room(Channel& channel, int64_t sent_bytes, int64_t left_bytes,
                              ChunkData data) {
    if (!frames_.ensure_handshake(channel)) {
        return 0;
    }
    if (!frames_.depth().allows_chunk(channel)) {
        frames_.ask_acknowledge(channel, channel.flow.sent_frames);
        return 0;
    }
    // A transfer that fits one message needs no receive buffer, for which it might have to ask
    // first.
    const size_t largest_message_bytes = frames_.largest_message_bytes();
    const bool fits_message = left_bytes <= static_cast<int64_t>(largest_message_bytes) / 2;
    if (channel.recv_buffers.area == nullptr || fits_message) {
        return largest_message_bytes;
    }
    const uint32_t room_bytes = channel.recv_buffers.room(channel.flow.acknowledged_frames);
    if (room_bytes == 0) {
        if (channel.chunks_pending()) {
            channel.recv_buffers.note_empty(sent_bytes + left_bytes);
        }
        ask(channel);
        // Chunks under way will bring receive buffers back. Otherwise messages use the time until
        // the first grant.
        if (channel.chunks_pending()) {
            frames_.ask_acknowledge(channel, channel.recv_buffers.last_frame);
            return 0;
        }
        return largest_message_bytes;
    }
    const int64_t largest_bytes = largest_chunk_bytes(room_bytes);
    const bool are_equal = frames_.depth().is_set() || !frames_.writes_chunks();
    return static_cast<size_t>(
        are_equal ? largest_bytes : chunk_room_bytes(largest_bytes, sent_bytes, left_bytes, data));
}

int64_t RecvGrants::largest_chunk_bytes(uint32_t room_bytes) const {
    return static_cast<int64_t>(std::min<size_t>(
        room_bytes - wire::kSealBytes, chunk_buffers_.buffer_bytes() - OutFrame::kOverheadBytes));
}

size_t RecvGrants::batch_room(Channel& channel) {
    // A longer batch gains nothing, and keeps what waits for it longer.
    constexpr int64_t kLargest = (64 << 10) - static_cast<int64_t>(OutFrame::kOverheadBytes);
    if (channel.recv_buffers.area == nullptr || frames_.depth().is_set()) {
        return 0;
    }
    const uint32_t room_bytes = channel.recv_buffers.room(channel.flow.acknowledged_frames);
    if (room_bytes == 0) {
        if (channel.chunks_pending()) {
            channel.recv_buffers.note_empty(kLargest);
        }
        channel.recv_buffers.queued_bytes += kLargest;  // which each frame sent asks for
        ask(channel);
        channel.recv_buffers.queued_bytes -= kLargest;
        return 0;
    }
    return static_cast<size_t>(std::min(largest_chunk_bytes(room_bytes), kLargest) & ~int64_t{7});
}

void RecvGrants::take(Channel& channel, const void* frame, size_t frame_bytes) {
    wire::RecvBuffersBody body;
    if (channel.recv_buffers.area == nullptr || !wire::decode_body(frame, frame_bytes, &body) ||
        body.count > wire::kMaxRecvBuffersPerFrame) {
        base::fatal(nullptr, "%s sent a grant that cannot be decoded",
                    channels_.name_of(channel.server).c_str());
    }
    for (uint32_t i = 0; i < body.count; ++i) {
        if (body.recv_buffer[i] >= channel.recv_buffers.area->recv_buffer_count) {
            base::fatal(nullptr, "%s granted receive buffer %u, of %u",
                        channels_.name_of(channel.server).c_str(), body.recv_buffer[i],
                        channel.recv_buffers.area->recv_buffer_count);
        }
        channel.recv_buffers.granted.push_back(body.recv_buffer[i]);
    }
    frames_.counters().change_granted(body.count);
    channel.recv_buffers.keep = body.keep;
    channel.recv_buffers.total += body.count;
    channel.recv_buffers.asked -= std::min(channel.recv_buffers.asked, body.count);
    channels_.lists().note_release(channel);
}

void RecvGrants::release_due() {
    channels_.lists().release_due.keep_if([&](Channel& channel) { return !release(channel); });
}

// Releases what is due. Returns true when there is nothing left to release.
bool RecvGrants::release(Channel& channel) {
    while (channel.has_recv_buffers_to_release()) {
        OriginFrame* frame =
            frames_.new_frame(wire::FrameKind::release_recv_buffers,
                              sizeof(wire::FrameHeader) + sizeof(wire::RecvBuffersBody));
        if (frame == nullptr) {
            return false;
        }
        wire::RecvBuffersBody body;
        GrantedRecvBuffers& held = channel.recv_buffers;
        body.count = held.list_unneeded(
            std::min(wire::kMaxRecvBuffersPerFrame, held.held() - held.kept()), body.recv_buffer);
        std::memcpy(frame->wire() + sizeof(wire::FrameHeader), &body, sizeof body);
        if (!frames_.send_or_release(channel, frame)) {
            return false;
        }
        held.drop(body.count);
        frames_.counters().change_granted(-int64_t{body.count});
    }
    return true;
}

}  // namespace armci::pipeline
