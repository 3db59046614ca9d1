#include "armci-bench/statistics.h"

#include <algorithm>
#include <cmath>

namespace armci::bench {

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
    summary.median = quantile(samples, 0.5);
    summary.minimum = samples.front();
    summary.maximum = samples.back();
    if (summary.median > 0) {
        summary.spread = (quantile(samples, 0.75) - quantile(samples, 0.25)) / summary.median;
    }
    return summary;
}

}  // namespace armci::bench
