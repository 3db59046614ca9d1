// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/chunk_task.h"

#include <cstring>

#include "base/trace.h"
#include "pipeline/origin/origin_services.h"

namespace armci::pipeline {
namespace {

constexpr const char* kNoRecvBuffer = "no receive buffer is granted";
constexpr const char* kNoWindow = "no room in the window";
constexpr const char* kNoBuffer = "no buffer is free";

size_t wire_bytes_of(const wire::LayoutWriter::Part& part) {
    return wire::padded(wire::kTransferHeadBytes + part.encoded_bytes +
                        static_cast<size_t>(part.data_bytes));
}

}  // namespace

ChunkTask::ChunkTask(wire::FrameKind kind, Transfer&& transfer)
    : Task(transfer.function),
      kind_(kind),
      transfer_(std::move(transfer)),
      remote_(transfer_.sides),
      local_(transfer_.sides.local()) {}

void ChunkTask::keep_arguments() {
    if (transfer_.sides.own()) {
        remote_ = wire::LayoutWriter(transfer_.sides);
        local_ = strided::Cursor(transfer_.sides.local());
        local_.seek(packed_bytes_);
    }
}

bool ChunkTask::post(OriginServices& origin) {
    constexpr uint32_t kLongChunk = 64 << 10;  // so long that it is worth asking whether it has
                                               // left
    while (unsent_ != nullptr || packed_bytes_ < transfer_.total_bytes) {
        if (unsent_ == nullptr) {
            const int64_t begin_ns = base::trace_ns();
            unsent_ = next_frame(origin);
            if (unsent_ == nullptr) {
                origin.stats->buffer_waits += waiting_ ? 0 : 1;
                waiting_since_ns_ = waiting_ ? waiting_since_ns_ : begin_ns;
                waiting_ = true;
                return false;
            }
            if (begin_ns != 0) [[unlikely]] {
                note_packed(begin_ns);
            }
            waiting_ = false;
            ++origin.stats->chunks_sent;
            if (packed_bytes_ == transfer_.total_bytes && channel().fence_habit.fence_follows()) {
                unsent_->header()->flags |= wire::kAcknowledgeNow;
            }
        }
        const bool is_long = unsent_->wire_bytes >= kLongChunk;
        if (!origin.frames.send(channel(), unsent_, this, FrameSender::Effect::mutation,
                                FrameSender::Waits::always, in_place_)) {
            return false;
        }
        if (pack_begin_ns_ != 0) [[unlikely]] {
            record_packed(origin);
        }
        unsent_ = nullptr;
        if (packed_bytes_ < transfer_.total_bytes) {
            if (origin.are_shared()) {
                return false;  // the turn of other channels
            }
            if (is_long) {
                origin.frames.reclaim_buffers();
            }
        }
    }
    return true;
}

OriginFrame* ChunkTask::next_frame(OriginServices& origin) {
    if (!origin.frames.has_chunk_for(*this)) {
        missing_ = kNoBuffer;
        return nullptr;
    }
    const int64_t left_bytes = transfer_.total_bytes - packed_bytes_;
    const strided::Block block = block_in_place(origin);
    const size_t room = origin.grants.chunk_room(
        channel(), packed_bytes_, left_bytes,
        block.bytes < left_bytes ? ChunkData::packed : ChunkData::in_place);
    if (room == 0) {
        missing_ = kNoRecvBuffer;
        return nullptr;
    }
    wire::LayoutWriter::Part part = remote_.part_with_data(packed_bytes_, room);
    part.data_bytes = whole_bytes(part.data_bytes);
    const bool is_in_place =
        block.bytes >= part.data_bytes &&
        origin.frames.sends_chunk_in_place(wire_bytes_of(part), part.data_bytes);
    const DataInPlace in_place =
        is_in_place ? DataInPlace{block.data, static_cast<size_t>(part.data_bytes)} : DataInPlace{};
    OriginFrame* frame = start_frame(origin, part, in_place);
    if (frame == nullptr) {
        return nullptr;
    }
    char* data = remote_.write(part, frame->header(), frame->wire() + wire::kTransferHeadBytes);
    if (is_in_place) {
        local_.seek(packed_bytes_ + part.data_bytes);
    } else {
        strided::pack(local_, data, part.data_bytes);
    }
    in_place_ = in_place;
    packed_bytes_ += part.data_bytes;
    channel().recv_buffers.queued_bytes -= part.data_bytes;
    return frame;
}

strided::Block ChunkTask::block_in_place(const OriginServices& origin) const {
    return origin.frames.sends_in_place() ? local_.rest_of_block() : strided::Block{nullptr, 0};
}

OriginFrame* ChunkTask::start_frame(OriginServices& origin, const wire::LayoutWriter::Part& part,
                                    const DataInPlace& in_place) {
    const size_t wire_bytes = wire_bytes_of(part);
    if (wire_bytes <= origin.frames.largest_message_bytes() &&
        !channel().flow.has_room(wire_bytes)) {
        missing_ = kNoWindow;
        return nullptr;
    }
    OriginFrame* frame = origin.frames.new_chunk_frame(kind_, wire_bytes, in_place.bytes);
    if (frame == nullptr) {
        missing_ = kNoBuffer;
        return nullptr;
    }
    wire::TransferBody body;
    body.offset = static_cast<uint64_t>(part.offset);
    body.data_bytes = static_cast<uint64_t>(part.data_bytes);
    body.owner = transfer_.place.owner;
    describe(frame->header(), &body);
    std::memcpy(frame->wire() + sizeof(wire::FrameHeader), &body, sizeof body);
    return frame;
}

void ChunkTask::note_packed(int64_t begin_ns) {
    if (waiting_) {
        base::record({.kind = &base::kTraceStall,
                      .name = missing_,
                      .begin_ns = waiting_since_ns_,
                      .end_ns = begin_ns,
                      .node = channel().node});
    }
    pack_begin_ns_ = begin_ns;
    pack_end_ns_ = base::now_ns();
    pack_bytes_ = wire::data_bytes(unsent_->wire(), unsent_->wire_bytes);
}

// This is recorded only now, because a frame gets its number when it leaves. The provider may have
// finished with it already.
void ChunkTask::record_packed(OriginServices& origin) {
    const uint64_t sequence = channel().flow.sent_frames;
    base::record({.kind = &base::kTracePack,
                  .begin_ns = pack_begin_ns_,
                  .end_ns = pack_end_ns_,
                  .bytes = pack_bytes_,
                  .number = static_cast<int64_t>(sequence),
                  .node = channel().node,
                  .arrow = base::arrow_of_frame(origin.frames.rank(), channel().server, sequence)});
}

}  // namespace armci::pipeline
