// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/numbers/statistics.h"

#include <gtest/gtest.h>

namespace armci::bench {
namespace {

TEST(BenchStatistics, MedianOfOddNumberIsTheMiddleOne) {
    const Summary summary = summarize({9, 1, 5});
    EXPECT_DOUBLE_EQ(summary.median, 5);
    EXPECT_DOUBLE_EQ(summary.minimum, 1);
    EXPECT_DOUBLE_EQ(summary.maximum, 9);
}

TEST(BenchStatistics, MedianOfEvenNumberLiesBetweenTheMiddleTwo) {
    EXPECT_DOUBLE_EQ(summarize({4, 1, 100, 2}).median, 3);
}

TEST(BenchStatistics, OneSampleIsMedianAndAllQuantiles) {
    const Summary summary = summarize({7});
    EXPECT_DOUBLE_EQ(summary.median, 7);
    EXPECT_DOUBLE_EQ(summary.minimum, 7);
    EXPECT_DOUBLE_EQ(summary.maximum, 7);
    EXPECT_DOUBLE_EQ(summary.spread, 0);
}

TEST(BenchStatistics, QuantilesAreInterpolated) {
    const std::vector<double> sorted{0, 10, 20, 30};
    EXPECT_DOUBLE_EQ(quantile(sorted, 0), 0);
    EXPECT_DOUBLE_EQ(quantile(sorted, 0.25), 7.5);
    EXPECT_DOUBLE_EQ(quantile(sorted, 0.5), 15);
    EXPECT_DOUBLE_EQ(quantile(sorted, 1), 30);
}

TEST(BenchStatistics, SpreadIgnoresOutliers) {
    const Summary calm = summarize({10, 10, 10, 10, 10, 10, 10, 10, 1000});
    EXPECT_DOUBLE_EQ(calm.spread, 0);
    const Summary restless = summarize({5, 10, 15, 20, 25});
    EXPECT_DOUBLE_EQ(restless.spread, (20.0 - 10.0) / 15.0);
}

TEST(BenchStatistics, QuotientsAreTakenSampleBySample) {
    EXPECT_DOUBLE_EQ(median_of_quotients({1, 90, 30}, {10, 100, 100}), 0.3);
    EXPECT_DOUBLE_EQ(median_of_quotients({0}, {0}), 1);
    EXPECT_DOUBLE_EQ(median_of_quotients({0}, {5}), 0);
}

TEST(BenchStatistics, SpreadIsZeroForAZeroMedian) {
    EXPECT_DOUBLE_EQ(summarize({0, 0, 0, 1}).spread, 0);
}

}  // namespace
}  // namespace armci::bench
