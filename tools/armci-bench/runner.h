// Takes one row through its phases: check, then time.
#pragma once

#include "armci-bench/arena.h"
#include "armci-bench/options.h"
#include "armci-bench/result.h"
#include "armci-bench/roles.h"

#include <cstdint>

namespace armci::bench {

class Runner {
  public:
    // Collective over world, as every function here. The arena outlives the runner and has room for
    // all rows.
    Runner(const Options& options, const Arena& arena);
    ~Runner();
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    // The result is complete on rank 0; its status is the same on every rank.
    Result measure(const Row& row, int64_t row_number);

  private:
    const Options& options_;
    const Arena& arena_;
    Roles pattern_roles_;
    Roles contended_roles_;
};

}  // namespace armci::bench
