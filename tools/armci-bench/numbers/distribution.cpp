// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/numbers/distribution.h"

#include "statistics/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace armci::bench {

namespace {

constexpr size_t kMinValues = 10;
constexpr size_t kMinInPart = 2;
constexpr double kSmallestPart = 0.15;
constexpr double kMaxVarianceInside = 1.0 / 8;
constexpr double kMinRatio = 1.15;

// Sums over the first values of a list, from which the variance of any part follows.
class Sums {
  public:
    explicit Sums(const std::vector<double>& values) : sums_(values.size() + 1) {
        for (size_t i = 0; i < values.size(); i++) {
            sums_[i + 1] = {sums_[i][0] + values[i], sums_[i][1] + values[i] * values[i]};
        }
    }

    // Sum of the squares of the distances from the mean, of the values from begin to end.
    double squares(size_t begin, size_t end) const {
        const double sum = sums_[end][0] - sums_[begin][0];
        const double squares = sums_[end][1] - sums_[begin][1];
        return std::max(squares - sum * sum / static_cast<double>(end - begin), 0.0);
    }

  private:
    std::vector<std::array<double, 2>> sums_;
};

}  // namespace

std::optional<TwoSpeeds> find_two_speeds(std::vector<double> values) {
    const size_t count = values.size();
    if (count < kMinValues) {
        return std::nullopt;
    }
    std::sort(values.begin(), values.end());
    if (values.front() <= 0 || values.back() < values.front() * kMinRatio) {
        return std::nullopt;
    }
    std::vector<double> logarithms;
    logarithms.reserve(count);
    for (const double value : values) {
        logarithms.push_back(std::log(value / values.front()));
    }
    const Sums sums(logarithms);
    const size_t smallest = std::max(
        kMinInPart, static_cast<size_t>(std::ceil(kSmallestPart * static_cast<double>(count))));
    double min = std::numeric_limits<double>::infinity();
    size_t cut = smallest;
    for (size_t i = smallest; i <= count - smallest; i++) {
        const double inside = sums.squares(0, i) + sums.squares(i, count);
        if (inside < min) {
            min = inside;
            cut = i;
        }
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(cut);
    const TwoSpeeds speeds{tools::quantile({values.begin(), middle}, 0.5),
                           tools::quantile({middle, values.end()}, 0.5), cut, count - cut};
    const bool apart = min <= kMaxVarianceInside * sums.squares(0, count) &&
                       speeds.slow_us >= speeds.fast_us * kMinRatio;
    return apart ? std::optional(speeds) : std::nullopt;
}

std::vector<double> medians_of_parts(const std::vector<double>& values, size_t part_count) {
    const size_t part_size = values.size() / part_count;
    std::vector<double> medians;
    for (size_t part = 0; part < part_count; part++) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(part * part_size);
        std::vector<double> sorted(begin, begin + static_cast<std::ptrdiff_t>(part_size));
        std::sort(sorted.begin(), sorted.end());
        medians.push_back(tools::quantile(sorted, 0.5));
    }
    return medians;
}

std::string histogram(const std::vector<double>& values) {
    constexpr size_t kIntervals = 24;
    const auto [min, max] = std::minmax_element(values.begin(), values.end());
    if (*min <= 0 || *min == *max) {
        return "|";
    }
    const double width = std::log(*max / *min);
    std::array<int, kIntervals> counts{};
    for (const double value : values) {
        const double place = std::log(value / *min) / width * kIntervals;
        counts[std::min(static_cast<size_t>(place), kIntervals - 1)]++;
    }
    std::string text;
    for (const int count : counts) {
        text += count == 0 ? '.' : count < 10 ? static_cast<char>('0' + count) : '+';
    }
    return text;
}

}  // namespace armci::bench
