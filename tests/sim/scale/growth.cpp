// SPDX-License-Identifier: BSD-3-Clause
#include "growth.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace armci::sim {
namespace {

constexpr std::array kGrowths = {Growth::constant, Growth::log, Growth::linear, Growth::linear_log,
                                 Growth::quadratic};

double term(Growth growth, double nodes) {
    switch (growth) {
        case Growth::constant:
            return 0;
        case Growth::log:
            return std::log2(nodes);
        case Growth::linear:
            return nodes;
        case Growth::linear_log:
            return nodes * std::log2(nodes);
        case Growth::quadratic:
            return nodes * nodes;
    }
    return 0;
}

// Least squares of the relative errors: each point counts as much as the others.
Fit fit(Growth growth, const std::vector<Point>& points) {
    double w = 0;
    double wx = 0;
    double wy = 0;
    double wxx = 0;
    double wxy = 0;
    for (const Point& point : points) {
        const double weight = 1 / (point.cost * point.cost);
        const double x = term(growth, point.nodes);
        w += weight;
        wx += weight * x;
        wy += weight * point.cost;
        wxx += weight * x * x;
        wxy += weight * x * point.cost;
    }
    Fit fit{growth};
    const double determinant = w * wxx - wx * wx;
    fit.slope = growth == Growth::constant ? 0 : (w * wxy - wx * wy) / determinant;
    fit.base = (wy - fit.slope * wx) / w;
    double sum = 0;
    for (const Point& point : points) {
        const double predicted = fit.base + fit.slope * term(growth, point.nodes);
        sum += (predicted / point.cost - 1) * (predicted / point.cost - 1);
    }
    fit.error = std::sqrt(sum / static_cast<double>(points.size()));
    return fit;
}

}  // namespace

Fit fit_growth(const std::vector<Point>& points) {
    constexpr double kGood = 0.05;
    constexpr double kNearlyAsGood = 1.25;
    std::vector<Point> costs;
    std::copy_if(points.begin(), points.end(), std::back_inserter(costs),
                 [](const Point& point) { return point.cost > 0; });
    if (costs.empty()) {
        return {};
    }
    std::vector<Fit> fits;
    for (const Growth growth : kGrowths) {
        // Two points lie on each curve.
        if (growth == Growth::constant || costs.size() > 2) {
            fits.push_back(fit(growth, costs));
        }
    }
    std::erase_if(fits, [](const Fit& one) { return one.slope < 0; });
    const auto best = std::min_element(
        fits.begin(), fits.end(), [](const Fit& a, const Fit& b) { return a.error < b.error; });
    const double limit = std::max(kGood, kNearlyAsGood * best->error);
    return *std::find_if(fits.begin(), fits.end(),
                         [&](const Fit& one) { return one.error <= limit; });
}

const char* name_of(Growth growth) {
    switch (growth) {
        case Growth::constant:
            return "constant";
        case Growth::log:
            return "log P";
        case Growth::linear:
            return "P";
        case Growth::linear_log:
            return "P log P";
        case Growth::quadratic:
            return "P^2";
    }
    return "";
}

std::string formula_of(const Fit& fit) {
    char text[96];
    if (fit.growth == Growth::constant) {
        std::snprintf(text, sizeof text, "%.3g", fit.base);
    } else {
        std::snprintf(text, sizeof text, "%.3g + %.3g %s", fit.base, fit.slope,
                      name_of(fit.growth));
    }
    return text;
}

}  // namespace armci::sim
