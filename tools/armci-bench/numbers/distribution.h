// SPDX-License-Identifier: BSD-3-Clause
// How the values of a row are distributed: whether its median says enough.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace armci::bench {

// Values that gather in two places: a median between them or at one of them hides the other.
struct TwoSpeeds {
    double fast_us = 0;  // median of the smaller times
    double slow_us = 0;
    size_t fast_count = 0;
    size_t slow_count = 0;
};

// The sorted values are cut in two at the place that leaves the least variance of their logarithms
// inside the two parts. They have two speeds if
//   - there are at least 10 values, and 15 % of them, but no less than 2, in each part,
//   - at most an eighth of the variance is inside the parts (a cut through values that are
//     distributed evenly leaves a quarter, through normally distributed ones more than a third),
//   - the medians of the parts are at least 15 % apart.
std::optional<TwoSpeeds> find_two_speeds(std::vector<double> values);

// Splits the values into `part_count` parts of equal length, in their order, and returns the median
// of each. The number of values is a multiple of part_count.
std::vector<double> medians_of_parts(const std::vector<double>& values, size_t part_count);

// How many values are in each of 24 intervals of equal ratio between the smallest and the largest:
// '.' for none, a digit, '+' for ten or more. "|" alone if all values are equal.
std::string histogram(const std::vector<double>& values);

}  // namespace armci::bench
