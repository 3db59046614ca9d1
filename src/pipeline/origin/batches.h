// SPDX-License-Identifier: BSD-3-Clause
// Batches: small puts, accumulates and gets to one data server that travel in one frame. The gets
// are answered by one frame, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pipeline/origin/channels.h"
#include "pipeline/origin/frame_sender.h"
#include "pipeline/origin/get_batch.h"
#include "pipeline/origin/pending_requests.h"
#include "pipeline/origin/pending_tasks.h"
#include "pipeline/origin/recv_grants.h"
#include "pipeline/origin/reply_buffers.h"
#include "pipeline/origin/small_transfer.h"
#include "pipeline/origin/stream_credits.h"

namespace armci::pipeline {

class Batches {
  public:
    // A small operation that follows another one sooner than this waits for others. Between those
    // that are further apart the program computes.
    static constexpr int64_t kIsolatedNs = 20'000;

    // by_caller means that flush_blocking() follows.
    enum class Leaving : uint8_t { when_due, by_caller };

    Batches(FrameSender& frames, Channels& channels, PendingTasks& tasks, PendingRequests& requests,
            StreamCredits& credits, RecvGrants& grants, ReplyBuffers& replies)
        : frames_(frames),
          channels_(channels),
          tasks_(tasks),
          grants_(grants),
          answers_{frames, channels, requests, credits, replies} {}

    void close() { leaving_.clear(); }

    // Appends a small transfer, block by block, to the batch for that server. The data of a put or
    // accumulate is copied. The gets of a batch are one task, which is complete when their data has
    // come. The batch leaves with the next frame to that server, when it or its answer is full, or
    // with the next flush_all(). It leaves at once when nothing has gone there for a while,
    // or when few operations are under way before a get (none, if many gets have left
    // together before). Returns false if nothing is appended; the caller then makes a task of it.
    bool append(Channel& channel, const SmallTransfer& transfer, Leaving leaving);
    // Returns whether append() will sometime succeed with a put or accumulate that it refuses now.
    bool may_wait(const SmallTransfer& transfer) const;
    // Returns true when no batch of that channel is left open.
    bool flush(Channel& channel);
    void flush_all();
    // Sends what a blocking operation has just appended. If fences usually follow such operations,
    // the frame also asks for the acknowledgement.
    void flush_blocking(int server);

    // Returns whether everything appended so far has left and needs no further polls to arrive.
    bool have_left() const { return channels_.lists().batching.empty() && !is_leaving(last_); }
    // Returns true only if that is so, and costs next to nothing.
    bool have_left_for_long() const {
        return channels_.lists().batching.empty() && leaving_.empty();
    }
    // Returns whether the batches up to that one have left, to that server or to all. Waits use
    // this, because other threads may continue to open batches.
    uint64_t last() const { return last_; }
    bool has_left(int server, uint64_t last) const;
    bool have_left(uint64_t last) const;

  private:
    // A batch that may still need polls to leave.
    struct LeavingBatch {
        const Channel* channel;
        uint64_t frame;  // its number there
        uint64_t batch;

        bool has_left() const { return channel->flow.has_left(frame); }
    };
    static GetBatch* gets_of(const Channel& channel);
    // Returns whether the open batch has room for the transfer, in its frame and in the answer.
    bool has_room(const Channel& channel, const SmallTransfer& transfer,
                  size_t entries_bytes) const;
    // Returns the length of a batch with these entries.
    size_t bytes_with(size_t entries_bytes) const;
    // Opens a batch with room for that much, and for others if it may grow.
    bool open_batch(Channel& channel, size_t entries_bytes, bool may_grow);
    // Returns whether the open batch may become so long that it takes a granted receive buffer.
    bool is_long(const Channel& channel) const;
    // Returns how much more receive memory the channel's batch needs for the answer.
    static int64_t missing_window(const Channel& channel, const SmallTransfer& transfer);
    void add_gets(Channel& channel, const SmallTransfer& transfer, int64_t reserved_bytes);
    static char* write_entry(char* out, const SmallTransfer& transfer, const SmallBlock& block);
    // Completes the frame and posts it. Returns false if that is not possible now.
    bool post(Channel& channel, OriginFrame* batch);
    void note_change(Channel& channel);
    static void note_habit(Channel& channel, size_t gets);
    // Return whether a batch up to that one is leaving, to one server or to any.
    bool is_leaving(int server, uint64_t last) const;
    bool is_leaving(uint64_t last) const;
    static void on_sent(fabric::Operation* operation, const fabric::Completion& completion);

    FrameSender& frames_;
    Channels& channels_;
    PendingTasks& tasks_;
    RecvGrants& grants_;
    AnswerParts answers_;
    std::vector<LeavingBatch> leaving_;  // and some that have left since the last one completed
    uint64_t last_ = 0;                  // number of the newest batch
};

}  // namespace armci::pipeline
