// SPDX-License-Identifier: BSD-3-Clause
// The small gets of a batch, and where their data goes. The server answers all of them together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "pipeline/origin/channels.h"
#include "pipeline/origin/pending_requests.h"
#include "pipeline/origin/reply_buffers.h"
#include "pipeline/origin/small_transfer.h"
#include "pipeline/origin/stream_credits.h"
#include "pipeline/origin/task.h"

namespace armci::pipeline {

// What an answer needs of the origin. OriginServices is above batches.
struct AnswerParts {
    const FrameSender& frames;
    const Channels& channels;
    PendingRequests& requests;
    StreamCredits& credits;
    ReplyBuffers& replies;
};

class GetBatch : public Task {
  public:
    // A batch has gets of several calls, so it names none of them.
    explicit GetBatch(const AnswerParts& parts) : Task(nullptr), parts_(parts) {
        call_when_complete(end_all, nullptr);
    }

    void add(const SmallTransfer& gets);
    // Returns how much receive memory an answer with that much data takes.
    static int64_t window_bytes(size_t data_bytes);
    // Notes that so much more of it is reserved.
    void note_reserved(int64_t bytes) { reserved_bytes_ += bytes; }
    int64_t reserved_bytes() const { return reserved_bytes_; }
    // Returns what the caller has to give back: from now on nothing is reserved.
    int64_t take_reservation() { return std::exchange(reserved_bytes_, 0); }
    size_t data_bytes() const { return data_bytes_; }  // of the answer
    size_t count() const { return count_; }            // of gets

    // Acquires a reply buffer for the answer. Returns false if there is none now; then the answer
    // comes in messages.
    bool acquire_reply_buffer();
    void release_reply_buffer();
    const std::optional<ReplyBuffer>& reply_buffer() const { return reply_buffer_; }

    // Its batch has posted all there is.
    bool post(OriginServices& /*origin*/) override { return true; }
    bool on_answer(OriginServices& origin, const wire::FrameHeader& header, const void* frame,
                   int tag) override;

  private:
    struct Sink {
        char* local;
        uint32_t bytes;
        uint32_t offset;  // in the answer
    };

    // Copies a part of the answer to where it belongs.
    void scatter(size_t offset, const char* data, size_t bytes) const;
    static void end_all(Task* task, void* context);

    const AnswerParts parts_;
    std::vector<Sink> sinks_;
    std::vector<GetEnd> ends_;
    size_t count_ = 0;
    size_t data_bytes_ = 0;  // of the answer
    size_t taken_bytes_ = 0;
    int64_t reserved_bytes_ = 0;
    std::optional<ReplyBuffer> reply_buffer_;
    uint64_t taken_chunks_ = 0;  // out of it
};

}  // namespace armci::pipeline
