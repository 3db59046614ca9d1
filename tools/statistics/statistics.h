// SPDX-License-Identifier: BSD-3-Clause
// The figures that are reported for a set of samples.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace armci::tools {

// Fewer samples than this say nothing about a percentile: none of them need lie beyond it.
inline constexpr size_t kMinSamplesOfPercentile95 = 20;
inline constexpr size_t kMinSamplesOfPercentile99 = 100;

struct Summary {
    size_t count = 0;  // of the samples
    double median = 0;
    double minimum = 0;
    double maximum = 0;
    double first_quartile = 0;
    double third_quartile = 0;
    std::optional<double> percentile_95;  // only of enough samples
    std::optional<double> percentile_99;
    double spread = 0;  // distance between the quartiles, as a part of the median

    // How far the quartile that is further from the median is from it, as a part of the median.
    double quartile_distance() const;
};

// The value at the position part * (n - 1) of n samples in ascending order, counted from 0. Between
// two samples it lies on the straight line through them. `sorted` is in ascending order and not
// empty, and `part` is from 0 to 1.
double quantile(const std::vector<double>& sorted, double part);

// `samples` is not empty. All figures but the extremes are quantiles.
Summary summarize(std::vector<double> samples);

// The median of smallest[i] / largest[i]. Both are of one length and not empty; where the largest
// is 0, the quotient is 1.
double median_of_quotients(const std::vector<double>& smallest, const std::vector<double>& largest);

}  // namespace armci::tools
