// SPDX-License-Identifier: BSD-3-Clause
#include "armci-tune/quality.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace armci::tune {
namespace {

using base::OpKind;
using base::Route;

constexpr OpKind kOps[] = {OpKind::put, OpKind::get, OpKind::acc};
constexpr Route kRoutes[] = {Route::rma, Route::server};

double middle_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

template <class... Values>
std::string text(const char* format, Values... values) {
    char line[256];
    std::snprintf(line, sizeof line, format, values...);
    return line;
}

void check_spread(const std::vector<Cell>& cells, std::vector<std::string>* faults) {
    std::vector<double> spreads;
    for (const Cell& cell : cells) {
        spreads.insert(spreads.end(), cell.spread.begin(), cell.spread.end());
    }
    if (!spreads.empty() && middle_of(spreads) > kMaxSpread) {
        faults->push_back(text(
            "repetitions of the same transfer differ: of half of %zu measured times the quartiles "
            "lie %.0f %% or more from the median (at most %.0f %% are accepted)",
            spreads.size(), 100 * middle_of(spreads), 100 * kMaxSpread));
    }
}

// The relative errors of the model where it was fitted.
std::vector<double> errors_of(const std::vector<Cell>& cells, OpKind op, Route route,
                              const pipeline::CostModel& model) {
    std::vector<double> errors;
    for (const Cell& cell : cells) {
        for (size_t i = 0; i < cell.routes.size(); ++i) {
            if (cell.op == op && cell.routes[i] == route && !cell.is_check) {
                errors.push_back(std::abs(predicted_us(cell, route, model) / cell.us[i] - 1));
            }
        }
    }
    return errors;
}

void check_constant(OpKind op, Route route, const char* name, double value,
                    std::vector<std::string>* faults) {
    if (!(value > 0)) {
        faults->push_back(text("%s by %s: its %s comes out as %g", base::name_of(op),
                               base::name_of(route), name, value));
    }
}

// Costs that are never zero on a real network. Costs of memory that is far away may be zero.
void check_constants(OpKind op, Route route, const pipeline::CostConstants& constants,
                     std::vector<std::string>* faults) {
    const auto index = static_cast<size_t>(op);
    if (route == Route::rma) {
        const pipeline::RmaCosts& costs = constants.rma[index];
        check_constant(op, route, "latency_us", costs.latency_us, faults);
        for (size_t i = 0; i < costs.blocks.block_us.size(); ++i) {
            const std::string name =
                "cost of a block of " + std::to_string(pipeline::kRmaBlockBytes[i]) + " bytes";
            check_constant(op, route, name.c_str(), costs.blocks.block_us[i], faults);
        }
        return;
    }
    const pipeline::ServerCosts& costs = constants.server[index];
    check_constant(op, route, "request_us", costs.request_us, faults);
    check_constant(op, route, "chunk_us", costs.chunk_us, faults);
    check_constant(op, route, "byte_us", costs.byte_us, faults);
}

void check_fit(const std::vector<Cell>& cells, const pipeline::CostModel& model,
               std::vector<std::string>* faults) {
    for (const OpKind op : kOps) {
        for (const Route route : kRoutes) {
            const std::vector<double> errors = errors_of(cells, op, route, model);
            if (errors.empty()) {
                continue;
            }
            check_constants(op, route, model.constants(), faults);
            const double error = middle_of(errors);
            if (!(error <= kMaxError)) {
                faults->push_back(
                    text("%s by %s: the model does not fit; half of %zu times are %.0f %% or more "
                         "away from it (at most %.0f %% are accepted)",
                         base::name_of(op), base::name_of(route), errors.size(), 100 * error,
                         100 * kMaxError));
            }
        }
    }
}

void check_choices(const std::vector<Cell>& cells, const pipeline::CostModel& model,
                   std::vector<std::string>* faults) {
    double sum = 0;
    double worst = 0;
    int count = 0;
    for (const Cell& cell : cells) {
        if (cell.is_check && cell.routes.size() == 2) {
            const double loss = loss_of(cell, model);
            sum += loss;
            worst = std::max(worst, loss);
            ++count;
        }
    }
    if (count > 0 && (sum > kMaxMeanLoss * count || worst > kMaxLoss)) {
        faults->push_back(
            text("the choices are poor: of %d transfers that were not used for the fit the chosen "
                 "route takes %.0f %% longer than the better one on average and %.0f %% at most "
                 "(accepted are %.0f %% and %.0f %%)",
                 count, 100 * sum / count, 100 * worst, 100 * kMaxMeanLoss, 100 * kMaxLoss));
    }
}

}  // namespace

double predicted_us(const Cell& cell, Route route, const pipeline::CostModel& model) {
    if (route == Route::rma) {
        return model.rma_us(cell.op, cell.shape);
    }
    const pipeline::ServerPlan plan = model.server_plan(cell.op, cell.shape);
    return cell.non_blocking ? plan.steady_us : plan.total_us;
}

bool goes_by_rma(const Cell& cell, const pipeline::CostModel& model) {
    return cell.shape.block_bytes >= model.min_rma_block(cell.op, cell.shape.total_bytes);
}

double loss_of(const Cell& cell, const pipeline::CostModel& model) {
    return cell.us[goes_by_rma(cell, model) ? 0 : 1] / std::min(cell.us[0], cell.us[1]) - 1;
}

std::vector<std::string> find_faults(const std::vector<Cell>& cells,
                                     const pipeline::CostModel& model) {
    std::vector<std::string> faults;
    check_spread(cells, &faults);
    check_fit(cells, model, &faults);
    check_choices(cells, model, &faults);
    return faults;
}

}  // namespace armci::tune
