// Put and get by remote memory access: every run goes straight between user memory and the target,
// as a stream of operations bounded by what the provider takes.
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
    // or be owned. All remote runs must lie in registered segments.
    explicit RmaTask(Transfer&& transfer);

    bool post(Origin& origin) override;

  private:
    // The run at the current position: its two ends and what is left of it.
    struct Piece {
        char* local;
        uint64_t remote;
        int64_t bytes;
    };
    void register_local(Origin& origin);
    Piece current() const;
    void advance(int64_t bytes);

    Transfer transfer_;
    fabric::Region region_;  // of the local side, where the provider wants one
    bool is_prepared_ = false;
    int64_t done_bytes_ = 0;                   // posted
    int64_t in_run_ = 0;                       // of these, in the current run
    int64_t segment_ = 0;                      // vector: current segment
    int64_t index_[strided::kMaxLevels] = {};  // strided: repetition per level
    int64_t local_offset_ = 0;                 // of the current run
    int64_t remote_offset_ = 0;
};

}  // namespace armci::pipeline
