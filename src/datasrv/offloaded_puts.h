// SPDX-License-Identifier: BSD-3-Clause
// Puts that a copy engine moves from their granted receive buffers to global memory while the
// server goes on.
//
// Such a frame counts as executed when its copies are complete. What its origin has sent behind it
// waits until then, as frames do that come early; all others are served meanwhile.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "datasrv/client.h"
#include "datasrv/target_memory.h"
#include "node/copy_engine.h"
#include "wire/frame.h"

namespace armci::datasrv {

// One thread at a time, but for are_under_way().
class OffloadedPuts {
  public:
    struct Put {
        Client* client = nullptr;
        wire::FrameHeader header;
        const void* frame = nullptr;
        int64_t recv_buffer = kNoRecvBuffer;  // that the frame is in
        uint64_t last_copy = 0;               // of all that were submitted
        int64_t begin_ns = 0;                 // for the timeline
    };

    explicit OffloadedPuts(TargetMemory& memory) : memory_(memory) {}
    // Puts of so many bytes or more are the engine's business; it may be null.
    void use_engine(std::unique_ptr<node::CopyEngine> engine, int64_t min_bytes);
    // Forgets the engine and all puts.
    void close();

    // Gives the frame's data to the engine. False: this is not a frame for it, or not a right one,
    // and nothing has happened.
    bool start(Client& client, const wire::FrameHeader& header, const void* frame,
               int64_t recv_buffer);
    // How many of all copies the engine has completed; only while !is_empty().
    uint64_t completed_copies() { return engine_->completed(); }
    // The oldest put, when it ends with one of the first `completed` copies: false if it does not.
    bool take_finished(uint64_t completed, Put* put);

    bool is_empty() const { return puts_.empty(); }
    size_t count() const { return puts_.size(); }
    // For any thread.
    bool are_under_way() const { return are_under_way_.load(std::memory_order_relaxed); }

  private:
    bool is_for_engine(const wire::FrameHeader& header, int64_t recv_buffer) const;

    TargetMemory& memory_;
    std::unique_ptr<node::CopyEngine> engine_;
    int64_t min_bytes_ = 0;
    uint64_t submitted_copies_ = 0;
    std::deque<Put> puts_;
    std::atomic<bool> are_under_way_{false};
};

}  // namespace armci::datasrv
