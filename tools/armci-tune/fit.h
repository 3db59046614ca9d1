// SPDX-License-Identifier: BSD-3-Clause
// The cost model's network constants from measured transfers.
#pragma once

#include <functional>
#include <vector>

#include "pipeline/costs/cost_model.h"

namespace armci::tune {

struct Sample {
    base::OpKind op = base::OpKind::put;
    base::Route route = base::Route::server;
    pipeline::TransferShape shape;
    // Whether `us` is the time between two of a stream of non-blocking transfers. Otherwise it is
    // that of a blocking one in a stream of them.
    bool non_blocking = false;
    double us = 0;
};

// Parameters, none negative, that minimise the relative errors of predict(parameters, index)
// against measured[index]: their squares where they are small, their size where they are large, so
// that single bad measurements do not matter. `parameters` is where the search starts; predict must
// be nearly linear in them. No measured value may be zero.
using Prediction = std::function<double(const std::vector<double>& parameters, size_t index)>;
std::vector<double> fit_parameters(std::vector<double> parameters,
                                   const std::vector<double>& measured, const Prediction& predict);

// Replaces the costs of every operation and route that has samples; the copy curves must be set.
void fit_costs(const std::vector<Sample>& samples, const pipeline::PipelineLimits& limits,
               pipeline::CostConstants* constants);

}  // namespace armci::tune
