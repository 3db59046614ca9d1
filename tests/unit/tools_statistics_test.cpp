// SPDX-License-Identifier: BSD-3-Clause
#include "statistics/statistics.h"

#include <gtest/gtest.h>

namespace armci::tools {
namespace {

TEST(ToolsStatistics, MedianOfOddNumberIsTheMiddleOne) {
    const Summary summary = summarize({9, 1, 5});
    EXPECT_DOUBLE_EQ(summary.median, 5);
    EXPECT_DOUBLE_EQ(summary.minimum, 1);
    EXPECT_DOUBLE_EQ(summary.maximum, 9);
}

TEST(ToolsStatistics, MedianOfEvenNumberLiesBetweenTheMiddleTwo) {
    EXPECT_DOUBLE_EQ(summarize({4, 1, 100, 2}).median, 3);
}

TEST(ToolsStatistics, OneSampleIsMedianAndAllQuantiles) {
    const Summary summary = summarize({7});
    EXPECT_DOUBLE_EQ(summary.median, 7);
    EXPECT_DOUBLE_EQ(summary.minimum, 7);
    EXPECT_DOUBLE_EQ(summary.maximum, 7);
    EXPECT_DOUBLE_EQ(summary.spread, 0);
}

TEST(ToolsStatistics, QuantilesAreInterpolated) {
    const std::vector<double> sorted{0, 10, 20, 30};
    EXPECT_DOUBLE_EQ(quantile(sorted, 0), 0);
    EXPECT_DOUBLE_EQ(quantile(sorted, 0.25), 7.5);
    EXPECT_DOUBLE_EQ(quantile(sorted, 0.5), 15);
    EXPECT_DOUBLE_EQ(quantile(sorted, 1), 30);
}

TEST(ToolsStatistics, PercentilesAreQuantilesOfEnoughSamples) {
    std::vector<double> samples;
    for (int i = 0; i < 101; i++) {
        samples.push_back((i * 37) % 101);  // 0 to 100 in another order
    }
    const Summary summary = summarize(samples);
    EXPECT_EQ(summary.count, 101U);
    EXPECT_DOUBLE_EQ(summary.percentile_95.value(), 95);
    EXPECT_DOUBLE_EQ(summary.percentile_99.value(), 99);
}

TEST(ToolsStatistics, PercentilesOfTooFewSamplesAreAbsent) {
    // 19 samples have none beyond the 95th percentile: it would be the maximum by another name.
    EXPECT_FALSE(summarize(std::vector<double>(19, 1)).percentile_95.has_value());
    EXPECT_TRUE(summarize(std::vector<double>(20, 1)).percentile_95.has_value());
    EXPECT_FALSE(summarize(std::vector<double>(99, 1)).percentile_99.has_value());
    EXPECT_TRUE(summarize(std::vector<double>(100, 1)).percentile_99.has_value());
}

TEST(ToolsStatistics, SpreadIgnoresOutliers) {
    const Summary calm = summarize({10, 10, 10, 10, 10, 10, 10, 10, 1000});
    EXPECT_DOUBLE_EQ(calm.spread, 0);
    const Summary restless = summarize({5, 10, 15, 20, 25});
    EXPECT_DOUBLE_EQ(restless.spread, (20.0 - 10.0) / 15.0);
}

TEST(ToolsStatistics, QuotientsAreTakenSampleBySample) {
    EXPECT_DOUBLE_EQ(median_of_quotients({1, 90, 30}, {10, 100, 100}), 0.3);
    EXPECT_DOUBLE_EQ(median_of_quotients({0}, {0}), 1);
    EXPECT_DOUBLE_EQ(median_of_quotients({0}, {5}), 0);
}

TEST(ToolsStatistics, SpreadIsZeroForAZeroMedian) {
    EXPECT_DOUBLE_EQ(summarize({0, 0, 0, 1}).spread, 0);
}

}  // namespace
}  // namespace armci::tools
