// SPDX-License-Identifier: BSD-3-Clause
// Get through the data server. One request carries the layout, the server packs and streams chunks
// back, and this side unpacks them as they come. The request names the memory that the chunks are
// written to, or how many bytes of messages may be under way; credits renew both as chunks are
// taken.
// docs/references.md: Tipparaju 2001
#pragma once

#include <vector>

#include "pipeline/costs/transfer.h"
#include "pipeline/origin/origin_services.h"
#include "pipeline/origin/task.h"
#include "wire/layout_writer.h"

namespace armci::pipeline {

class GetTask : public Task {
  public:
    // Takes the transfer. A vector's address arrays must be owned or live until the task is
    // complete.
    explicit GetTask(Transfer&& transfer);

    bool post(OriginServices& origin) override;
    bool on_answer(OriginServices& origin, const wire::FrameHeader& header, const void* frame,
                   int tag) override;

  private:
    // One request and what it asks for: as much of the layout as a frame can name.
    struct Stream {
        uint64_t request_id = 0;
        // The reply buffers of its chunks, if they do not come as messages, and which of them hold
        // data that was not credited yet. The server writes them in turn.
        ReplyBuffer reply_buffers[wire::kMaxReplyBuffers];
        bool taken[wire::kMaxReplyBuffers] = {};
        uint32_t reply_buffer_count = 0;
        uint64_t taken_chunks = 0;
        uint64_t credited_chunks = 0;
        int64_t begin = 0;  // in the layout
        int64_t total_bytes = 0;
        int64_t taken_bytes = 0;
        int64_t credited_bytes = 0;
        int64_t window_bytes = 0;
    };

    // Sends the next request. Returns false when that is not possible now.
    bool request_next(OriginServices& origin);
    bool reserve_memory(OriginServices& origin, Stream* stream) const;
    static void release_memory(OriginServices& origin, const Stream& stream);
    OriginFrame* build_request(OriginServices& origin, const Stream& stream,
                               const wire::LayoutWriter::Part& part);
    void credit(OriginServices& origin, Stream& stream, uint64_t written_at);

    Transfer transfer_;
    wire::LayoutWriter remote_;
    strided::Cursor local_;
    int64_t requested_bytes_ = 0;
    int stream_count_ = 0;
    int64_t waiting_since_ns_ = 0;  // for memory; for the timeline
    // Returns a stream by its tag. Most gets need only one, which costs no allocation.
    Stream& stream(int tag) { return tag == 0 ? first_ : more_[static_cast<size_t>(tag) - 1]; }

    Stream first_;
    std::vector<Stream> more_;
};

}  // namespace armci::pipeline
