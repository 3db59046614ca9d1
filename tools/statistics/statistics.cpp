// SPDX-License-Identifier: BSD-3-Clause
#include "statistics/statistics.h"

#include <algorithm>
#include <cmath>

namespace armci::tools {

double quantile(const std::vector<double>& sorted, double part) {
    const double position = part * static_cast<double>(sorted.size() - 1);
    const double below = std::floor(position);
    const auto index = static_cast<size_t>(below);
    if (index + 1 >= sorted.size()) {
        return sorted.back();
    }
    return sorted[index] + (position - below) * (sorted[index + 1] - sorted[index]);
}

Summary summarize(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    Summary summary;
    summary.count = samples.size();
    summary.median = quantile(samples, 0.5);
    summary.minimum = samples.front();
    summary.maximum = samples.back();
    summary.first_quartile = quantile(samples, 0.25);
    summary.third_quartile = quantile(samples, 0.75);
    if (samples.size() >= kMinSamplesOfPercentile95) {
        summary.percentile_95 = quantile(samples, 0.95);
    }
    if (samples.size() >= kMinSamplesOfPercentile99) {
        summary.percentile_99 = quantile(samples, 0.99);
    }
    if (summary.median > 0) {
        summary.spread = (summary.third_quartile - summary.first_quartile) / summary.median;
    }
    return summary;
}

double median_of_quotients(const std::vector<double>& smallest,
                           const std::vector<double>& largest) {
    std::vector<double> quotients;
    quotients.reserve(smallest.size());
    for (size_t i = 0; i < smallest.size(); i++) {
        quotients.push_back(largest[i] > 0 ? smallest[i] / largest[i] : 1);
    }
    return summarize(quotients).median;
}

double Summary::quartile_distance() const {
    const double distance = std::max(third_quartile - median, median - first_quartile);
    return median > 0 ? distance / median : 0;
}

}  // namespace armci::tools
