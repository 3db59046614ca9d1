// SPDX-License-Identifier: BSD-3-Clause
// Whether a profile may be used: the measurements of a busy machine may lead to any result.
#pragma once

#include <string>
#include <vector>

#include "armci-tune/measure.h"

namespace armci::tune {

// Limits of what is accepted, as parts of one.
// Of half of the measured times, the quartiles of the repetitions lie at most this far from their
// median.
inline constexpr double kMaxSpread = 0.25;
// Of an operation on a route: half of the measured times are at most this far from the model's.
inline constexpr double kMaxError = 0.3;
// For transfers that were not used for the fit: how much longer the chosen route takes than the
// better one, on average and at most.
inline constexpr double kMaxMeanLoss = 0.2;
inline constexpr double kMaxLoss = 1;

// What the model says that the cell takes on a route.
double predicted_us(const Cell& cell, base::Route route, const pipeline::CostModel& model);

// Whether the model sends the cell by RMA; the cell has both routes.
bool goes_by_rma(const Cell& cell, const pipeline::CostModel& model);
// How much longer the route that the model chooses takes than the better one, as a part of that.
double loss_of(const Cell& cell, const pipeline::CostModel& model);

// The reasons why a profile with the model's constants must not be used, one per line; empty if it
// may. The cells are measured, and those that are no checks were fitted.
std::vector<std::string> find_faults(const std::vector<Cell>& cells,
                                     const pipeline::CostModel& model);

}  // namespace armci::tune
