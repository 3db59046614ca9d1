// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/overlap.h"

#include "statistics/statistics.h"

#include <algorithm>

namespace armci::bench {

namespace {

template <class Sample, class Value>
double median_of(const std::vector<Sample>& samples, Value&& value) {
    std::vector<double> values;
    values.reserve(samples.size());
    for (const Sample& sample : samples) {
        values.push_back(value(sample));
    }
    return tools::summarize(std::move(values)).median;
}

}  // namespace

double hidden_part(double transfer, double compute, double together) {
    const double shorter = std::min(transfer, compute);
    if (shorter <= 0) {
        return 0;
    }
    return std::clamp((transfer + compute - together) / shorter, 0.0, 1.0);
}

Overlap summarize_origin(const std::vector<OriginSample>& samples) {
    Overlap overlap;
    overlap.transfer_us = median_of(samples, [](const OriginSample& s) { return s.transfer; });
    overlap.compute_us = median_of(samples, [](const OriginSample& s) { return s.compute; });
    overlap.hidden = median_of(samples, [](const OriginSample& s) {
        return hidden_part(s.transfer, s.compute, s.together);
    });
    overlap.compute_slowdown =
        median_of(samples, [](const OriginSample& s) { return s.compute_during / s.compute; });
    return overlap;
}

Overlap summarize_target(const std::vector<TargetSample>& samples) {
    Overlap overlap;
    overlap.transfer_us = median_of(samples, [](const TargetSample& s) { return s.transfer; });
    overlap.compute_slowdown =
        median_of(samples, [](const TargetSample& s) { return s.unit_during / s.unit; });
    overlap.transfer_slowdown =
        median_of(samples, [](const TargetSample& s) { return s.transfer_during / s.transfer; });
    return overlap;
}

}  // namespace armci::bench
