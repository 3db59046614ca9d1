// SPDX-License-Identifier: BSD-3-Clause
// Get of one block of registered memory by remote put: the target's data server writes it straight
// into this process's memory, which is registered meanwhile. It is for networks whose reads are
// slower than their writes. If the memory cannot be registered, it is read as RmaTask does.
// docs/references.md: Worringen
#pragma once

#include "fabric/domain.h"
#include "pipeline/costs/transfer.h"
#include "pipeline/origin/rma_task.h"

namespace armci::pipeline {

class GetByPutTask : public RmaTask {
  public:
    // Takes the transfer, which must be a get of one block. Its place must be registered.
    explicit GetByPutTask(Transfer&& transfer);

    bool post(OriginServices& origin) override;
    bool on_answer(OriginServices& origin, const wire::FrameHeader& header, const void* frame,
                   int tag) override;

  private:
    enum class Way : uint8_t { undecided, put, read };

    bool send_request(OriginServices& origin);

    wire::GetByPutBody request_;
    fabric::Region sink_;
    Way way_ = Way::undecided;
};

}  // namespace armci::pipeline
