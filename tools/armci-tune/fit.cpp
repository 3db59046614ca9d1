// SPDX-License-Identifier: BSD-3-Clause
#include "armci-tune/fit.h"

#include <algorithm>
#include <cmath>

namespace armci::tune {
namespace {

using base::OpKind;
using base::Route;
using Row = std::vector<double>;

// Solves the square system in place, with pivoting; a parameter that nothing depends on becomes 0.
Row solve(std::vector<Row> matrix, Row right) {
    const size_t n = right.size();
    for (size_t column = 0; column < n; ++column) {
        size_t pivot = column;
        for (size_t row = column + 1; row < n; ++row) {
            if (std::abs(matrix[row][column]) > std::abs(matrix[pivot][column])) {
                pivot = row;
            }
        }
        std::swap(matrix[column], matrix[pivot]);
        std::swap(right[column], right[pivot]);
        if (matrix[column][column] == 0) {
            continue;
        }
        for (size_t row = 0; row < n; ++row) {
            if (row == column) {
                continue;
            }
            const double factor = matrix[row][column] / matrix[column][column];
            for (size_t k = column; k < n; ++k) {
                matrix[row][k] -= factor * matrix[column][k];
            }
            right[row] -= factor * right[column];
        }
    }
    for (size_t i = 0; i < n; ++i) {
        right[i] = matrix[i][i] == 0 ? 0 : right[i] / matrix[i][i];
    }
    return right;
}

// Relative errors up to this are noise of the machine.
constexpr double kSmallError = 0.05;

double error_of(const Row& parameters, const Row& measured, const Prediction& predict) {
    double sum = 0;
    for (size_t i = 0; i < measured.size(); ++i) {
        const double error = std::abs(predict(parameters, i) / measured[i] - 1);
        sum += error < kSmallError ? error * error / kSmallError : 2 * error - kSmallError;
    }
    return sum;
}

// The least squares of jacobian * x = right without negative x: values that would be negative stay
// 0.
Row solve_without_negatives(const std::vector<Row>& jacobian, const Row& right) {
    const size_t n = jacobian.front().size();
    std::vector<size_t> active(n);
    for (size_t i = 0; i < n; ++i) {
        active[i] = i;
    }
    Row result(n, 0);
    while (!active.empty()) {
        std::vector<Row> matrix(active.size(), Row(active.size(), 0));
        Row sums(active.size(), 0);
        for (size_t sample = 0; sample < jacobian.size(); ++sample) {
            for (size_t i = 0; i < active.size(); ++i) {
                sums[i] += jacobian[sample][active[i]] * right[sample];
                for (size_t k = 0; k < active.size(); ++k) {
                    matrix[i][k] += jacobian[sample][active[i]] * jacobian[sample][active[k]];
                }
            }
        }
        const Row found = solve(matrix, sums);
        const auto lowest = std::min_element(found.begin(), found.end());
        if (*lowest >= 0) {
            for (size_t i = 0; i < active.size(); ++i) {
                result[active[i]] = found[i];
            }
            break;
        }
        active.erase(active.begin() + (lowest - found.begin()));
    }
    return result;
}

// All samples of one operation and route.
struct Series {
    std::vector<Sample> samples;
    Row us;
};

Series series_of(const std::vector<Sample>& samples, OpKind op, Route route) {
    Series series;
    for (const Sample& sample : samples) {
        if (sample.op == op && sample.route == route && sample.us > 0) {
            series.samples.push_back(sample);
            series.us.push_back(sample.us);
        }
    }
    return series;
}

void fit_rma(const Series& series, OpKind op, const pipeline::PipelineLimits& limits,
             pipeline::CostConstants* constants) {
    const auto costs_of = [](const Row& p) {
        pipeline::RmaCosts costs;
        costs.latency_us = p[0];
        costs.far_byte_us = p[1];
        std::copy(p.begin() + 2, p.end(), costs.blocks.block_us.begin());
        return costs;
    };
    const Prediction predict = [&](const Row& p, size_t i) {
        pipeline::CostConstants trial;
        trial.rma[static_cast<size_t>(op)] = costs_of(p);
        return pipeline::CostModel(trial, limits).rma_us(op, series.samples[i].shape);
    };
    Row start(2 + pipeline::kRmaBlockBytes.size(), 1);
    start[1] = 1e-4;
    constants->rma[static_cast<size_t>(op)] = costs_of(fit_parameters(start, series.us, predict));
}

// The overlap is not linear: tried in steps, with the others fitted for each.
void fit_server(const Series& series, OpKind op, const pipeline::PipelineLimits& limits,
                pipeline::CostConstants* constants) {
    constexpr int kSteps = 10;
    pipeline::CostConstants trial = *constants;
    pipeline::ServerCosts& costs = trial.server[static_cast<size_t>(op)];
    double min = HUGE_VAL;
    for (int step = 0; step <= kSteps; ++step) {
        const double overlap = static_cast<double>(step) / kSteps;
        const Prediction predict = [&](const Row& p, size_t i) {
            costs = {p[0], p[1], p[2], overlap, p[3], p[4]};
            const Sample& sample = series.samples[i];
            const pipeline::ServerPlan plan =
                pipeline::CostModel(trial, limits).server_plan(op, sample.shape);
            return sample.non_blocking ? plan.steady_us : plan.total_us;
        };
        const Row p = fit_parameters({1, 1, 1e-4, 1e-4, 1}, series.us, predict);
        const double error = error_of(p, series.us, predict);
        if (error < min) {
            min = error;
            constants->server[static_cast<size_t>(op)] = {p[0], p[1], p[2], overlap, p[3], p[4]};
        }
    }
}

}  // namespace

// Gauss and Newton's method, with samples weighted by their last error.
std::vector<double> fit_parameters(std::vector<double> parameters,
                                   const std::vector<double>& measured, const Prediction& predict) {
    constexpr int kSteps = 20;
    if (measured.empty()) {
        return parameters;
    }
    Row best = parameters;
    double min = error_of(best, measured, predict);
    for (int step = 0; step < kSteps; ++step) {
        std::vector<Row> jacobian;
        Row right;
        for (size_t i = 0; i < measured.size(); ++i) {
            const double here = predict(parameters, i);
            const double weight =
                1 / std::sqrt(std::max(std::abs(here / measured[i] - 1), kSmallError));
            Row row;
            double linear = 0;
            for (size_t k = 0; k < parameters.size(); ++k) {
                const double old = parameters[k];
                const double delta = std::max(1e-3 * old, 1e-7);
                parameters[k] = old + delta;
                row.push_back(weight * (predict(parameters, i) - here) / delta / measured[i]);
                parameters[k] = old;
                linear += row.back() * old;
            }
            right.push_back(weight * (1 - here / measured[i]) + linear);
            jacobian.push_back(row);
        }
        parameters = solve_without_negatives(jacobian, right);
        const double error = error_of(parameters, measured, predict);
        if (error < min) {
            min = error;
            best = parameters;
        }
    }
    return best;
}

void fit_costs(const std::vector<Sample>& samples, const pipeline::PipelineLimits& limits,
               pipeline::CostConstants* constants) {
    for (const OpKind op : {OpKind::put, OpKind::get, OpKind::acc}) {
        const Series rma = series_of(samples, op, Route::rma);
        if (!rma.us.empty()) {
            fit_rma(rma, op, limits, constants);
        }
        const Series server = series_of(samples, op, Route::server);
        if (!server.us.empty()) {
            fit_server(server, op, limits, constants);
        }
    }
}

}  // namespace armci::tune
