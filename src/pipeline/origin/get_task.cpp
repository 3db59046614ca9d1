// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/get_task.h"

#include <algorithm>

#include "base/trace.h"
#include "pipeline/buffers/chunk_sizes.h"
#include "pipeline/origin/get_answer.h"
#include "pipeline/origin/origin_services.h"

namespace armci::pipeline {

GetTask::GetTask(Transfer&& transfer)
    : Task(transfer.function),
      transfer_(std::move(transfer)),
      remote_(transfer_.sides),
      local_(transfer_.sides.local()) {}

bool GetTask::post(OriginServices& origin) {
    while (requested_bytes_ < transfer_.total_bytes) {
        if (!request_next(origin)) {
            return false;
        }
    }
    return true;
}

bool GetTask::request_next(OriginServices& origin) {
    const wire::LayoutWriter::Part part = remote_.part_without_data(
        requested_bytes_, origin.frames.largest_message_bytes() -
                              origin.replies.described_bytes(origin.replies.max_of_get()));
    Stream stream;
    stream.begin = requested_bytes_;
    stream.total_bytes = part.data_bytes;
    if (!reserve_memory(origin, &stream)) {
        waiting_since_ns_ = waiting_since_ns_ != 0 ? waiting_since_ns_ : base::trace_ns();
        return false;
    }
    if (waiting_since_ns_ != 0) [[unlikely]] {
        base::record({.kind = &base::kTraceStall,
                      .name = "no buffer is free",
                      .begin_ns = waiting_since_ns_,
                      .end_ns = base::now_ns(),
                      .node = channel().node});
        waiting_since_ns_ = 0;
    }
    stream.request_id = origin.requests.add(this, stream_count_);
    OriginFrame* frame = build_request(origin, stream, part);
    if (frame == nullptr ||
        !origin.frames.send(channel(), frame, this, FrameSender::Effect::none)) {
        if (frame != nullptr) {
            frame->release();
        }
        origin.requests.remove(stream.request_id);
        release_memory(origin, stream);
        return false;
    }
    add_pending();  // until the last chunk has come
    if (stream_count_ > 0) {
        more_.push_back(stream);
    } else {
        first_ = stream;
    }
    ++stream_count_;
    requested_bytes_ += stream.total_bytes;
    origin.frames.counters().change_under_way(stream.total_bytes);
    return true;
}

// Small answers come as messages, for which memory is posted anyway. A long one has several chunks
// under way: one being packed, one being transmitted, one being unpacked.
bool GetTask::reserve_memory(OriginServices& origin, Stream* stream) const {
    const auto message = static_cast<int64_t>(origin.frames.largest_message_bytes());
    if (!origin.replies.are_usable() || stream->total_bytes <= message / 2) {
        stream->window_bytes =
            std::clamp(stream->total_bytes, kSmallestWindow, origin.credits.window_bytes());
        return origin.credits.reserve(stream->window_bytes);
    }
    const auto bytes_for = [](int64_t data_bytes) {
        return wire::padded(wire::kDataHeadBytes + static_cast<size_t>(data_bytes)) +
               wire::kSealBytes;
    };
    const auto depth = static_cast<uint32_t>(origin.frames.depth().chunks());
    const uint32_t most =
        depth > 0 ? std::min(depth, origin.replies.max_of_get()) : origin.replies.max_of_get();
    // A server writes at most as much at a time as one of its own buffers holds.
    const size_t largest = origin.replies.max_bytes() - OutFrame::kOverheadBytes + wire::kSealBytes;
    size_t bytes = bytes_for(stream->total_bytes);
    uint32_t max = 1;
    if (bytes > largest) {
        bytes = origin.replies.max_bytes();
        max = most;
    } else if (stream->total_bytes >= kShortFirstMin && most > 1 && origin.replies.count() == 0) {
        // The stages of several gets overlap each other. One alone has two chunks. There is room
        // for both where none is in use.
        bytes = bytes_for((stream->total_bytes + 1) / 2);
        max = 2;
    }
    while (stream->reply_buffer_count < max &&
           origin.replies.acquire(bytes, &stream->reply_buffers[stream->reply_buffer_count])) {
        ++stream->reply_buffer_count;
    }
    stream->window_bytes = static_cast<int64_t>(bytes) * stream->reply_buffer_count;
    return stream->reply_buffer_count > 0;
}

void GetTask::release_memory(OriginServices& origin, const Stream& stream) {
    if (stream.reply_buffer_count == 0) {
        origin.credits.unreserve(stream.window_bytes);
    }
    for (uint32_t i = 0; i < stream.reply_buffer_count; ++i) {
        origin.replies.release(stream.reply_buffers[i]);
    }
}

OriginFrame* GetTask::build_request(OriginServices& origin, const Stream& stream,
                                    const wire::LayoutWriter::Part& part) {
    const size_t wire_bytes =
        wire::kTransferHeadBytes + part.encoded_bytes +
        (stream.reply_buffer_count > 0 ? origin.replies.described_bytes(stream.reply_buffer_count)
                                       : 0);
    if (!channel().flow.has_room(wire_bytes)) {
        return nullptr;
    }
    OriginFrame* frame = origin.frames.new_frame(wire::FrameKind::get, wire_bytes);
    if (frame == nullptr) {
        return nullptr;
    }
    wire::FrameHeader& header = *frame->header();
    header.request_id = stream.request_id;
    wire::TransferBody body;
    body.data_bytes = static_cast<uint64_t>(stream.total_bytes);
    body.window_bytes = static_cast<uint32_t>(std::min(stream.window_bytes, int64_t{UINT32_MAX}));
    body.owner = transfer_.place.owner;
    std::memcpy(frame->wire() + sizeof(wire::FrameHeader), &body, sizeof body);
    char* out = remote_.write(part, &header, frame->wire() + wire::kTransferHeadBytes);
    if (stream.reply_buffer_count > 0) {
        header.flags |= wire::kHasReplyBuffers;
        origin.replies.describe(stream.reply_buffers, stream.reply_buffer_count).encode(out);
    }
    return frame;
}

bool GetTask::on_answer(OriginServices& origin, const wire::FrameHeader& header, const void* frame,
                        int tag) {
    Stream& stream = this->stream(tag);
    const wire::DataBody body = decode_answer(origin.channels, *this, header, frame,
                                              stream.total_bytes, stream.taken_bytes);
    const auto bytes = static_cast<int64_t>(body.data_bytes);
    const char* data = wire::after_body<wire::DataBody>(frame);
    const int64_t begin_ns = base::trace_ns();
    // Chunks may complete out of order.
    const int64_t position = stream.begin + static_cast<int64_t>(body.offset);
    if (local_.position() != position) {
        local_.seek(position);
    }
    strided::unpack(local_, data, bytes);
    trace_unpacking(begin_ns, origin.frames.rank(), header, body, channel().node);
    stream.taken_bytes += bytes;
    if (stream.taken_bytes == stream.total_bytes) {
        origin.requests.remove(stream.request_id);
        release_memory(origin, stream);
        remove_pending();
    } else {
        credit(origin, stream, reinterpret_cast<uint64_t>(frame));
    }
    origin.frames.counters().change_under_way(-bytes);
    return true;
}

void GetTask::credit(OriginServices& origin, Stream& stream, uint64_t written_at) {
    if (stream.reply_buffer_count == 0) {
        if (2 * (stream.taken_bytes - stream.credited_bytes) >= stream.window_bytes) {
            stream.credited_bytes = stream.taken_bytes;
            origin.credits.send(channel(), stream.request_id,
                                {static_cast<uint64_t>(stream.taken_bytes), 0});
        }
        return;
    }
    // The places are written in turn, so they are released in turn, whatever the order in which the
    // chunks were announced.
    for (uint32_t i = 0; i < stream.reply_buffer_count; ++i) {
        if (reinterpret_cast<uint64_t>(origin.replies.memory(stream.reply_buffers[i])) ==
            written_at) {
            stream.taken[i] = true;
        }
    }
    while (stream.taken[stream.taken_chunks % stream.reply_buffer_count]) {
        stream.taken[stream.taken_chunks % stream.reply_buffer_count] = false;
        ++stream.taken_chunks;
    }
    // Half of them are released at a time, because each credit is a message; but not more than two,
    // because rails of different speed need some that are free.
    constexpr uint64_t kMostAtATime = 2;
    const uint64_t released = stream.taken_chunks - stream.credited_chunks;
    if (released >= kMostAtATime || 2 * released >= stream.reply_buffer_count) {
        stream.credited_chunks = stream.taken_chunks;
        origin.credits.send(channel(), stream.request_id, {0, stream.taken_chunks});
    }
}

}  // namespace armci::pipeline
