// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/get_streams.h"

#include <algorithm>
#include <cstring>

#include "base/trace.h"
#include "pipeline/buffers/chunk_sizes.h"

namespace armci::datasrv {
namespace {

// Returns how much data a frame of that length holds.
int64_t data_room(size_t frame_bytes) {
    return static_cast<int64_t>(frame_bytes - wire::kDataHeadBytes) & ~int64_t{7};
}

}  // namespace

void GetStreams::start(Client& client, uint64_t request_id, const wire::LayoutView& layout,
                       const wire::TransferBody& body, const wire::ReplyPlaces& reply_buffers,
                       const node::Attachment* attached) {
    Stream stream;  // on the heap only if it has to wait
    stream.client = &client;
    stream.request_id = request_id;
    stream.total_bytes = static_cast<int64_t>(body.data_bytes);
    stream.window_bytes = static_cast<int64_t>(body.window_bytes);
    stream.reply_buffers = reply_buffers;
    stream.is_attached = attached != nullptr;
    if (attached != nullptr) {
        stream.process = *attached;
    }
    stream.from = strided::Cursor(layout.side);
    stream.from.seek(static_cast<int64_t>(body.offset));
    // Until the next frame is decoded no copy of the addresses is needed.
    if (!send_at_once(stream)) {
        stream.from = strided::Cursor(strided::copy_addresses(layout.side, &stream.addresses));
        stream.from.seek(static_cast<int64_t>(body.offset) + stream.sent_bytes);
        keep(std::move(stream));
    }
}

void GetStreams::answer(Client& client, uint64_t request_id, std::span<const char> data,
                        const wire::ReplyPlaces& reply_buffers) {
    const auto cursor_of = [bytes = data.size()](const char* begin) {
        strided::Layout layout;
        layout.count[0] = static_cast<int64_t>(bytes);
        return strided::Cursor(strided::StridedSide(reinterpret_cast<uint64_t>(begin), layout));
    };
    Stream stream;  // on the heap only if it has to wait
    stream.client = &client;
    stream.request_id = request_id;
    stream.total_bytes = static_cast<int64_t>(data.size());
    stream.window_bytes = stream.total_bytes;
    stream.reply_buffers = reply_buffers;
    stream.from = cursor_of(data.data());
    if (!send_at_once(stream)) {
        stream.data.assign(data.begin(), data.end());
        stream.from = cursor_of(stream.data.data());
        stream.from.seek(stream.sent_bytes);
        keep(std::move(stream));
    }
}

bool GetStreams::send_at_once(Stream& stream) {
    if (is_short_) {
        return false;
    }
    while (stream.sent_bytes < stream.total_bytes) {
        if (next_chunk_bytes(stream) == 0 || !send_chunk(stream)) {
            return false;
        }
    }
    return true;
}

void GetStreams::keep(Stream&& stream) {
    note_waiting(stream);
    is_short_ = is_short_ || next_chunk_bytes(stream) > 0;
    const Key key{stream.client->rank, stream.request_id};
    if (const auto same = by_request_.find(key); same != by_request_.end()) {
        remove(same->second);  // an origin that gives a number twice loses the first
    }
    kept_bytes_ += stream.data.size();
    by_request_[key] = streams_.insert(streams_.end(), std::move(stream));
}

void GetStreams::remove(Streams::iterator stream) {
    kept_bytes_ -= stream->data.size();
    by_request_.erase(Key{stream->client->rank, stream->request_id});
    streams_.erase(stream);
}

void GetStreams::credit(const Client& client, uint64_t request_id, const wire::CreditBody& taken) {
    const auto found = by_request_.find(Key{client.rank, request_id});
    if (found == by_request_.end()) {
        return;
    }
    Stream& stream = *found->second;
    // A credit for more than was sent is an error of the origin; it must not widen the window.
    stream.taken_bytes =
        std::clamp(static_cast<int64_t>(taken.taken_bytes), stream.taken_bytes, stream.sent_bytes);
    stream.taken_chunks = std::clamp(taken.taken_chunks, stream.taken_chunks, stream.sent_chunks);
}

// Returns 0 when the origin has no room for a whole chunk now.
int64_t GetStreams::next_chunk_bytes(const Stream& stream) const {
    const int64_t left = stream.total_bytes - stream.sent_bytes;
    const int64_t largest = data_room(frames_.max_bytes());
    if (stream.reply_buffers.body.count > 0) {
        if (stream.sent_chunks - stream.taken_chunks >= stream.reply_buffers.body.count) {
            return 0;
        }
        const int64_t reply_buffer = std::min(
            largest, data_room(stream.reply_buffers.body.reply_buffer_bytes - wire::kSealBytes));
        // One or two are filled.
        if (stream.reply_buffers.body.count <= 2) {
            return std::min(left, reply_buffer);
        }
        const int64_t room = pipeline::chunk_room_bytes(reply_buffer, stream.sent_bytes, left);
        return room < left ? room & ~int64_t{7} : left;
    }
    const int64_t message = data_room(frames_.max_message_bytes());
    const int64_t chunk = std::min({left, largest, message, stream.window_bytes});
    const int64_t room = stream.window_bytes - (stream.sent_bytes - stream.taken_bytes);
    return chunk <= room ? chunk : 0;
}

bool GetStreams::send_chunk(Stream& stream) {
    const int64_t bytes = next_chunk_bytes(stream);
    if (send_chunk(stream, bytes)) {
        return true;
    }
    // If there is no buffer of that size, one from the reserve may be free.
    const int64_t reserved = data_room(frames_.max_reserved_bytes());
    return bytes > reserved && stream.client->data_under_way == 0 && send_chunk(stream, reserved);
}

bool GetStreams::fill(Stream& stream, char* data, int64_t bytes) {
    if (!stream.is_attached) {
        strided::pack(stream.from, data, bytes);
        return true;
    }
    node::ProcessMover mover(stream.process, node::ProcessMover::Direction::from_process);
    const bool moved = stream.from.visit(
        [&](auto& cursor) { return node::move_layout(mover, cursor, data, bytes); });
    if (!moved) {
        answers_.refuse(*stream.client, wire::FrameKind::get, stream.request_id,
                        access_refusal(stream.process, mover.failure(), bytes));
    }
    return moved;
}

bool GetStreams::post(const Stream& stream, OutReply* reply) {
    if (stream.reply_buffers.body.count == 0) {
        return sender_.post(*stream.client, reply);
    }
    const auto index = static_cast<uint32_t>(stream.sent_chunks % stream.reply_buffers.body.count);
    return sender_.post_into_reply_buffer(*stream.client, reply, stream.reply_buffers, index);
}

void GetStreams::step_back(Stream& stream, int64_t bytes) {
    stream.sent_bytes -= bytes;
    stream.from.seek(stream.from.position() - bytes);
}

bool GetStreams::send_chunk(Stream& stream, int64_t bytes) {
    OutReply* reply = frames_.make(*stream.client, stream.request_id,
                                   wire::padded(wire::kDataHeadBytes + static_cast<size_t>(bytes)));
    if (reply == nullptr) {
        return false;
    }
    const wire::DataBody body{static_cast<uint64_t>(stream.sent_bytes),
                              static_cast<uint64_t>(bytes)};
    std::memcpy(reply->wire() + sizeof(wire::FrameHeader), &body, sizeof body);
    const int64_t begin_ns = base::trace_ns();
    if (!fill(stream, reply->wire() + wire::kDataHeadBytes, bytes)) {
        ReplySender::release(reply);
        stream.sent_bytes = stream.total_bytes;  // nothing more of it is sent
        return true;
    }
    stream.sent_bytes += bytes;
    const int64_t end_ns = base::trace_ns();
    if (end_ns != 0) [[unlikely]] {
        ReplySender::trace(reply, end_ns);
    }
    if (!post(stream, reply)) {
        // The provider is full, so the buffer is released and pack again later, which is rare and
        // simple.
        ReplySender::release(reply);
        step_back(stream, bytes);
        return false;
    }
    if (end_ns != 0) [[unlikely]] {
        base::record({.kind = &base::kTracePackAt,
                      .begin_ns = begin_ns,
                      .end_ns = end_ns,
                      .bytes = bytes,
                      .number = static_cast<int64_t>(body.offset),
                      .rank = stream.client->rank,
                      .arrow = base::arrow_of_answer(stream.client->rank, sender_.server(),
                                                     stream.request_id, body.offset)});
    }
    ++stream.sent_chunks;
    return true;
}

void GetStreams::note_waiting(Stream& stream) const {
    if (base::is_tracing() && stream.waiting_since_ns == 0) [[unlikely]] {
        stream.waiting_since_ns = base::now_ns();
        stream.missing = next_chunk_bytes(stream) == 0 ? "no credit" : "no buffer is free";
    }
}

void GetStreams::record_waiting(Stream& stream) {
    base::record({.kind = &base::kTraceStall,
                  .name = stream.missing,
                  .begin_ns = stream.waiting_since_ns,
                  .end_ns = base::now_ns(),
                  .rank = stream.client->rank});
    stream.waiting_since_ns = 0;
}

// Sends one chunk for each stream whose origin has room, and puts it behind the others then. What a
// stream lacks delays no other client, whether it is its peer's connection or its share of the
// buffers. Later gets of the same client have to wait, because they might take every buffer that is
// large enough for them and too small for it.
bool GetStreams::progress() {
    bool moved = false;
    is_short_ = false;
    for (const Stream& stream : streams_) {
        stream.client->gets_are_short = false;
    }
    auto next = streams_.begin();
    for (size_t left = streams_.size(); left > 0; --left) {
        const auto stream = next++;
        if (next_chunk_bytes(*stream) == 0) {
            note_waiting(*stream);
            continue;
        }
        bool& gets_are_short = stream->client->gets_are_short;
        if (gets_are_short || !send_chunk(*stream)) {
            gets_are_short = true;
            is_short_ = true;
            note_waiting(*stream);
            continue;
        }
        moved = true;
        if (stream->waiting_since_ns != 0) [[unlikely]] {
            record_waiting(*stream);
        }
        if (stream->sent_bytes == stream->total_bytes) {
            remove(stream);
        } else {
            streams_.splice(streams_.end(), streams_, stream);
        }
    }
    return moved;
}

bool GetStreams::wants_to_send() const {
    return std::any_of(streams_.begin(), streams_.end(),
                       [this](const Stream& stream) { return next_chunk_bytes(stream) > 0; });
}

}  // namespace armci::datasrv
