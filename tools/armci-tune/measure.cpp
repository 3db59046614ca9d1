// SPDX-License-Identifier: BSD-3-Clause
#include "armci-tune/measure.h"

#include <armci/armci.h>
#include <armci/armcix.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/clock.h"
#include "library/library.h"
#include "progress/progress.h"

namespace armci::tune {
namespace {

using base::OpKind;
using base::Route;

// Transfers as small as this are sent in bursts, as in programs.
constexpr int64_t kBurstBytes = 64 << 10;
constexpr int64_t kMaxInBurst = 16;
constexpr int kNonBlockingInBurst = 64;

// Sets ARMCI_ROUTE between one transfer and the next.
void force(base::RouteChoice choice) {
    tools::library().running()->configuration.config.route = static_cast<int>(choice);
}

void force(Route route) {
    force(route == Route::rma ? base::RouteChoice::rma : base::RouteChoice::server);
}

// Every second piece of block_bytes, on both sides.
struct Patch {
    explicit Patch(const pipeline::TransferShape& shape)
        : count{static_cast<int>(shape.block_bytes),
                static_cast<int>(shape.total_bytes / shape.block_bytes)},
          stride{static_cast<int>(2 * shape.block_bytes)} {}

    int count[2];
    int stride[1];
    double scale = 0.5;
};

}  // namespace

Meter::~Meter() {
    force(base::RouteChoice::automatic);
}

bool Meter::can_take(Route route) {
    if (route == Route::rma && !tools::library().running()->network->rma_usable) {
        return false;
    }
    force(route);
    armcix_stats_t before;
    armcix_stats_t after;
    ARMCIX_Stats(&before, sizeof before);
    transfer(OpKind::put, {kBurstBytes, kBurstBytes});
    ARMCI_Fence(target_);
    ARMCIX_Stats(&after, sizeof after);
    const int index = static_cast<int>(route);
    return after.put[index].operations > before.put[index].operations;
}

void Meter::transfer(OpKind op, const pipeline::TransferShape& shape) {
    Patch patch(shape);
    switch (op) {
        case OpKind::put:
            ARMCI_PutS(local_, patch.stride, remote_, patch.stride, patch.count, 1, target_);
            break;
        case OpKind::get:
            ARMCI_GetS(remote_, patch.stride, local_, patch.stride, patch.count, 1, target_);
            break;
        case OpKind::acc:
            ARMCI_AccS(ARMCI_ACC_DBL, &patch.scale, local_, patch.stride, remote_, patch.stride,
                       patch.count, 1, target_);
            break;
    }
}

void Meter::start_transfer(OpKind op, const pipeline::TransferShape& shape) {
    Patch patch(shape);
    switch (op) {
        case OpKind::put:
            ARMCI_NbPutS(local_, patch.stride, remote_, patch.stride, patch.count, 1, target_,
                         nullptr);
            break;
        case OpKind::get:
            ARMCI_NbGetS(remote_, patch.stride, local_, patch.stride, patch.count, 1, target_,
                         nullptr);
            break;
        case OpKind::acc:
            ARMCI_NbAccS(ARMCI_ACC_DBL, &patch.scale, local_, patch.stride, remote_, patch.stride,
                         patch.count, 1, target_, nullptr);
            break;
    }
}

// Microseconds for one of a burst of transfers, including their completion.
double Meter::time_burst(const Cell& cell) {
    const int count = cell.non_blocking
                          ? kNonBlockingInBurst
                          : static_cast<int>(std::clamp<int64_t>(
                                kBurstBytes / cell.shape.total_bytes, 1, kMaxInBurst));
    const int64_t begin_ns = base::now_ns();
    for (int i = 0; i < count; ++i) {
        cell.non_blocking ? start_transfer(cell.op, cell.shape) : transfer(cell.op, cell.shape);
    }
    if (cell.non_blocking) {
        ARMCI_WaitAll();
    }
    if (cell.op != OpKind::get) {
        ARMCI_Fence(target_);
    }
    return static_cast<double>(base::now_ns() - begin_ns) * 1e-3 / count;
}

void Meter::measure(std::vector<Cell>* cells) {
    const int64_t budget_ns = seconds_ * 1'000'000'000;
    const int64_t visit_ns = quick_ ? 200'000 : 2'000'000;
    const int min_rounds = quick_ ? 1 : 5;
    std::vector<std::vector<std::vector<double>>> us(cells->size());
    std::vector<std::vector<std::vector<double>>> medians(cells->size());
    tools::Progress progress("armci-tune", std::to_string(cells->size()) + " kinds of transfers",
                             static_cast<double>(seconds_));
    const int64_t begin_ns = base::now_ns();
    for (int round = 0; round < min_rounds || base::now_ns() - begin_ns < budget_ns; ++round) {
        const auto elapsed_ns = static_cast<double>(base::now_ns() - begin_ns);
        progress.show(std::min(1.0, std::max(elapsed_ns / static_cast<double>(budget_ns + 1),
                                             static_cast<double>(round) / min_rounds)));
        for (size_t i = 0; i < cells->size(); ++i) {
            const Cell& cell = (*cells)[i];
            us[i].resize(cell.routes.size());
            medians[i].resize(cell.routes.size());
            for (size_t k = 0; k < cell.routes.size(); ++k) {
                force(cell.routes[k]);
                time_burst(cell);  // the first after another route includes the cost of the change
                const int64_t visit_begin_ns = base::now_ns();
                std::vector<double> visit_us;
                do {
                    visit_us.push_back(time_burst(cell));
                } while (base::now_ns() - visit_begin_ns < visit_ns);
                us[i][k].insert(us[i][k].end(), visit_us.begin(), visit_us.end());
                medians[i][k].push_back(tools::summarize(std::move(visit_us)).median);
            }
        }
    }
    for (size_t i = 0; i < cells->size(); ++i) {
        for (const std::vector<double>& values : us[i]) {
            (*cells)[i].times.push_back(tools::summarize(values));
            (*cells)[i].us.push_back((*cells)[i].times.back().median);
        }
        for (const std::vector<double>& values : medians[i]) {
            (*cells)[i].spread.push_back(tools::summarize(values).quartile_distance());
        }
    }
}

}  // namespace armci::tune
