// Operations without a transfer of their own: atomic operations, fence, barrier.
#pragma once

#include "armci-bench/checked_workload.h"

namespace armci::bench {

// Fetch-and-add or swap of a long at the target.
class RmwWorkload : public Workload {
  public:
    explicit RmwWorkload(const Context& context) : Workload(context) {}

    void prepare() override;
    void perform(int64_t count) override;
    int64_t count_errors() override;

  private:
    // What one rank did to its target's counter; sums wrap around.
    struct Tally {
        long target = -1;
        long operations = 0;
        unsigned long sum_stored = 0;   // by swaps
        unsigned long sum_fetched = 0;  // by all
    };

    Tally tally_;
};

// The time of ARMCI_Fence alone, after a small put or with nothing outstanding.
class FenceWorkload : public CheckedWorkload {
  public:
    explicit FenceWorkload(const Context& context);

    void perform(int64_t count) override { timed(count); }
    double timed(int64_t count) override;
    int64_t count_errors() override;

  private:
    const int put_bytes_;
};

// ARMCI_Barrier over all ranks.
class BarrierWorkload : public Workload {
  public:
    explicit BarrierWorkload(const Context& context) : Workload(context) {}

    void prepare() override;
    void perform(int64_t count) override;
    int64_t count_errors() override;

  private:
    long stamp_ = 0;
};

}  // namespace armci::bench
