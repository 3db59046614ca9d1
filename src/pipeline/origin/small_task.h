// SPDX-License-Identifier: BSD-3-Clause
// A small put or accumulate that there was no room for when it was started. It waits behind other
// tasks, and shares a frame with those that wait behind it: while a server is busy, its origins
// should not send it more frames than otherwise.
#pragma once

#include <utility>

#include "pipeline/costs/transfer.h"
#include "pipeline/origin/origin_services.h"
#include "pipeline/origin/small_transfer.h"
#include "pipeline/origin/task.h"

namespace armci::pipeline {

// Batches::may_wait() must be true of it.
class SmallTask : public Task {
  public:
    explicit SmallTask(Transfer&& transfer)
        : Task(transfer.function), transfer_(std::move(transfer)) {}

    bool post(OriginServices& origin) override {
        if (!origin.batches.append(channel(), SmallBlocks(transfer_).transfer(),
                                   Batches::Leaving::when_due)) {
            origin.stats->buffer_waits += std::exchange(has_waited_, true) ? 0 : 1;
            return false;
        }
        channel().recv_buffers.queued_bytes -= transfer_.total_bytes;
        return true;
    }
    int64_t chunk_bytes() const override { return transfer_.total_bytes; }
    bool joins_batch() const override { return true; }
    void keep_arguments() override { transfer_.sides.own(); }

  private:
    Transfer transfer_;
    bool has_waited_ = false;  // for the count of buffer waits
};

}  // namespace armci::pipeline
