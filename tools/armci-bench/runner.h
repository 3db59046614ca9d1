// Takes rows through their phases: check, then time.
#pragma once

#include "armci-bench/arena.h"
#include "armci-bench/options.h"
#include "armci-bench/raw.h"
#include "armci-bench/result.h"
#include "armci-bench/roles.h"

#include <cstddef>
#include <vector>

namespace armci::bench {

class Runner {
  public:
    // Collective over world, as every function here. Options, arena and network outlive the runner;
    // the arena has room for the rows of any one call, and the network may be null if no row is
    // raw.
    Runner(const Options& options, const Arena& arena, RawNetwork* raw);
    ~Runner();
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    // Measures rows[i] for all i of the group, taking a sample of each in turn if there are
    // several. The results, in the order of the group, are complete on rank 0; their status is the
    // same on every rank.
    std::vector<Result> measure(const std::vector<Row>& rows, const std::vector<size_t>& group);

  private:
    const Roles& roles_of(const Row& row) const;

    const Options& options_;
    const Arena& arena_;
    RawNetwork* const raw_;
    Roles pattern_roles_;
    Roles contended_roles_;
};

}  // namespace armci::bench
