// SPDX-License-Identifier: BSD-3-Clause
// Timing of transfers from this rank to one target, on a route of choice.
#pragma once

#include <vector>

#include "armci-tune/fit.h"

namespace armci::tune {

// A transfer to be measured on several routes.
struct Cell {
    base::OpKind op = base::OpKind::put;
    pipeline::TransferShape shape;
    std::vector<base::Route> routes;
    bool non_blocking = false;
    bool is_check = false;   // not for the fit
    std::vector<double> us;  // medians, in the order of the routes
    // How far from the median of the rounds' medians the quartile that is further from it lies, as
    // a part of it; in the order of the routes.
    std::vector<double> spread;
};

class Meter {
  public:
    // `remote` is memory of `target`, `local` of this rank, both for twice the largest transfer.
    // Measures for that long, but some rounds at least.
    Meter(void* local, void* remote, int target, bool quick, int64_t seconds)
        : local_(local), remote_(remote), target_(target), quick_(quick), seconds_(seconds) {}
    ~Meter();
    Meter(const Meter&) = delete;
    Meter& operator=(const Meter&) = delete;

    // Whether transfers can really go by that route.
    bool can_take(base::Route route);
    // Sets what the cells took. They and their routes take turns, again and again, so that the
    // machine's moods meet all of them.
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

// More RMA operations than this in one transfer take long and tell nothing new.
inline constexpr int64_t kMaxRmaBlocks = 1024;

}  // namespace armci::tune
