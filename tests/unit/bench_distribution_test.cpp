// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/numbers/distribution.h"

#include "armci-bench/measuring/result.h"
#include "armci-bench/options/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace armci::bench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<double> draw(size_t count, unsigned seed, const auto& distribution) {
    std::mt19937 random(seed);
    std::vector<double> values;
    for (size_t i = 0; i < count; i++) {
        values.push_back(std::max(distribution(random), 0.01));
    }
    return values;
}

// In how many of 200 draws of 30 values two speeds are found.
int found_in_200(const auto& distribution) {
    int found = 0;
    for (unsigned seed = 1; seed <= 200; seed++) {
        found += find_two_speeds(draw(30, seed, distribution)) ? 1 : 0;
    }
    return found;
}

double normal(std::mt19937& random, double mean, double deviation) {
    return std::normal_distribution<double>(mean, deviation)(random);
}

TEST(BenchDistribution, FindsSeriesThatAlternateBetweenTwoSpeeds) {
    std::vector<double> values;
    for (int i = 0; i < 10; i++) {
        values.insert(values.end(), {500.0 + i, 1000.0 + i, 510.0 + i});
    }
    const auto speeds = find_two_speeds(values);
    ASSERT_TRUE(speeds);
    EXPECT_EQ(speeds->fast_count, 20u);
    EXPECT_EQ(speeds->slow_count, 10u);
    EXPECT_DOUBLE_EQ(speeds->fast_us, 509.5);
    EXPECT_DOUBLE_EQ(speeds->slow_us, 1004.5);
}

TEST(BenchDistribution, FindsTwoSpeedsDespiteNoise) {
    const auto twice = [](std::mt19937& random) {
        return (random() % 2 == 0 ? 1 : 2) * normal(random, 1, 0.08);
    };
    EXPECT_GE(found_in_200(twice), 180);
    const auto rare = [](std::mt19937& random) {
        return (random() % 3 == 0 ? 1 : 2) * normal(random, 1, 0.08);
    };
    EXPECT_GE(found_in_200(rare), 160);
}

TEST(BenchDistribution, FindsNoSecondSpeedInNoise) {
    EXPECT_LE(found_in_200([](std::mt19937& random) { return normal(random, 1, 0.1); }), 4);
    EXPECT_LE(found_in_200([](std::mt19937& random) { return normal(random, 1, 0.3); }), 4);
    EXPECT_LE(found_in_200([](std::mt19937& random) {
                  return std::uniform_real_distribution<double>(0.5, 1.5)(random);
              }),
              10);
    EXPECT_LE(found_in_200([](std::mt19937& random) {
                  return 1 + std::exponential_distribution<double>(2)(random);
              }),
              10);
}

TEST(BenchDistribution, FindsNoSecondSpeedInFewOutliers) {
    std::vector<double> values(30, 10);
    for (size_t i = 0; i < values.size(); i++) {
        values[i] += 0.01 * static_cast<double>(i);
    }
    values[3] = values[7] = values[20] = values[28] = 40;
    EXPECT_FALSE(find_two_speeds(values));
    values[11] = 40;  // 15 %
    EXPECT_TRUE(find_two_speeds(values));
}

TEST(BenchDistribution, FindsNoSecondSpeedInFewValuesOrSmallSteps) {
    EXPECT_FALSE(find_two_speeds({1, 1, 1, 1, 2, 2, 2, 2, 2}));
    EXPECT_TRUE(find_two_speeds({1, 1, 1, 1, 2, 2, 2, 2, 2, 2}));
    EXPECT_FALSE(find_two_speeds({1, 1, 1, 1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1}));
    EXPECT_FALSE(find_two_speeds({}));
    EXPECT_FALSE(find_two_speeds(std::vector<double>(20, 5)));
    EXPECT_FALSE(find_two_speeds(std::vector<double>(20, 0)));
}

TEST(BenchDistribution, MediansOfPartsKeepTheOrderOfTheSeries) {
    EXPECT_THAT(medians_of_parts({9, 1, 5, 20, 40, 30}, 2), ElementsAre(5, 30));
    EXPECT_THAT(medians_of_parts({4, 2}, 2), ElementsAre(4, 2));
}

TEST(BenchDistribution, HistogramCountsInIntervalsOfEqualRatio) {
    EXPECT_EQ(histogram({1, 1, 2}), "2" + std::string(22, '.') + "1");
    EXPECT_EQ(histogram({1, 2, 4}), "1" + std::string(11, '.') + "1" + std::string(10, '.') + "1");
    std::vector<double> values(12, 1);
    values.push_back(3);
    EXPECT_EQ(histogram(values).front(), '+');
    EXPECT_EQ(histogram({7, 7}), "|");
}

TEST(BenchDistribution, RowIsNoisyIfEitherQuartileIsTooFarFromTheMedian) {
    Result result;
    result.microseconds = tools::summarize({100, 100, 100, 116, 116});
    EXPECT_DOUBLE_EQ(result.microseconds.first_quartile, 100);
    EXPECT_DOUBLE_EQ(result.microseconds.third_quartile, 116);
    EXPECT_TRUE(result.is_noisy(0.15));
    EXPECT_FALSE(result.is_noisy(0.17));
    result.microseconds = tools::summarize({84, 84, 100, 100, 100});
    EXPECT_TRUE(result.is_noisy(0.15));
    result.microseconds = tools::summarize({86, 86, 100, 114, 114});
    EXPECT_FALSE(result.is_noisy(0.15));
    result.microseconds = tools::summarize({0, 0, 0});
    EXPECT_FALSE(result.is_noisy(0.15));
}

TEST(BenchDistribution, LimitGivenExplicitlyDecidesTheExitStatus) {
    Options options;
    EXPECT_THAT(parse_options({"--series", "30"}, &options), IsEmpty());
    EXPECT_EQ(options.series, 30);
    EXPECT_FALSE(options.noise_fails);
    EXPECT_DOUBLE_EQ(quartile_limit(options), 0.15);
    EXPECT_THAT(parse_options({"--quartiles-within", "20"}, &options), IsEmpty());
    EXPECT_TRUE(options.noise_fails);
    EXPECT_DOUBLE_EQ(quartile_limit(options), 0.2);
    EXPECT_THAT(parse_options({"--series", "0"}, &options), testing::HasSubstr("--series"));
    EXPECT_THAT(parse_options({"--quartiles-within=x"}, &options), testing::HasSubstr("'x'"));
}

}  // namespace
}  // namespace armci::bench
