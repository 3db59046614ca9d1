// SPDX-License-Identifier: BSD-3-Clause
// The expected result of a put, get or accumulate, computed in plain memory.
#pragma once

#include "armci-bench/options/options.h"
#include "armci-bench/workloads/row.h"
#include "armci-bench/workloads/slots.h"

#include <cstdint>

namespace armci::bench {

// Every rank can produce any rank's initial memory from the row and rank numbers, so each side
// checks its own memory without communication. Gaps between blocks are checked too.
class TransferCheck {
  public:
    // The verb is the effect on the data, whatever the row's operation is called.
    TransferCheck(const Row& row, const Options& options, Verb verb, int64_t row_number);

    // Write the initial contents of all slots of a rank.
    void fill_local(void* memory, int rank) const;
    void fill_remote(void* memory, int rank) const;

    // Wrong bytes after each slot of `origin` has once been transferred to or from `target`: of a
    // put or accumulate in the target's memory, of a get in the origin's. Several origins, from
    // `origin` on, only accumulate.
    int64_t errors_at_target(const void* memory, int origin, int target,
                             int origin_count = 1) const;
    int64_t errors_at_origin(const void* memory, int origin, int target) const;

  private:
    void transfer_all(const char* local, char* remote) const;
    void fill(void* memory, int64_t bytes, uint64_t seed) const;
    uint64_t seed(int rank, bool remote) const;

    Shape shape_;
    Slots slots_;
    Verb verb_;
    ElementType type_;
    double scale_;
    int64_t row_number_;
};

}  // namespace armci::bench
