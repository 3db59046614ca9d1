// SPDX-License-Identifier: BSD-3-Clause
// Operations without a transfer of their own: atomic operations, fence, barrier, lock, allocation.
#pragma once

#include "armci-bench/workloads/armci_api.h"
#include "armci-bench/workloads/checked_workload.h"

#include <atomic>

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

// armci_msg_group_barrier of a group of all ranks.
class GroupBarrierWorkload : public Workload {
  public:
    explicit GroupBarrierWorkload(const Context& context) : Workload(context) {}
    ~GroupBarrierWorkload() override;

    void prepare() override;
    void perform(int64_t count) override;
    int64_t count_errors() override;

  private:
    ARMCI_Group group_;
    bool has_group_ = false;
    long stamp_ = 0;
};

// MPI_Barrier, as a baseline.
class MpiBarrierWorkload : public Workload {
  public:
    explicit MpiBarrierWorkload(const Context& context) : Workload(context) {}

    void prepare() override {}
    void perform(int64_t count) override;
    int64_t count_errors() override { return 0; }
};

// The limit of the hardware: each rank raises its flag in shared memory and waits for all others'.
class FlagBarrierWorkload : public Workload {
  public:
    explicit FlagBarrierWorkload(const Context& context) : Workload(context) {}
    ~FlagBarrierWorkload() override;

    void prepare() override;
    void perform(int64_t count) override;
    // Ranks that leave must find the flags of all ranks up.
    int64_t count_errors() override;

  private:
    struct alignas(64) Flag {
        std::atomic<int64_t> raised;
    };

    int64_t lowest() const;

    MPI_Win window_ = MPI_WIN_NULL;
    Flag* flags_ = nullptr;  // one for each rank
    int64_t count_ = 0;      // barriers that this rank has passed
};

// ARMCI_Lock and ARMCI_Unlock of a mutex of the target.
class LockWorkload : public Workload {
  public:
    explicit LockWorkload(const Context& context) : Workload(context) {}
    ~LockWorkload() override;

    void prepare() override;
    // With an addition that only the lock makes atomic.
    void perform(int64_t count) override;
    // Without.
    double timed(int64_t count) override;
    int64_t count_errors() override;

  private:
    bool created_ = false;
    int64_t added_ = 0;
};

// One mutex for which all ranks compete, each as often as it can, until a counter that the mutex
// protects says that all of them together have had it often enough.
class FairnessWorkload : public Workload {
  public:
    explicit FairnessWorkload(const Context& context) : Workload(context) {}
    ~FairnessWorkload() override;

    void prepare() override;
    void perform(int64_t count) override;
    int64_t share() const override { return share_; }
    int64_t count_errors() override;

  private:
    bool created_ = false;
    int64_t last_ = 0;  // where the counter ends
    int64_t share_ = 0;
    int64_t added_ = 0;
};

// ARMCI_Malloc and ARMCI_Free.
class MallocWorkload : public Workload {
  public:
    explicit MallocWorkload(const Context& context) : Workload(context) {}

    void prepare() override {}
    void perform(int64_t count) override;
    // Whether the memory of one more allocation belongs to all ranks, and can be put to.
    int64_t count_errors() override;
};

}  // namespace armci::bench
