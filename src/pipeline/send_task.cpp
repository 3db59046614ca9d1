#include "pipeline/send_task.h"

#include <algorithm>

#include "pipeline/origin.h"

namespace armci::pipeline {
namespace {

constexpr size_t kHeadBytes = sizeof(wire::FrameHeader) + sizeof(wire::TransferBody);

}  // namespace

SendTask::SendTask(Transfer&& transfer) : Task(transfer.function), transfer_(std::move(transfer)) {
    if (!transfer_.is_vector) {
        remote_layout_ = strided::remote_side(transfer_.pair);
        local_ = strided::StridedCursor(transfer_.local, strided::local_side(transfer_.pair));
    }
}

bool SendTask::post(Origin& origin) {
    while (unsent_ != nullptr || sent_bytes_ < transfer_.total_bytes) {
        if (unsent_ == nullptr) {
            unsent_ = next_frame(origin);
            if (unsent_ == nullptr) {
                origin.stats().buffer_waits += waiting_ ? 0 : 1;
                waiting_ = true;
                return false;
            }
            waiting_ = false;
            ++origin.stats().chunks_sent;
        }
        if (!origin.send(channel(), unsent_, this, Origin::Effect::mutation)) {
            return false;
        }
        unsent_ = nullptr;
    }
    return true;
}

OutFrame* SendTask::next_frame(Origin& origin) {
    if (!transfer_.is_vector) {
        return next_strided_frame(origin, transfer_.remote, remote_layout_, sent_bytes_, local_);
    }
    if (segments_per_frame(origin) > 0) {
        return next_segments_frame(origin);
    }
    // Segments too long for several to share a frame: each is a contiguous transfer of its own.
    const VectorSegments& segments = transfer_.segments;
    const int64_t in_segment = sent_bytes_ - segment_ * segments.segment_bytes;
    strided::Layout whole;
    whole.count[0] = segments.segment_bytes;
    strided::StridedCursor local(reinterpret_cast<void*>(segments.local[segment_]), whole);
    local.seek(in_segment);
    OutFrame* frame =
        next_strided_frame(origin, segments.remote[segment_], whole, in_segment, local);
    if (frame != nullptr && local.remaining() == 0) {
        ++segment_;
    }
    return frame;
}

OutFrame* SendTask::start_frame(Origin& origin, size_t layout_bytes, int64_t offset,
                                int64_t data_bytes, char** layout) {
    const size_t wire_bytes =
        wire::padded(kHeadBytes + layout_bytes + static_cast<size_t>(data_bytes));
    if (!origin.is_introduced(channel()) || !channel().has_room(wire_bytes)) {
        return nullptr;
    }
    const bool is_put = transfer_.op == base::OpKind::put;
    OutFrame* frame =
        origin.new_frame(is_put ? wire::FrameKind::put : wire::FrameKind::accumulate, wire_bytes);
    if (frame == nullptr) {
        return nullptr;
    }
    wire::TransferBody body;
    body.offset = static_cast<uint64_t>(offset);
    body.data_bytes = static_cast<uint64_t>(data_bytes);
    if (!is_put) {
        frame->header()->acc_type = static_cast<uint8_t>(transfer_.scale.type);
        std::memcpy(body.scale, transfer_.scale.value, sizeof body.scale);
    }
    std::memcpy(frame->wire() + sizeof(wire::FrameHeader), &body, sizeof body);
    *layout = frame->wire() + kHeadBytes;
    return frame;
}

OutFrame* SendTask::next_strided_frame(Origin& origin, uint64_t remote,
                                       const strided::Layout& layout, int64_t offset,
                                       strided::StridedCursor& local) {
    const size_t layout_bytes = wire::encoded_strided_bytes(layout.levels);
    int64_t bytes =
        std::min(static_cast<int64_t>(origin.largest_wire_bytes() - kHeadBytes - layout_bytes),
                 local.remaining());
    if (transfer_.op == base::OpKind::acc) {
        bytes -= bytes % strided::element_bytes(transfer_.scale.type);
    }
    char* out = nullptr;
    OutFrame* frame = start_frame(origin, layout_bytes, offset, bytes, &out);
    if (frame == nullptr) {
        return nullptr;
    }
    frame->header()->layout_kind = static_cast<uint8_t>(wire::LayoutKind::strided);
    frame->header()->levels = static_cast<uint8_t>(layout.levels);
    out = wire::encode_strided(out, remote, layout);
    strided::pack(local, out, bytes);
    sent_bytes_ += bytes;
    return frame;
}

int64_t SendTask::segments_per_frame(const Origin& origin) const {
    const size_t space =
        origin.largest_wire_bytes() - kHeadBytes - wire::encoded_vector_bytes(0) - sizeof(uint64_t);
    return static_cast<int64_t>(space) /
           (transfer_.segments.segment_bytes + static_cast<int64_t>(sizeof(uint64_t)));
}

OutFrame* SendTask::next_segments_frame(Origin& origin) {
    const VectorSegments& segments = transfer_.segments;
    const int64_t count = std::min(segments_per_frame(origin), segments.count - segment_);
    const int64_t bytes = count * segments.segment_bytes;
    char* out = nullptr;
    OutFrame* frame = start_frame(origin, wire::encoded_vector_bytes(count), 0, bytes, &out);
    if (frame == nullptr) {
        return nullptr;
    }
    frame->header()->layout_kind = static_cast<uint8_t>(wire::LayoutKind::vector);
    uint64_t* addresses = nullptr;
    out = wire::encode_vector(out, count, segments.segment_bytes, &addresses);
    std::memcpy(addresses, segments.remote + segment_, sizeof(uint64_t) * count);
    strided::VectorCursor local(segments.local + segment_, count, segments.segment_bytes);
    strided::pack(local, out, bytes);
    segment_ += count;
    sent_bytes_ += bytes;
    return frame;
}

}  // namespace armci::pipeline
