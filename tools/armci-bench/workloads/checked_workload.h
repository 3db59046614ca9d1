// SPDX-License-Identifier: BSD-3-Clause
// A transfer whose result each rank checks in its own memory, for any implementation.
#pragma once

#include "armci-bench/workloads/transfer_check.h"
#include "armci-bench/workloads/workload.h"

namespace armci::bench {

class CheckedWorkload : public Workload {
  public:
    void prepare() override;
    int64_t count_errors() override;

  protected:
    // The verb is the effect on the data, whatever the row's operation is called.
    CheckedWorkload(const Context& context, Verb verb);

    const Verb verb_;

  private:
    TransferCheck check_;
};

}  // namespace armci::bench
