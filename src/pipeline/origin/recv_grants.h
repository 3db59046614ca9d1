// SPDX-License-Identifier: BSD-3-Clause
// Receive buffers that data servers have granted to this origin: it asks for them, takes them, and
// releases those that are not needed. They determine how long the next chunk may be.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pipeline/buffers/registered_buffers.h"
#include "pipeline/origin/channels.h"
#include "pipeline/origin/frame_sender.h"

namespace armci::pipeline {

class RecvGrants {
  public:
    RecvGrants(FrameSender& frames, Channels& channels, const RegisteredBuffers& chunk_buffers)
        : frames_(frames), channels_(channels), chunk_buffers_(chunk_buffers) {}

    // Returns the room for the next chunk frame to that server, 0 if none may be sent now. The
    // transfer has sent and has left so many bytes. Written chunks are short at the beginning and
    // the end, where nothing overlaps with them. Of messages, one more costs more than that.
    size_t chunk_room(Channel& channel, int64_t sent_bytes, int64_t left_bytes, ChunkData data);

    // Returns the room for a batch that takes a granted receive buffer. Returns 0, and asks for
    // one, if there is none now.
    size_t batch_room(Channel& channel);
    // Asks for receive buffers if queued data needs them.
    void ask(Channel& channel);

    // Takes a server's frame that grants some. The job ends when its contents are not valid.
    void take(Channel& channel, const void* frame, size_t frame_bytes);
    // Sends the due releases to their servers, as far as that is possible now.
    void release_due();

  private:
    // Of a chunk's frame, where a receive buffer has that much room.
    int64_t largest_chunk_bytes(uint32_t room_bytes) const;
    bool release(Channel& channel);

    FrameSender& frames_;
    Channels& channels_;
    const RegisteredBuffers& chunk_buffers_;
};

}  // namespace armci::pipeline
