// SPDX-License-Identifier: BSD-3-Clause
// Sends the frames of an origin: it owns their memory and sends the handshake before the first one.
// A frame travels as a message within the server's window, or as a chunk that takes a receive
// buffer that the server has granted: it is written there, or is a message that may be as long.
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
#include "pipeline/origin/answer_slots.h"
#include "pipeline/origin/channels.h"
#include "pipeline/origin/depth_limit.h"
#include "pipeline/origin/left_frames.h"
#include "pipeline/origin/origin_counters.h"
#include "pipeline/origin/origin_frame.h"
#include "pipeline/origin/origin_options.h"
#include "pipeline/origin/pending_tasks.h"
#include "pipeline/origin/turn.h"

namespace armci::pipeline {

class FrameSender {
  public:
    FrameSender(fabric::Endpoint& endpoint, RegisteredBuffers& chunk_buffers, AnswerSlots& slots,
                Channels& channels, PendingTasks& tasks, Turn& turn, OriginCounters& counters)
        : endpoint_(endpoint),
          chunk_buffers_(chunk_buffers),
          slots_(slots),
          channels_(channels),
          tasks_(tasks),
          turn_(turn),
          counters_(counters) {}

    // The endpoint and the buffers for chunks must be open.
    bool open(fabric::Domain& domain, const OriginOptions& options, base::Stats* stats,
              std::string* error);
    // The endpoint must be closed before.
    void close() { small_frames_.close(); }

    // Returns the limit for a frame that takes no granted receive buffer.
    size_t largest_message_bytes() const { return largest_message_bytes_; }

    // Returns whether chunks are written into receive buffers. If not, they are messages.
    bool writes_chunks() const { return write_chunks_; }
    // Returns whether a chunk's data may be sent from where it lies.
    bool sends_in_place() const {
        return write_chunks_ && endpoint_.gathers_writes() &&
               in_place_min_bytes_ < static_cast<int64_t>(chunk_buffers_.buffer_bytes());
    }
    // Returns whether a chunk of that length, with so much data, is sent in place. Messages have
    // all of their bytes.
    bool sends_chunk_in_place(size_t wire_bytes, int64_t data_bytes) const {
        return sends_in_place() && data_bytes >= in_place_min_bytes_ &&
               wire_bytes > largest_message_bytes_;
    }

    // Return a buffer for a frame of that length with its header filled in, nullptr when none is
    // free.
    OriginFrame* new_frame(wire::FrameKind kind, size_t wire_bytes) {
        return new_frame(small_frames_, kind, wire_bytes, 0);
    }
    // So many bytes of a chunk are sent from where they lie.
    OriginFrame* new_chunk_frame(wire::FrameKind kind, size_t wire_bytes,
                                 size_t bytes_in_place = 0) {
        return new_frame(chunk_buffers_, kind, wire_bytes, bytes_in_place);
    }
    // Returns the bytes of frames that are not chunks.
    size_t used_bytes() const { return small_frames_.manager().used_bytes(); }
    // Returns whether there is memory for a small frame.
    bool has_small_frame() const { return used_bytes() < small_frames_.buffer_bytes(); }

    // Returns whether the handshake has been sent, and sends it if possible. A task that keeps
    // buffers while it waits asks first, because the handshake needs a buffer, too.
    bool ensure_handshake(Channel& channel) {
        return channel.handshake_sent || send_handshake(channel);
    }
    enum class Effect : uint8_t { none, mutation };
    // Says whether a task waits until its frame has left, or only if the frame may not leave alone.
    enum class Waits : uint8_t { always, unless_alone };
    // Sends the frame for the task, whose pending count grows while it waits for the frame. Returns
    // false when that is not possible now; the frame then stays the caller's. Data that lies
    // elsewhere is read until the task need not wait any more.
    bool send(Channel& channel, OriginFrame* frame, Task* task, Effect effect,
              Waits waits = Waits::always, const DataInPlace& data = {});
    // Does the same for no task. A frame that cannot be sent now is released.
    bool send_or_release(Channel& channel, OriginFrame* frame);
    // Posts a frame whose effect and completion the caller handles. Returns false if it cannot now.
    bool post(Channel& channel, OriginFrame* frame) {
        return post(channel, frame, !leaves_alone(channel, frame->wire_bytes), {});
    }
    // Is called when the provider has completed a frame of a channel. The task, if any, waits until
    // all frames up to that one have left.
    void note_left(Channel& channel, uint64_t number, Task* task);
    // Sends a small frame to another endpoint that has no channel.
    bool post_to(fabric::PeerAddress peer, OriginFrame* frame);

    // An idle network takes so many bytes without waiting for its receiver. Only a kernel that has
    // no memory left would not.
    static constexpr size_t kSurelyTaken = 4 << 10;
    // The same where a write is the last of these bytes. Linux gives a socket room for twenty full
    // packets: 46 KB with packets of 536 bytes, of which this takes 40 KB with all that the kernel
    // adds, and 87 KB with packets of 1448. Frames keep to less, because they may be many.
    static constexpr size_t kSurelyWritten = 16 << 10;
    // A frame of at most that length asks to be acknowledged if more than that is not.
    static constexpr size_t kAskedFor = kSurelyTaken / 2;

    // Returns whether what is posted leaves without further polls if nothing is in its way.
    bool sends_alone() const { return sends_alone_; }
    // Returns whether a frame or write of that length leaves without further polls if it is posted
    // now.
    bool leaves_alone(const Channel& channel, size_t bytes,
                      size_t surely_taken = kSurelyTaken) const {
        const FrameFlow& flow = channel.flow;
        return sends_alone_ && flow.has_left(flow.last_delayed) && !channel.writes_pending() &&
               !channel.chunks_pending() && channel.reads_in_flight == 0 &&
               flow.sent_bytes - flow.acknowledged_bytes + bytes <= surely_taken;
    }

    // Sends a frame whose acknowledgement covers everything posted so far, unless one that covers
    // `needed` is under way. Returns false if there is no room now. A caller that waits for it
    // repeats the call.
    bool ask_acknowledge(Channel& channel, uint64_t needed);

    // Is called between two chunks or long batches. It releases the buffers of those that have left
    // while they are in the processor's cache (8 MiB over loopback: 24 % less time). Not for use in
    // a completion.
    void reclaim_buffers() {
        if (endpoint_.poll() > 0) {
            turn_.moved = true;
            turn_.has_taken = true;
        }
    }

    // Returns whether another chunk of that transfer may take a buffer. The others need some, too.
    bool has_chunk_for(const Task& task) const {
        return task.pending() - left_.early_of(task) < chunks_of_transfer_;
    }

    // Sets how many that are, if it is more than OriginOptions::depth.
    void allow_chunks_of_transfer(int32_t chunks) {
        chunks_of_transfer_ = std::max(depth_at_start_, chunks);
    }
    int32_t chunks_of_transfer() const { return chunks_of_transfer_; }

    // Returns the number of this origin in frames.
    int rank() const { return self_.number; }
    OriginCounters& counters() { return counters_; }

    DepthLimit& depth() { return depth_; }
    const DepthLimit& depth() const { return depth_; }

  private:
    bool post(Channel& channel, OriginFrame* frame, bool is_delayed, const DataInPlace& data);
    OriginFrame* new_frame(RegisteredBuffers& buffers, wire::FrameKind kind, size_t wire_bytes,
                           size_t bytes_in_place);
    bool send_handshake(Channel& channel);
    bool post_message(Channel& channel, OriginFrame* frame);
    // Writes the frame into this origin's mailbox.
    bool post_into_mailbox(Channel& channel, OriginFrame* frame);
    // Writes the frame to its place in a granted receive buffer, or sends it as a message that
    // takes one.
    bool post_into_recv_buffer(Channel& channel, OriginFrame* frame, const RecvPlace& place,
                               const DataInPlace& data);
    static void on_sent(fabric::Operation* operation, const fabric::Completion& completion);
    // Does the same while the timeline is kept. Operations are posted with one of the two.
    static void on_traced_sent(fabric::Operation* operation, const fabric::Completion& completion);

    static constexpr size_t kSmallFrameBytes = kLargestMessagePiece - OutFrame::kOverheadBytes;

    fabric::Endpoint& endpoint_;
    RegisteredBuffers& chunk_buffers_;
    AnswerSlots& slots_;
    // Requests and all small frames have memory of their own, so that neither waits for the other.
    RegisteredBuffers small_frames_;
    Channels& channels_;
    PendingTasks& tasks_;
    Turn& turn_;
    OriginCounters& counters_;
    LeftFrames left_;
    base::Stats* stats_ = nullptr;
    DepthLimit depth_;
    wire::Sender self_;
    bool sends_alone_ = false;   // as ProviderRow says
    bool write_chunks_ = false;  // into receive buffers
    size_t largest_message_bytes_ = 0;
    int64_t in_place_min_bytes_ = 0;
    int32_t depth_at_start_ = 0;
    int32_t chunks_of_transfer_ = 0;
};

}  // namespace armci::pipeline
