// SPDX-License-Identifier: BSD-3-Clause
// Put through the data server. ChunkTask sends the chunks, and the server stores what they carry.
#pragma once

#include "pipeline/origin/chunk_task.h"

namespace armci::pipeline {

class PutTask : public ChunkTask {
  public:
    explicit PutTask(Transfer&& transfer) : ChunkTask(wire::FrameKind::put, std::move(transfer)) {}

  private:
    int64_t whole_bytes(int64_t bytes) const override { return bytes; }
    void describe(wire::FrameHeader*, wire::TransferBody*) const override {}
};

}  // namespace armci::pipeline
