// SPDX-License-Identifier: BSD-3-Clause
// Puts that a copy engine moves from their granted receive buffers to global memory while the
// server continues.
//
// Such a frame counts as executed when its copies are complete. Until then, later frames of its
// origin wait, like frames that come early. All other frames are served meanwhile.
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

// Only one thread may use it at a time, except are_under_way().
class OffloadedPuts {
  public:
    struct Put {
        Client* client = nullptr;
        wire::FrameHeader header;
        const void* frame = nullptr;
        uint64_t last_copy = 0;  // number of its last copy, among all that were submitted
        int64_t begin_ns = 0;    // for the timeline
    };

    explicit OffloadedPuts(TargetMemory& memory) : memory_(memory) {}
    // The engine takes puts of at least min_bytes. It may be null.
    void use_engine(std::unique_ptr<node::CopyEngine> engine, int64_t min_bytes);
    // Drops the engine and all puts.
    void close();

    // Gives the data of a frame, which lies in a receive buffer, to the engine. Returns false when
    // the frame is not suitable or not valid; nothing has happened then.
    bool start(Client& client, const wire::FrameHeader& header, const void* frame);
    // Returns how many of all copies the engine has completed. Call it only while !is_empty().
    uint64_t completed_copies() { return engine_->completed(); }
    // Takes the oldest put if its last copy is one of the first `completed`. Returns false if it is
    // not.
    bool take_finished(uint64_t completed, Put* put);

    bool is_empty() const { return puts_.empty(); }
    size_t count() const { return puts_.size(); }
    // Any thread may call this.
    bool are_under_way() const { return are_under_way_.load(std::memory_order_relaxed); }

  private:
    bool is_for_engine(const wire::FrameHeader& header) const;

    TargetMemory& memory_;
    std::unique_ptr<node::CopyEngine> engine_;
    int64_t min_bytes_ = 0;
    uint64_t submitted_copies_ = 0;
    std::deque<Put> puts_;
    std::atomic<bool> are_under_way_{false};
};

}  // namespace armci::datasrv
