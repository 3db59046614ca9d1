// SPDX-License-Identifier: BSD-3-Clause
// Raw operations in the modes of the library's own: latency, stream (writes one after the other,
// each complete here before the next) and window. Of a stream or window of writes the last one is
// complete when its data is at the target; where the provider keeps writes in order that says the
// same of all, elsewhere each of them waits for that.
#pragma once

#include "armci-bench/workloads/checked_workload.h"
#include "armci-bench/workloads/raw/raw_network.h"
#include "armci-bench/workloads/slots.h"

#include <cstdint>

namespace armci::bench {

// raw-put: fi_writemsg; raw-get: fi_read. The target only drives its endpoint.
class RawTransferWorkload : public CheckedWorkload {
  public:
    RawTransferWorkload(const Context& context, FabricNetwork& network);

    void perform(int64_t count) override;
    int64_t check_count() const override { return slots_.count; }
    int64_t batch_count() const override;
    bool needs_service() const override { return true; }
    void serve() override;
    void dismiss() override;

  private:
    void start(int64_t slot, bool delivered);

    FabricNetwork& network_;
    const Slots slots_;
    const size_t bytes_;
};

// raw-rmw: the operand is sent, the target adds it to its counter and sends back the old value.
class RawRmwWorkload : public Workload {
  public:
    RawRmwWorkload(const Context& context, FabricNetwork& network)
        : Workload(context), network_(network) {}

    void prepare() override;
    void perform(int64_t count) override;
    int64_t count_errors() override;
    bool needs_service() const override { return true; }
    void serve() override;
    void dismiss() override;

  private:
    FabricNetwork& network_;
    int64_t performed_ = 0;
    int64_t wrong_answers_ = 0;
};

}  // namespace armci::bench
