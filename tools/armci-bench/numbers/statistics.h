// SPDX-License-Identifier: BSD-3-Clause
// The figures that are reported for a set of samples.
#pragma once

#include <vector>

namespace armci::bench {

struct Summary {
    double median = 0;
    double minimum = 0;
    double maximum = 0;
    double first_quartile = 0;
    double third_quartile = 0;
    double spread = 0;  // distance between the quartiles, as a part of the median

    // How far the quartile that is further from the median is from it, as a part of the median.
    double quartile_distance() const;
};

// The value below which the given part (0 to 1) of the samples lies, interpolated between
// neighbours. `sorted` is in ascending order and not empty.
double quantile(const std::vector<double>& sorted, double part);

// `samples` is not empty.
Summary summarize(std::vector<double> samples);

// The median of smallest[i] / largest[i]. Both are of one length and not empty; where the largest
// is 0, the quotient is 1.
double median_of_quotients(const std::vector<double>& smallest, const std::vector<double>& largest);

}  // namespace armci::bench
