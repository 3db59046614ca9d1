// SPDX-License-Identifier: BSD-3-Clause
// Frames on their way out: their memory, the handshake before the first one, and how they leave: as
// messages within the server's window, or as chunks that are written into receive buffers which the
// server has granted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/stats.h"
#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "pipeline/buffers/chunk_sizes.h"
#include "pipeline/buffers/registered_buffers.h"
#include "pipeline/origin/channels.h"
#include "pipeline/origin/depth_limit.h"
#include "pipeline/origin/origin_options.h"
#include "pipeline/origin/out_frame.h"
#include "pipeline/origin/pending_tasks.h"
#include "pipeline/origin/turn.h"

namespace armci::pipeline {

class FrameSender {
  public:
    FrameSender(fabric::Endpoint& endpoint, RegisteredBuffers& chunk_buffers, Channels& channels,
                PendingTasks& tasks, Turn& turn)
        : endpoint_(endpoint),
          chunk_buffers_(chunk_buffers),
          channels_(channels),
          tasks_(tasks),
          turn_(turn) {}

    // The endpoint and the buffers for chunks are open.
    bool open(fabric::Domain& domain, const OriginOptions& options, base::Stats* stats,
              std::string* error);
    // The endpoint must be closed before.
    void close() { small_frames_.close(); }

    size_t largest_message_bytes() const { return largest_message_bytes_; }
    // Of a request: it always travels as a message.
    size_t largest_request_bytes() const {
        return std::min(largest_message_bytes_, kSmallFrameBytes);
    }

    // A buffer for a frame of that length, its header filled in; nullptr when there is none now.
    OutFrame* new_frame(wire::FrameKind kind, size_t wire_bytes);
    OutFrame* new_chunk_frame(wire::FrameKind kind, size_t wire_bytes);
    void discard(OutFrame* frame);
    // Of frames that are no chunks.
    size_t used_bytes() const { return small_frames_.manager().used_bytes(); }

    // Whether the server knows this origin, or has been sent what it needs for that. A task that
    // keeps buffers while it waits asks first: the handshake needs a buffer, too.
    bool ensure_handshake(Channel& channel) {
        return channel.handshake_sent || send_handshake(channel);
    }
    enum class Effect : uint8_t { none, mutation };
    // Sends the frame for the task (its pending count goes up until the provider is done with the
    // buffer). False: not now, the frame is still the caller's.
    bool send(Channel& channel, OutFrame* frame, Task* task, Effect effect);
    // The same for no task: where it cannot be sent now, it is discarded.
    bool send_or_discard(Channel& channel, OutFrame* frame);
    // Posts a frame whose effect and completion are the caller's business. False: not now.
    bool post(Channel& channel, OutFrame* frame);
    // A small frame to another endpoint, which is on no channel.
    bool post_to(fabric::PeerAddress peer, OutFrame* frame);

    // Sends a frame whose acknowledgement covers everything posted so far, unless one that covers
    // `needed` is on its way. A caller that waits for it repeats the call: there may be no room
    // now.
    void ask_acknowledge(Channel& channel, uint64_t needed);

    // Between two chunks: takes back the buffers of those that have left, while they are in the
    // processor's cache (8 MiB over loopback: 24 % less time). Not from within a completion.
    void reclaim_buffers() { turn_.moved |= endpoint_.poll() > 0; }

    DepthLimit& depth() { return depth_; }
    const DepthLimit& depth() const { return depth_; }

  private:
    OutFrame* make_frame(void* piece, wire::FrameKind kind, size_t wire_bytes);
    bool send_handshake(Channel& channel);
    bool post_message(Channel& channel, OutFrame* frame);
    bool post_into_recv_buffer(Channel& channel, OutFrame* frame);
    static void on_sent(fabric::Operation* operation, const fabric::Completion& completion);
    // The same where the timeline is kept: what is to complete so has been posted so.
    static void on_traced_sent(fabric::Operation* operation, const fabric::Completion& completion);

    static constexpr size_t kSmallFrameBytes = kLargestMessagePiece - OutFrame::kWireOffset;

    fabric::Endpoint& endpoint_;
    RegisteredBuffers& chunk_buffers_;
    // Requests and everything small have memory of their own, so that neither waits for the other.
    RegisteredBuffers small_frames_;
    Channels& channels_;
    PendingTasks& tasks_;
    Turn& turn_;
    base::Stats* stats_ = nullptr;
    DepthLimit depth_;
    int rank_ = 0;
    size_t largest_message_bytes_ = 0;
};

}  // namespace armci::pipeline
