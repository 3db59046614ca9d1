// SPDX-License-Identifier: BSD-3-Clause
// Takes rows through their phases: check, then time.
#pragma once

#include "armci-bench/measuring/result.h"
#include "armci-bench/options/options.h"
#include "armci-bench/workloads/arena.h"
#include "armci-bench/workloads/raw/raw.h"
#include "armci-bench/workloads/roles.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace armci::bench {

class Measurement;

class Runner {
  public:
    // Collective over world, as every function here. Options, arena and network outlive the runner;
    // the arena has room for the rows of any one call, and the network may be null if no row is
    // raw.
    Runner(const Options& options, const Arena& arena, RawNetwork* raw);
    ~Runner();
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    // Measures all rows, group after group; of the rows of a group it takes a sample in turn if
    // there are several. With several series it goes through all groups once for each. `report`
    // gets the rows' results as they become complete, group after group: their figures are complete
    // on rank 0, and their status is the same on every rank.
    void measure(const std::vector<Row>& rows, const std::vector<std::vector<size_t>>& groups,
                 const std::function<void(const Result&)>& report);

  private:
    using Group = std::vector<std::unique_ptr<Measurement>>;

    const Roles& roles_of(const Row& row) const;
    Group make_group(const std::vector<Row>& rows, const std::vector<size_t>& indices) const;
    void measure_series(const Group& group);

    const Options& options_;
    const Arena& arena_;
    RawNetwork* const raw_;
    int64_t series_number_ = 0;
    Roles pattern_roles_;
    Roles contended_roles_;
};

}  // namespace armci::bench
