// SPDX-License-Identifier: BSD-3-Clause
// Timing of transfers from this rank to one target, on a given route.
#pragma once

#include <vector>

#include "armci-tune/fit.h"
#include "statistics/statistics.h"

namespace armci::tune {

// A transfer to be measured on several routes.
struct Cell {
    base::OpKind op = base::OpKind::put;
    pipeline::TransferShape shape;
    std::vector<base::Route> routes;
    bool non_blocking = false;
    bool is_check = false;  // not for the fit
    // These three in the order of the routes. A sample is a burst; its time is that of one
    // transfer.
    std::vector<double> us;             // medians
    std::vector<tools::Summary> times;  // of all samples
    // The distance of the quartile that is further from the median of the rounds' medians, as a
    // part of it.
    std::vector<double> spread;
};

class Meter {
  public:
    // `remote` is memory of `target`, `local` of this rank, both for twice the largest transfer.
    // Measures for that long, but at least some rounds.
    Meter(void* local, void* remote, int target, bool quick, int64_t seconds)
        : local_(local), remote_(remote), target_(target), quick_(quick), seconds_(seconds) {}
    ~Meter();
    Meter(const Meter&) = delete;
    Meter& operator=(const Meter&) = delete;

    // Whether transfers can take that route.
    bool can_take(base::Route route);
    // Sets the times of the cells. The cells and their routes alternate repeatedly, so that changes
    // of the machine's speed affect all of them.
    void measure(std::vector<Cell>* cells);

  private:
    void transfer(base::OpKind op, const pipeline::TransferShape& shape);
    void start_transfer(base::OpKind op, const pipeline::TransferShape& shape);
    double time_burst(const Cell& cell);

    void* local_;
    void* remote_;
    int target_;
    bool quick_;
    int64_t seconds_;
};

// More RMA operations than this in one transfer take long and add no information.
inline constexpr int64_t kMaxRmaBlocks = 1024;

}  // namespace armci::tune
