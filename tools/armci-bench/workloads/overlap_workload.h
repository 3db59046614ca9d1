// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking transfers that are given time to move while a rank computes.
#pragma once

#include "armci-bench/workloads/computation.h"
#include "armci-bench/workloads/overlap.h"
#include "armci-bench/workloads/transfer_workload.h"

#include <chrono>
#include <limits>
#include <vector>

namespace armci::bench {

// Mode::target: transfers alone, one after the other and a fence at the end. The runner decides
// what the target does meanwhile.
class OverlapWorkload : public TransferWorkload {
  public:
    explicit OverlapWorkload(const Context& context) : TransferWorkload(context) {}

    void perform(int64_t count) override;
    double timed(int64_t count) override;
    const std::vector<OriginSample>& origin_samples() const override { return samples_; }

  private:
    using Clock = std::chrono::steady_clock;

    OriginSample timed_part(int64_t count);
    double timed_transfers(int64_t count);
    double timed_computation(int64_t count, int64_t units);
    double timed_together(int64_t count, int64_t units, double* compute_s);

    Computation computation_;
    double fastest_transfer_us_ = std::numeric_limits<double>::infinity();
    std::vector<OriginSample> samples_;
};

}  // namespace armci::bench
