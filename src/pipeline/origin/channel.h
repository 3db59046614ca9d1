// SPDX-License-Identifier: BSD-3-Clause
// An origin's view of one data server: what was sent to it and what it has executed. It also has
// what must be waited for before an operation of another kind may follow.
//
// Frames to one server are executed in the order they were sent. Remote writes are of one of two
// kinds:
//   ordered    the provider keeps the order write-write and write-send, so a write is remotely
//              complete once a frame that was sent after it has been executed;
//   delivered  each write's completion means that it has arrived.
// Where writes are ordered, one of the delivered kind may be under way, too: the copy of a short
// put that a fence is likely to follow. Everything here is a few counters; nothing is kept per
// operation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fabric/endpoint.h"
#include "pipeline/origin/granted_recv_buffers.h"

namespace armci::pipeline {

class Task;
struct OriginFrame;

struct Ordering {
    bool ordered_writes = false;      // otherwise a write completes when it is delivered
    bool reads_after_writes = false;  // a read sees an earlier write without waiting
};

struct Channel;

// What a fence waits for here.
struct FencePoint {
    Channel* channel = nullptr;
    uint64_t frame = 0;        // this frame must have been executed
    bool has_batch = false;    // the open batch has to leave first, and becomes that frame
    uint64_t last_task = 0;    // not 0: this task has to be posted first, and determines the frame
    uint64_t last_writer = 0;  // not 0: writes of tasks up to this one have to arrive
    uint64_t last_get = 0;     // not 0: gets without a handle up to this one have to end
    uint64_t last_copy = 0;    // not 0: the write of this copy has to arrive
};

// What FrameSender keeps of a channel: how much has left, and how much of it is executed.
struct FrameFlow {
    uint64_t sent_frames = 0;
    uint64_t sent_bytes = 0;  // of messages; those that take a granted receive buffer do not count
    uint64_t acknowledged_frames = 0;  // as the server has acknowledged
    uint64_t acknowledged_bytes = 0;
    uint64_t mailed_frame = 0;  // the last frame that was written into the mailbox
    uint64_t asked_frame = 0;   // the last frame that asked to be acknowledged at once
    uint64_t left_frames = 0;   // up to this one all have left
    uint64_t last_delayed = 0;  // the last frame that might need further polls to leave
    int64_t window_bytes = 0;   // how much may be sent as messages and not executed

    bool has_left(uint64_t frame) const { return frame <= left_frames; }
    bool has_room(uint64_t frame_bytes) const {
        return sent_bytes - acknowledged_bytes + frame_bytes <= static_cast<uint64_t>(window_bytes);
    }
    // Returns whether more than that is not acknowledged, and no frame that asks for it under way.
    bool should_ask(uint64_t bytes) const {
        return sent_bytes - acknowledged_bytes > bytes && asked_frame <= acknowledged_frames;
    }
    void record_answer(uint64_t frames, uint64_t bytes) {
        // Answers may overtake each other inside the server; the counters only grow.
        acknowledged_frames = std::max(acknowledged_frames, frames);
        acknowledged_bytes = std::max(acknowledged_bytes, bytes);
    }
};

// What TaskQueue and PendingTasks keep of a channel.
struct ChannelTasks {
    int count = 0;          // submitted and not complete
    int fenced_gets = 0;    // of these, gets without a handle: a fence waits for them
    Task* first = nullptr;  // not completely posted, in order
    Task* last = nullptr;
    Task* oldest = nullptr;  // of the non-blocking ones under way
    Task* newest = nullptr;
};

// In which of the origin's ChannelLists a channel is.
struct InLists {
    bool active = false;
    bool busy = false;
    bool dirty = false;
    bool batching = false;
    bool release_due = false;
};

// What the program usually does with a channel.
struct FenceHabit {
    enum class Left : uint8_t { none, one, several };

    bool expects_fence = false;  // a fence followed the last operation that changes memory there
    bool had_one = false;        // there was one of them between the last two fences
    Left left = Left::none;      // how many of them have left since the last fence

    bool is_unfenced() const { return left != Left::none; }
    void note_fence() {
        if (is_unfenced()) {
            expects_fence = true;
            had_one = left == Left::one;
            left = Left::none;
        }
    }
    // Returns whether an operation that changes memory there, and has not begun, is likely to be
    // the only one before the next fence.
    bool will_be_fenced_alone() const { return had_one && !is_unfenced(); }
    // Returns whether a fence is likely to follow an operation that changes memory there. It is
    // called when the last part of each leaves. If no fence followed the one before, this one will
    // hardly be followed by a fence.
    bool fence_follows() {
        expects_fence &= !is_unfenced();
        left = is_unfenced() ? Left::several : Left::one;
        return expects_fence;
    }
};

struct Channel {
    int server = -1;
    int node = -1;
    fabric::PeerAddress peer = FI_ADDR_UNSPEC;

    FrameFlow flow;
    uint64_t last_mutation = 0;    // the last frame that changes memory there
    uint64_t write_mark = 0;       // sent_frames + 1 when the last ordered write was posted
    int64_t writes_in_flight = 0;  // delivered kind: writes without completion yet
    uint64_t last_copy = 0;        // ordered writes: the number of the last copy that was written

    GrantedRecvBuffers recv_buffers;
    OriginFrame* batch = nullptr;  // small operations that have not left yet, before all tasks
    uint64_t batch_number = 0;     // its number, as in Batches::last()
    int64_t last_batch_ns = 0;     // when the last batch left
    ChannelTasks tasks;

    InLists in_lists;
    FenceHabit fence_habit;
    int32_t reads_in_flight = 0;        // RMA reads without completion yet
    bool batch_changes_memory = false;  // there are puts or accumulates in the open batch
    bool had_many_gets : 1 = false;     // many small gets left together
    bool handshake_sent : 1 = false;  // the server has been sent what it needs to know this origin
    // The server is reachable although it has not acknowledged anything: RMA there has completed,
    // or its host is known to be within reach.
    bool is_reached : 1 = false;
    uint8_t mailbox = 0;  // 1 + the number of this origin's there; 0: it has none

    bool has_recv_buffers_to_release() const {
        return tasks.count == 0 && recv_buffers.queued_bytes == 0 &&
               recv_buffers.held() > recv_buffers.kept();
    }
    // Returns whether there are frames that change memory there and are not known to be executed.
    bool mutations_pending() const { return last_mutation > flow.acknowledged_frames; }
    bool writes_pending() const {
        return write_mark > flow.acknowledged_frames || writes_in_flight > 0;
    }
    // Returns whether there are frames that took a receive buffer and are not known to be executed.
    bool chunks_pending() const { return recv_buffers.last_frame > flow.acknowledged_frames; }
    bool remote_work_pending() const { return mutations_pending() || writes_pending(); }
    // Where writes are ordered, returns whether the copy with that number has arrived. The next one
    // is written only when it has.
    bool has_arrived(uint64_t copy) const { return copy < last_copy || writes_in_flight == 0; }
    // Returns the frame after whose execution all memory there is as this origin left it, but for
    // writes in flight.
    uint64_t last_effect() const { return std::max(last_mutation, write_mark); }
    // Returns whether anything here waits for the network.
    bool is_under_way() const {
        return tasks.count > 0 || flow.sent_frames != flow.acknowledged_frames ||
               remote_work_pending() || batch != nullptr;
    }
};

}  // namespace armci::pipeline
