// SPDX-License-Identifier: BSD-3-Clause
// What a row does. The runner (runner.h) calls the phases in this order, each between barriers:
//
//   prepare        every rank, makes the memory ready
//   perform        acting ranks, check_count() operations; the others serve or wait
//   count_errors   every rank, was that right?
//   timed          acting ranks, many times; the others serve or wait
//   count_errors   every rank, again, if result_lasts()
#pragma once

#include "armci-bench/options/options.h"
#include "armci-bench/workloads/arena.h"
#include "armci-bench/workloads/overlap.h"
#include "armci-bench/workloads/raw/raw.h"
#include "armci-bench/workloads/roles.h"
#include "armci-bench/workloads/row.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace armci::bench {

// Everything that a workload uses; it outlives the workload.
struct Context {
    const Options& options;
    const Row& row;
    const Roles& roles;
    const Arena& arena;  // the row's part
    RawNetwork* raw;     // of raw operations; null if the plan has none
    int64_t row_number;  // from 0; makes every row's data different from that of the one before
};

class Workload {
  public:
    explicit Workload(const Context& context) : context_(context) {}
    virtual ~Workload() = default;
    Workload(const Workload&) = delete;
    Workload& operator=(const Workload&) = delete;

    virtual void prepare() = 0;

    // Performs `count` operations and returns when they are complete at the target.
    virtual void perform(int64_t count) = 0;

    // Same, and returns the seconds that count as the operations' time.
    virtual double timed(int64_t count);

    // The parts of the last timed(), for transfers against computation at the origin. Every acting
    // rank has the same number of samples.
    virtual const std::vector<OriginSample>& origin_samples() const {
        static const std::vector<OriginSample> none;
        return none;
    }

    // How many operations of the last timed() this rank has performed, where ranks compete for
    // them; otherwise 0.
    virtual int64_t share() const { return 0; }

    // Operations that make up a result that can be checked.
    virtual int64_t check_count() const { return 1; }

    // timed() is asked for multiples of this.
    virtual int64_t batch_count() const { return 1; }

    // Wrong bytes (or words) seen by this rank. Collective over world.
    virtual int64_t count_errors() = 0;

    // Whether the result can be checked after any number of operations.
    virtual bool result_lasts() const { return true; }

    // Whether passive targets must take part: serve() then runs there until the rank that acts on
    // them calls dismiss().
    virtual bool needs_service() const { return false; }
    virtual void serve() {}
    virtual void dismiss() {}

  protected:
    const Context& context() const { return context_; }

  private:
    const Context context_;
};

// Memory that a row needs in the area of each rank's arena, and in the local buffer; whole pages.
struct MemoryNeeds {
    int64_t remote_bytes = 0;
    int64_t local_bytes = 0;

    MemoryNeeds& operator+=(const MemoryNeeds& other) {
        remote_bytes += other.remote_bytes;
        local_bytes += other.local_bytes;
        return *this;
    }
};
MemoryNeeds memory_needs(const Row& row, const Options& options);

std::unique_ptr<Workload> make_workload(const Context& context);

}  // namespace armci::bench
