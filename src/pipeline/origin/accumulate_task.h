// SPDX-License-Identifier: BSD-3-Clause
// Accumulate through the data server. ChunkTask sends the chunks. The server scales what they carry
// and adds it under the stripe locks, which make it atomic against every other accumulate. An
// element is never divided between chunks.
#pragma once

#include <cstring>

#include "pipeline/origin/chunk_task.h"

namespace armci::pipeline {

class AccumulateTask : public ChunkTask {
  public:
    explicit AccumulateTask(Transfer&& transfer)
        : ChunkTask(wire::FrameKind::accumulate, std::move(transfer)) {}

  private:
    int64_t whole_bytes(int64_t bytes) const override {
        return bytes - bytes % strided::element_bytes(transfer().scale.type);
    }
    void describe(wire::FrameHeader* header, wire::TransferBody* body) const override {
        header->acc_type = static_cast<uint8_t>(transfer().scale.type);
        std::memcpy(body->scale, transfer().scale.value, sizeof body->scale);
    }
};

}  // namespace armci::pipeline
