// SPDX-License-Identifier: BSD-3-Clause
// Put and get by remote memory access: every block goes straight between user memory and the
// target, as a stream of operations bounded by what the provider takes, several short blocks to an
// operation where the provider has that.
//
// Where the provider wants local memory registered, a long transfer registers what it spans for its
// duration (providers that pin memory keep a cache of registrations, which makes repetitions
// cheap); a short one, and one whose registration is refused, is copied through the pipeline's
// buffers.
#pragma once

#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "pipeline/task.h"
#include "pipeline/transfer.h"

namespace armci::pipeline {

class RmaTask : public Task {
  public:
    // Takes the transfer (put or get); a vector's address arrays must live until the task is posted
    // or be owned. All remote blocks must lie in registered segments.
    explicit RmaTask(Transfer&& transfer);

    bool post(Origin& origin) override;

  private:
    // How far the transfer has come.
    struct Position {
        int64_t bytes = 0;
        int64_t in_block = 0;                     // of these, in the current block
        int64_t segment = 0;                      // vector: current segment
        int64_t index[strided::kMaxLevels] = {};  // strided: repetition per level
        int64_t local_offset = 0;                 // of the current block
        int64_t remote_offset = 0;
    };
    void register_local(Origin& origin);
    // The piece of a run at a position, at most that long, and the position behind it.
    fabric::RmaBlock piece_at(Origin& origin, const Position& position, int64_t max_bytes) const;
    void advance(Position* position, int64_t bytes) const;

    Transfer transfer_;
    fabric::Region region_;  // of the local side, where the provider wants one
    bool is_prepared_ = false;
    Position progress_;
};

}  // namespace armci::pipeline
