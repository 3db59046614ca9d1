// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/frame_sender.h"

#include <cstring>
#include <vector>

#include "base/log.h"
#include "base/trace.h"

namespace armci::pipeline {
namespace {

// Smaller chunks than this cost more in frames than a narrow window costs in pauses.
constexpr size_t kSmallestChunkFrame = 4096 - OutFrame::kOverheadBytes;
constexpr size_t kSmallFramesBytes = 256 << 10;

// Says whether a message is written into this origin's mailbox, where its arrival costs the server
// less. The mailbox must be empty. The frame should have an answer, which tells soon that it is
// empty again.
bool goes_into_mailbox(const Channel& channel, const wire::FrameHeader& header) {
    return channel.mailbox != 0 && channel.flow.mailed_frame <= channel.flow.acknowledged_frames &&
           (header.request_id != 0 || (header.flags & wire::kAcknowledgeNow) != 0);
}

static_assert(kLargestMessagePiece <= kMailboxBytes);

}  // namespace

bool FrameSender::open(fabric::Domain& domain, const OriginOptions& options, base::Stats* stats,
                       std::string* error) {
    self_ = {options.token, options.rank};
    stats_ = stats;
    if (!small_frames_.open(1, kSmallFramesBytes, domain, endpoint_.on_first_rail(),
                            fabric::Access::local, error)) {
        return false;
    }
    sends_alone_ = domain.row().sends_alone;
    write_chunks_ = options.write_chunks;
    in_place_min_bytes_ = options.in_place_min_bytes;
    depth_at_start_ = options.depth;
    chunks_of_transfer_ = options.depth;
    // Several messages fit a server's window, so that they follow each other without a pause.
    largest_message_bytes_ =
        std::min({chunk_buffers_.buffer_bytes() - OutFrame::kOverheadBytes, kSmallFrameBytes,
                  std::max<size_t>(kSmallestChunkFrame,
                                   static_cast<size_t>(options.server_window_bytes) / 4)});
    largest_message_bytes_ &= ~size_t{7};  // as frames are padded
    return true;
}

OriginFrame* FrameSender::new_frame(RegisteredBuffers& buffers, wire::FrameKind kind,
                                    size_t wire_bytes, size_t bytes_in_place) {
    auto* frame = make_frame<OriginFrame>(buffers, kind, self_, wire_bytes, bytes_in_place);
    if (frame != nullptr) {
        frame->complete = on_sent;
        frame->owner = this;
    }
    return frame;
}

bool FrameSender::send_handshake(Channel& channel) {
    const std::vector<unsigned char>& address = endpoint_.address();
    const size_t address_end = wire::padded(sizeof(wire::FrameHeader) + address.size());
    OriginFrame* frame =
        new_frame(wire::FrameKind::hello,
                  address_end + (slots_.are_open() ? sizeof(wire::AnswerSlotsBody) : 0));
    if (frame == nullptr) {
        return false;
    }
    std::memcpy(frame->wire() + sizeof(wire::FrameHeader), address.data(), address.size());
    if (slots_.are_open()) {
        const wire::AnswerSlotsBody slots = slots_.describe();
        std::memcpy(frame->wire() + address_end, &slots, sizeof slots);
    }
    channel.handshake_sent = true;
    if (!post(channel, frame)) {
        channel.handshake_sent = false;
        frame->release();
    }
    return channel.handshake_sent;
}

bool FrameSender::post_message(Channel& channel, OriginFrame* frame) {
    if (!channel.flow.has_room(frame->wire_bytes)) {
        return false;
    }
    // The frame asks for an answer before the window could close, so that the window always opens
    // again. A short one also asks before others would have to wait until they have left.
    if (!channel.flow.has_room(frame->wire_bytes + largest_message_bytes_) ||
        (frame->wire_bytes <= kAskedFor && channel.flow.should_ask(kAskedFor))) {
        frame->header()->flags |= wire::kAcknowledgeNow;
    }
    if (!(goes_into_mailbox(channel, *frame->header()) ? post_into_mailbox(channel, frame)
                                                       : frame->post(endpoint_, channel.peer))) {
        return false;
    }
    channel.flow.sent_bytes += frame->wire_bytes;
    return true;
}

bool FrameSender::post_into_mailbox(Channel& channel, OriginFrame* frame) {
    const RecvAreaAddress& area = *channel.recv_buffers.area;
    const fabric::RemoteMemory mailbox{
        area.remote_base + area.mailbox_position(channel.mailbox - 1U), area.key, nullptr};
    const uint32_t slot = slots_.lend(channel.server);
    frame->header()->flags |= static_cast<uint8_t>(slot << wire::kAnswerSlotShift);
    if (frame->post_unannounced(endpoint_, channel.peer, mailbox)) {
        channel.flow.mailed_frame = frame->header()->sequence;
        return true;
    }
    if (slot != 0) {
        slots_.take_back();
        frame->header()->flags &= (1 << wire::kAnswerSlotShift) - 1;
    }
    return false;
}

bool FrameSender::post_into_recv_buffer(Channel& channel, OriginFrame* frame,
                                        const RecvPlace& place, const DataInPlace& data) {
    // Without room in receive buffers nothing can follow until the server has answered.
    if (channel.recv_buffers.is_last(place) || depth_.is_set()) {
        frame->header()->flags |= wire::kAcknowledgeNow;
    }
    if (!write_chunks_) {
        if (!frame->post(endpoint_, channel.peer)) {
            return false;
        }
    } else {
        const RecvAreaAddress& area = *channel.recv_buffers.area;
        const uint64_t position = area.position(place.recv_buffer, place.offset);
        const fabric::RemoteMemory target{area.remote_base + position, area.key,
                                          channels_.recv_area_keys(channel.server)};
        // The server executes later frames after this one, whatever rail they take.
        const auto order = channel.write_mark == frame->header()->sequence
                               ? fabric::Endpoint::WriteOrder::after_writes
                               : fabric::Endpoint::WriteOrder::none;
        if (!frame->post_into(endpoint_, channel.peer, target, RecvAreaAddress::place_of(position),
                              order, data)) {
            return false;
        }
    }
    channel.recv_buffers.take(place, channel.flow.sent_frames + 1);
    counters_.change_granted(place.closes != 0 ? -1 : 0);
    return true;
}

bool FrameSender::post(Channel& channel, OriginFrame* frame, bool is_delayed,
                       const DataInPlace& data) {
    wire::FrameHeader& header = *frame->header();
    header.sequence = channel.flow.sent_frames + 1;
    const bool is_message = frame->wire_bytes <= largest_message_bytes_;
    RecvPlace place;
    if (!is_message && !channel.recv_buffers.find_place(frame->wire_bytes + wire::kSealBytes,
                                                        channel.flow.acknowledged_frames, &place)) {
        return false;
    }
    const uint32_t wanted =
        channel.recv_buffers.wanted(place.closes != 0 ? 1 : 0, largest_message_bytes_);
    header.flow = wire::encode_flow({channel.recv_buffers.total + wanted, place.closes});
    frame->peer = channel.node;
    frame->channel = &channel;
    const bool is_chunk = frame->buffers == &chunk_buffers_;
    int64_t traced_bytes = 0;
    if (base::is_tracing() && is_chunk && frame->owner == this) [[unlikely]] {
        frame->posted_ns = base::now_ns();
        frame->complete = on_traced_sent;
        traced_bytes = wire::data_bytes(frame->wire(), frame->wire_bytes);
    }
    const bool posted = is_message ? post_message(channel, frame)
                                   : post_into_recv_buffer(channel, frame, place, data);
    if (!posted) {
        return false;
    }
    ++channel.flow.sent_frames;
    if (is_delayed) {
        channel.flow.last_delayed = channel.flow.sent_frames;
    }
    turn_.moved = true;
    channel.recv_buffers.asked = wanted;
    if ((header.flags & wire::kAcknowledgeNow) != 0) {
        channel.flow.asked_frame = channel.flow.sent_frames;
    }
    if (is_chunk) {
        depth_.note_sent(channel);
    }
    if (traced_bytes > 0) [[unlikely]] {
        counters_.change_under_way(traced_bytes);
    }
    ++stats_->messages_sent;
    return true;
}

bool FrameSender::post_to(fabric::PeerAddress peer, OriginFrame* frame) {
    const bool posted = frame->post(endpoint_, peer);
    turn_.moved |= posted;
    return posted;
}

bool FrameSender::send(Channel& channel, OriginFrame* frame, Task* task, Effect effect, Waits waits,
                       const DataInPlace& data) {
    if (!ensure_handshake(channel)) {
        return false;
    }
    const bool is_delayed = !leaves_alone(channel, frame->wire_bytes);
    Task* const waiting = is_delayed || waits == Waits::always ? task : nullptr;
    frame->task = waiting;
    if (!post(channel, frame, is_delayed, data)) {
        return false;
    }
    if (effect == Effect::mutation) {
        channel.last_mutation = channel.flow.sent_frames;
        channels_.lists().dirty.add(channel);
    }
    if (waiting != nullptr) {
        waiting->add_pending();
    }
    return true;
}

bool FrameSender::send_or_release(Channel& channel, OriginFrame* frame) {
    if (send(channel, frame, nullptr, Effect::none)) {
        return true;
    }
    frame->release();
    return false;
}

bool FrameSender::ask_acknowledge(Channel& channel, uint64_t needed) {
    if (channel.flow.asked_frame >= needed) {
        return true;
    }
    OriginFrame* frame = new_frame(wire::FrameKind::fence, sizeof(wire::FrameHeader));
    if (frame == nullptr) {
        return false;
    }
    frame->header()->flags |= wire::kAcknowledgeNow;
    return send_or_release(channel, frame);
}

void FrameSender::on_sent(fabric::Operation* operation, const fabric::Completion&) {
    auto* frame = static_cast<OriginFrame*>(operation);
    auto* sender = static_cast<FrameSender*>(frame->owner);
    Channel& channel = *frame->channel;
    Task* const task = frame->task;
    const uint64_t number = frame->header()->sequence;
    frame->release();
    sender->note_left(channel, number, task);
}

void FrameSender::note_left(Channel& channel, uint64_t number, Task* task) {
    left_.add(channel, number, task, [this](Task* ended) {
        if (ended != nullptr) {
            ended->remove_pending();
            tasks_.finish_if_complete(ended);
        }
    });
}

void FrameSender::on_traced_sent(fabric::Operation* operation,
                                 const fabric::Completion& completion) {
    auto* frame = static_cast<OriginFrame*>(operation);
    OriginCounters& counters = static_cast<FrameSender*>(frame->owner)->counters_;
    const int64_t bytes = wire::data_bytes(frame->wire(), frame->wire_bytes);
    base::record({.kind = &base::kTraceTransmit,
                  .begin_ns = frame->posted_ns,
                  .end_ns = base::now_ns(),
                  .bytes = bytes,
                  .number = static_cast<int64_t>(frame->header()->sequence),
                  .node = operation->peer});
    on_sent(operation, completion);
    counters.change_under_way(-bytes);
}

}  // namespace armci::pipeline
