// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/get_batch.h"

#include <algorithm>
#include <cstring>

#include "base/trace.h"
#include "pipeline/origin/get_answer.h"
#include "strided/kernels.h"

namespace armci::pipeline {

struct OriginServices;  // is above batches

void GetBatch::add(const SmallTransfer& gets) {
    ++count_;
    for (int i = 0; i < gets.block_count; ++i) {
        sinks_.push_back({gets.blocks[i].local, static_cast<uint32_t>(gets.block_bytes),
                          static_cast<uint32_t>(data_bytes_)});
        data_bytes_ += wire::padded(gets.block_bytes);
    }
    if (gets.end.call != nullptr) {
        ends_.push_back(gets.end);
    }
}

int64_t GetBatch::window_bytes(size_t data_bytes) {
    // Messages have room for more than that, so there are at most so many.
    constexpr size_t kShortest = 2 << 10;
    const size_t frame_count = data_bytes / kShortest + 1;
    return std::max(static_cast<int64_t>(data_bytes + frame_count * wire::kDataHeadBytes),
                    kSmallestWindow);
}

bool GetBatch::acquire_reply_buffer() {
    ReplyBuffers& replies = parts_.replies;
    const size_t bytes = wire::kDataHeadBytes + data_bytes_ + wire::kSealBytes;
    ReplyBuffer buffer;
    if (!replies.are_usable() || !replies.acquire(std::min(bytes, replies.max_bytes()), &buffer)) {
        return false;
    }
    reply_buffer_ = buffer;
    return true;
}

void GetBatch::release_reply_buffer() {
    if (reply_buffer_) {
        parts_.replies.release(*reply_buffer_);
        reply_buffer_.reset();
    }
}

bool GetBatch::on_answer(OriginServices&, const wire::FrameHeader& header, const void* frame, int) {
    const wire::DataBody body =
        decode_answer(parts_.channels, *this, header, frame, static_cast<int64_t>(data_bytes_),
                      static_cast<int64_t>(taken_bytes_));
    const int64_t begin_ns = base::trace_ns();
    scatter(body.offset, wire::after_body<wire::DataBody>(frame), body.data_bytes);
    trace_unpacking(begin_ns, parts_.frames.rank(), header, body, channel().node);
    taken_bytes_ += body.data_bytes;
    if (taken_bytes_ == data_bytes_) {
        parts_.requests.remove(header.request_id);
        parts_.credits.unreserve(take_reservation());
        release_reply_buffer();
        remove_pending();
    } else if (reply_buffer_) {  // which is free for the next part
        parts_.credits.send(channel(), header.request_id, {0, ++taken_chunks_});
    }
    return true;
}

void GetBatch::scatter(size_t offset, const char* data, size_t bytes) const {
    const size_t end = offset + bytes;
    auto sink = std::partition_point(sinks_.begin(), sinks_.end(), [offset](const Sink& s) {
        return s.offset + s.bytes <= offset;
    });
    for (; sink != sinks_.end() && sink->offset < end; ++sink) {
        const size_t from = std::max<size_t>(sink->offset, offset);
        const size_t to = std::min<size_t>(sink->offset + sink->bytes, end);
        strided::copy_block(data + (from - offset), sink->local + (from - sink->offset), to - from);
    }
}

void GetBatch::end_all(Task* task, void*) {
    auto* gets = static_cast<GetBatch*>(task);
    for (const GetEnd& end : gets->ends_) {
        end.call(end.context);
    }
    delete gets;
}

}  // namespace armci::pipeline
