// SPDX-License-Identifier: BSD-3-Clause
// The receive buffers that a data server has granted to this origin, and where the next frame goes.
//
// A frame that leaves room in its buffer leaves the buffer open, and a later frame may follow it
// there. Otherwise each short chunk would keep a whole buffer for a round trip. One buffer is open
// at a time. A frame closes its own buffer or the one that was open before, so that the server can
// free that when it has executed the frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pipeline/buffers/recv_area.h"

namespace armci::pipeline {

// The granted receive buffer that frames still go into.
struct OpenRecvBuffer {
    uint32_t recv_buffer = 0;
    uint32_t used_bytes = 0;
    uint16_t frames = 0;
    bool is_open = false;
};

// Where a frame goes.
struct RecvPlace {
    uint32_t recv_buffer = 0;
    uint32_t offset = 0;
    uint32_t end = 0;         // where the next one could begin
    uint16_t frames = 0;      // in the buffer, with this one
    bool is_new = false;      // the buffer was not open
    bool stays_open = false;  // and is the open one then
    uint32_t closes = 0;      // as wire::OriginFlow says it
};

// What an origin keeps of a data server's receive buffers.
struct GrantedRecvBuffers {
    const RecvAreaAddress* area = nullptr;  // nullptr: the server has none
    std::vector<uint32_t> granted;          // to this origin, and empty
    uint64_t last_frame = 0;                // the last frame that took a receive buffer
    // Data of queued tasks that is in no frame yet, and room for data in a long batch that is open.
    int64_t queued_bytes = 0;
    OpenRecvBuffer open;
    uint32_t keep = 0;        // how many it may hold while it has no work
    uint32_t asked = 0;       // asked for and not granted yet
    uint32_t total = 0;       // how many were ever granted
    uint32_t closed = 0;      // since the last fence
    bool are_shared = false;  // several frames may follow each other in one
    bool ran_out = false;     // transfers since the last fence need more than it keeps otherwise
    bool runs_out = false;    // so it was before that fence, and is likely to be again

    // Returns how many it holds. The server does not grant these to others.
    uint32_t held() const { return static_cast<uint32_t>(granted.size()) + (open.is_open ? 1 : 0); }
    // Returns how many to keep without work. Where they ran out, transfers that are not queued
    // together follow each other over a distance that needs more.
    uint32_t kept() const { return ran_out ? 2 * keep : keep; }
    // A transfer of that length has found all of them under way. One that takes more than it keeps
    // anyway asks for what it needs while it is queued.
    void note_empty(int64_t transfer_bytes) {
        ran_out |= transfer_bytes <= int64_t{keep} * area->recv_buffer_bytes;
    }
    // What comes next need not follow at once. A fence that no frame precedes changes nothing.
    void note_fence() {
        if (!ran_out && closed == 0) {
            return;
        }
        runs_out = ran_out && closed > keep;
        ran_out = false;
        closed = 0;
    }
    // Returns how many to ask for with a frame that closes so many of those held. The queued
    // transfers determine the number, and buffers kept for the next ones are replaced when half of
    // them are closed: each grant is a message.
    uint32_t wanted(uint32_t closing, size_t largest_message_bytes) const;

    // Returns how long the next frame may be, with its seal; 0: there is no room. The server has
    // executed so many frames of this origin.
    uint32_t room(uint64_t executed_frames) const;
    // Finds the place for a frame of that length, with its seal. Returns false if there is none.
    bool find_place(size_t bytes, uint64_t executed_frames, RecvPlace* place) const;
    // Returns whether there is no room for another one behind the frame of that place.
    bool is_last(const RecvPlace& place) const {
        return granted.size() == (place.is_new ? 1 : 0) && !place.stays_open &&
               !(place.is_new && open.is_open);
    }
    // The frame of that number has left for the place.
    void take(const RecvPlace& place, uint64_t frame);

    // Returns up to `count` of those held, which the origin has no use for; first those that are
    // empty. It does not hold them any more after drop().
    uint32_t list_unneeded(uint32_t count, uint32_t* recv_buffers) const;
    void drop(uint32_t count);

  private:
    // The open one. When all frames have been executed, it is empty again.
    OpenRecvBuffer open_now(uint64_t executed_frames) const;
    uint32_t left_behind(uint32_t end, uint16_t frames) const;
};

}  // namespace armci::pipeline
