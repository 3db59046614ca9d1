// SPDX-License-Identifier: BSD-3-Clause
// Receive buffers that data servers have granted to this origin: asking for them, taking them, and
// releasing those that are not needed; and so how long the next chunk may be.
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

    // Room for the next chunk frame to that server, of a transfer that has sent and has left so
    // many bytes; 0: none may be sent now. Chunks are short at the beginning and the end, where
    // nothing overlaps with them.
    size_t chunk_room(Channel& channel, int64_t sent_bytes, int64_t left_bytes);

    // A server's frame that grants some. Ends the job where it makes no sense.
    void take(Channel& channel, const void* frame, size_t frame_bytes);
    // Tells servers which ones they have back, as far as that can be sent now.
    void release_due();

  private:
    void ask(Channel& channel);
    bool release(Channel& channel);

    FrameSender& frames_;
    Channels& channels_;
    const RegisteredBuffers& chunk_buffers_;
};

}  // namespace armci::pipeline
