// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/chunk_task.h"

#include <algorithm>

#include "base/trace.h"
#include "pipeline/origin.h"

namespace armci::pipeline {
namespace {

constexpr const char* kNoCredit = "no credit";  // neither a slot nor room in the window
constexpr const char* kNoBuffer = "no buffer";

}  // namespace

ChunkTask::ChunkTask(wire::FrameKind kind, Transfer&& transfer)
    : Task(transfer.function), kind_(kind), transfer_(std::move(transfer)) {
    if (!transfer_.is_vector) {
        remote_layout_ = strided::remote_side(transfer_.pair);
        local_ = strided::StridedCursor(transfer_.local, strided::local_side(transfer_.pair));
    }
}

void ChunkTask::keep_arguments() {
    if (transfer_.is_vector) {
        transfer_.segments.own();
    }
}

bool ChunkTask::post(Origin& origin) {
    constexpr uint32_t kLongChunk = 64 << 10;  // worth a look whether it has left
    while (unsent_ != nullptr || packed_bytes_ < transfer_.total_bytes) {
        if (unsent_ == nullptr) {
            const int64_t begin_ns = base::trace_ns();
            unsent_ = next_frame(origin);
            if (unsent_ == nullptr) {
                origin.stats().buffer_waits += waiting_ ? 0 : 1;
                waiting_since_ns_ = waiting_ ? waiting_since_ns_ : begin_ns;
                waiting_ = true;
                return false;
            }
            if (begin_ns != 0) [[unlikely]] {
                note_packed(begin_ns);
            }
            waiting_ = false;
            ++origin.stats().chunks_sent;
            if (packed_bytes_ == transfer_.total_bytes && channel().fence_follows()) {
                unsent_->header()->flags |= wire::kAcknowledgeNow;
            }
        }
        const bool is_long = unsent_->wire_bytes >= kLongChunk;
        if (!origin.send(channel(), unsent_, this, Origin::Effect::mutation)) {
            return false;
        }
        if (pack_begin_ns_ != 0) [[unlikely]] {
            record_packed();
        }
        unsent_ = nullptr;
        if (packed_bytes_ < transfer_.total_bytes) {
            if (origin.is_shared()) {
                return false;  // the others' turn
            }
            if (is_long) {
                origin.reclaim_buffers();
            }
        }
    }
    return true;
}

OutFrame* ChunkTask::next_frame(Origin& origin) {
    const size_t room =
        origin.chunk_room(channel(), packed_bytes_, transfer_.total_bytes - packed_bytes_);
    if (room == 0) {
        missing_ = kNoCredit;
        return nullptr;
    }
    if (!transfer_.is_vector) {
        return next_strided_frame(origin, room, transfer_.remote, remote_layout_, packed_bytes_,
                                  local_);
    }
    const VectorSegments& segments = transfer_.segments;
    const int64_t in_segment = packed_bytes_ - segment_ * segments.segment_bytes;
    const int64_t count = std::min(segments_in(room), segments.count - segment_);
    if (in_segment == 0 && count > 0) {
        return next_segments_frame(origin, count);
    }
    // A segment too long for the frame is a contiguous transfer of its own.
    strided::Layout whole;
    whole.count[0] = segments.segment_bytes;
    strided::StridedCursor local(reinterpret_cast<void*>(segments.local[segment_]), whole);
    local.seek(in_segment);
    OutFrame* frame =
        next_strided_frame(origin, room, segments.remote[segment_], whole, in_segment, local);
    if (frame != nullptr && local.remaining() == 0) {
        ++segment_;
    }
    return frame;
}

OutFrame* ChunkTask::start_frame(Origin& origin, size_t layout_bytes, int64_t offset,
                                 int64_t data_bytes, char** layout) {
    const size_t wire_bytes =
        wire::padded(wire::kTransferHeadBytes + layout_bytes + static_cast<size_t>(data_bytes));
    if (wire_bytes <= origin.largest_message_bytes() && !channel().has_room(wire_bytes)) {
        missing_ = kNoCredit;
        return nullptr;
    }
    OutFrame* frame = origin.new_chunk_frame(kind_, wire_bytes);
    if (frame == nullptr) {
        missing_ = kNoBuffer;
        return nullptr;
    }
    wire::TransferBody body;
    body.offset = static_cast<uint64_t>(offset);
    body.data_bytes = static_cast<uint64_t>(data_bytes);
    body.owner = transfer_.owner;
    describe(frame->header(), &body);
    std::memcpy(frame->wire() + sizeof(wire::FrameHeader), &body, sizeof body);
    *layout = frame->wire() + wire::kTransferHeadBytes;
    return frame;
}

void ChunkTask::count_packed(int64_t bytes) {
    packed_bytes_ += bytes;
    channel().queued_bytes -= bytes;
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

// Only now, because a frame gets its number when it leaves. The provider may be done with it.
void ChunkTask::record_packed() {
    base::record({.kind = &base::kTracePack,
                  .begin_ns = pack_begin_ns_,
                  .end_ns = pack_end_ns_,
                  .bytes = pack_bytes_,
                  .number = static_cast<int64_t>(channel().sent_frames),
                  .node = channel().node});
}

OutFrame* ChunkTask::next_strided_frame(Origin& origin, size_t room, uint64_t remote,
                                        const strided::Layout& layout, int64_t offset,
                                        strided::StridedCursor& local) {
    const size_t layout_bytes = wire::encoded_strided_bytes(layout.levels);
    const int64_t bytes = whole_bytes(std::min(
        static_cast<int64_t>(room - wire::kTransferHeadBytes - layout_bytes), local.remaining()));
    char* out = nullptr;
    OutFrame* frame = start_frame(origin, layout_bytes, offset, bytes, &out);
    if (frame == nullptr) {
        return nullptr;
    }
    frame->header()->layout_kind = static_cast<uint8_t>(wire::LayoutKind::strided);
    frame->header()->levels = static_cast<uint8_t>(layout.levels);
    out = wire::encode_strided(out, remote, layout);
    strided::pack(local, out, bytes);
    count_packed(bytes);
    return frame;
}

int64_t ChunkTask::segments_in(size_t room) const {
    const wire::VectorForm form = wire::vector_form(transfer_.segments.remote_extent);
    // Entries and data are padded.
    const size_t head = wire::kTransferHeadBytes + form.encoded_bytes(0) + 2 * sizeof(uint64_t);
    return static_cast<int64_t>(
        (room - head) /
        (static_cast<size_t>(transfer_.segments.segment_bytes) + form.entry_bytes()));
}

OutFrame* ChunkTask::next_segments_frame(Origin& origin, int64_t count) {
    const VectorSegments& segments = transfer_.segments;
    const wire::VectorForm form = wire::vector_form(segments.remote_extent);
    const int64_t bytes = count * segments.segment_bytes;
    char* out = nullptr;
    OutFrame* frame = start_frame(origin, form.encoded_bytes(count), 0, bytes, &out);
    if (frame == nullptr) {
        return nullptr;
    }
    frame->header()->layout_kind = static_cast<uint8_t>(form.kind);
    out = form.encode(out, segments.remote + segment_, count, segments.segment_bytes);
    strided::VectorCursor local(segments.local + segment_, count, segments.segment_bytes);
    strided::pack(local, out, bytes);
    segment_ += count;
    count_packed(bytes);
    return frame;
}

}  // namespace armci::pipeline
