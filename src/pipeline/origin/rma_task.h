// SPDX-License-Identifier: BSD-3-Clause
// Put and get by remote memory access. Every block goes straight between user memory and the
// target. The stream of operations is bounded by what the provider takes. Several short blocks
// share an operation where the provider supports that.
//
// Where the provider wants local memory registered, a transfer that is long enough registers what
// it spans for its duration (registration_costs.h). A short one, and one whose registration is
// refused, is copied through the pipeline's buffers.
#pragma once

#include "fabric/endpoint.h"
#include "pipeline/costs/transfer.h"
#include "pipeline/origin/local_registration.h"
#include "pipeline/origin/task.h"
#include "strided/pair_cursor.h"

namespace armci::pipeline {

class RmaTask : public Task {
  public:
    // Takes the transfer (put or get). A vector's address arrays must be owned or live until the
    // task is posted. The place of the transfer must be registered.
    explicit RmaTask(Transfer&& transfer);

    bool post(OriginServices& origin) override;

  protected:
    const Transfer& transfer() const { return transfer_; }

  private:
    void register_local(OriginServices& origin);
    // Returns false when the provider does not take an operation now. The cursor is then at what
    // comes next.
    template <class Cursor>
    bool post_blocks(OriginServices& origin, Cursor& cursor);

    Transfer transfer_;
    LocalRegistration registration_;  // where the provider wants one
    bool is_prepared_ = false;
    strided::PairCursor next_;
};

}  // namespace armci::pipeline
