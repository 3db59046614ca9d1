// SPDX-License-Identifier: BSD-3-Clause
// How a cost grows with the number of nodes.
#pragma once

#include <string>
#include <vector>

namespace armci::sim {

enum class Growth { constant, log, linear, linear_log, quadratic };

struct Point {
    double nodes = 0;
    double cost = 0;
};

// cost = base + slope * f(nodes), where f is log2 P, P, P log2 P or P squared.
struct Fit {
    Growth growth = Growth::constant;
    double base = 0;
    double slope = 0;
    double error = 0;  // relative, of the root of the mean square
};

// Relative errors. Simulated runs repeat exactly, so costs that follow a law are within the first
// one. Above the second, the law says little about the costs.
inline constexpr double kExactError = 0.01;
inline constexpr double kUnclearError = 0.05;

// Returns the simplest growth that explains the points: within kExactError, or nearly as well as
// the best one does. Costs that are all zero are constant, and so are fewer than three. If only
// some are zero, the error is infinite.
Fit fit_growth(const std::vector<Point>& points);

// Says whether the costs, in the order of the nodes, follow that law. A cost is constant if it is
// nowhere above the first one by more than a twentieth.
bool grows_as(Growth growth, const std::vector<Point>& points);

// Says of costs that follow no law how they grow at the end: "at most 10.9", if the last cost is
// not the greatest, else "P^0.44 at the end", from the last two.
std::string describe_end(const std::vector<Point>& points);

// "constant", "log P", "P", "P log P" or "P^2".
const char* name_of(Growth growth);
// "11 + 3.2 log P", with three digits.
std::string formula_of(const Fit& fit);

}  // namespace armci::sim
