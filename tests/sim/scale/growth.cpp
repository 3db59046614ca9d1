// SPDX-License-Identifier: BSD-3-Clause
#include "growth.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace armci::sim {
namespace {

struct Law {
    Growth growth;
    const char* name;
    double (*term)(double nodes);
};

// Simpler ones first, in the order of Growth.
constexpr std::array kLaws = {
    Law{Growth::constant, "constant", [](double) { return 0.0; }},
    Law{Growth::log, "log P", [](double nodes) { return std::log2(nodes); }},
    Law{Growth::linear, "P", [](double nodes) { return nodes; }},
    Law{Growth::linear_log, "P log P", [](double nodes) { return nodes * std::log2(nodes); }},
    Law{Growth::quadratic, "P^2", [](double nodes) { return nodes * nodes; }},
};

// Least squares of the relative errors: each point counts as much as the others.
Fit fit(const Law& law, const std::vector<Point>& points) {
    double w = 0;
    double wx = 0;
    double wy = 0;
    double wxx = 0;
    double wxy = 0;
    for (const Point& point : points) {
        const double weight = 1 / (point.cost * point.cost);
        const double x = law.term(point.nodes);
        w += weight;
        wx += weight * x;
        wy += weight * point.cost;
        wxx += weight * x * x;
        wxy += weight * x * point.cost;
    }
    Fit fit{law.growth};
    const double determinant = w * wxx - wx * wx;
    fit.slope = law.growth == Growth::constant ? 0 : (w * wxy - wx * wy) / determinant;
    fit.base = (wy - fit.slope * wx) / w;
    double sum = 0;
    for (const Point& point : points) {
        const double predicted = fit.base + fit.slope * law.term(point.nodes);
        sum += (predicted / point.cost - 1) * (predicted / point.cost - 1);
    }
    fit.error = std::sqrt(sum / static_cast<double>(points.size()));
    return fit;
}

}  // namespace

Fit fit_growth(const std::vector<Point>& points) {
    constexpr double kNearlyAsGood = 2;
    const auto is_zero = [](const Point& point) { return point.cost <= 0; };
    if (std::all_of(points.begin(), points.end(), is_zero)) {
        return {};
    }
    if (std::any_of(points.begin(), points.end(), is_zero)) {
        return {.error = std::numeric_limits<double>::infinity()};
    }
    std::vector<Fit> fits;
    for (const Law& law : kLaws) {
        // Two points lie on each curve.
        if (law.growth == Growth::constant || points.size() > 2) {
            fits.push_back(fit(law, points));
        }
    }
    std::erase_if(fits, [](const Fit& one) { return one.slope < 0; });
    const auto best = std::min_element(
        fits.begin(), fits.end(), [](const Fit& a, const Fit& b) { return a.error < b.error; });
    const double limit = std::max(kExactError, kNearlyAsGood * best->error);
    return *std::find_if(fits.begin(), fits.end(),
                         [&](const Fit& one) { return one.error <= limit; });
}

bool grows_as(Growth growth, const std::vector<Point>& points) {
    constexpr double kMostOfConstant = 1.05;
    if (growth == Growth::constant) {
        return std::all_of(points.begin(), points.end(), [&](const Point& point) {
            return point.cost <= kMostOfConstant * points.front().cost;
        });
    }
    const Fit fit = fit_growth(points);
    return fit.growth == growth && fit.error <= kExactError;
}

std::string describe_end(const std::vector<Point>& points) {
    const auto most =
        std::max_element(points.begin(), points.end(),
                         [](const Point& a, const Point& b) { return a.cost < b.cost; });
    const Point& last = points.back();
    const Point& before = points[points.size() - 2];
    char text[64];
    if (most->cost > last.cost || before.cost <= 0) {
        std::snprintf(text, sizeof text, "at most %.3g", most->cost);
    } else {
        std::snprintf(text, sizeof text, "P^%.2f at the end",
                      std::log(last.cost / before.cost) / std::log(last.nodes / before.nodes));
    }
    return text;
}

const char* name_of(Growth growth) {
    return kLaws[static_cast<size_t>(growth)].name;
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
