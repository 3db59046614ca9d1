// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/computation.h"
#include "armci-bench/workloads/overlap.h"
#include "armci-bench/workloads/row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armci::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Plan plan_of(const std::vector<std::string_view>& arguments, int rank_count) {
    Options options;
    EXPECT_THAT(parse_options(arguments, &options), IsEmpty());
    return make_plan(options, rank_count, {.raw = true, .serial_modes = true});
}

TEST(BenchOverlap, HiddenPartIsTheOverlappedShareOfTheShorter) {
    EXPECT_DOUBLE_EQ(hidden_part(10, 10, 20), 0);
    EXPECT_DOUBLE_EQ(hidden_part(10, 10, 10), 1);
    EXPECT_DOUBLE_EQ(hidden_part(10, 20, 25), 0.5);
    EXPECT_DOUBLE_EQ(hidden_part(20, 10, 25), 0.5);
}

TEST(BenchOverlap, HiddenPartIsBetweenZeroAndOne) {
    EXPECT_DOUBLE_EQ(hidden_part(10, 10, 30), 0);
    EXPECT_DOUBLE_EQ(hidden_part(10, 10, 5), 1);
    EXPECT_DOUBLE_EQ(hidden_part(0, 10, 10), 0);
}

TEST(BenchOverlap, OriginFiguresAreMediansOfSampleRatios) {
    // The machine is ten times slower for one sample: its ratios are as good as the others'.
    const Overlap overlap =
        summarize_origin({{10, 12, 17, 18}, {100, 120, 170, 180}, {20, 24, 34, 36}});
    EXPECT_DOUBLE_EQ(overlap.transfer_us, 20);
    EXPECT_DOUBLE_EQ(overlap.compute_us.value(), 24);
    EXPECT_DOUBLE_EQ(overlap.hidden.value(), 0.5);
    EXPECT_DOUBLE_EQ(overlap.compute_slowdown, 1.5);
    EXPECT_FALSE(overlap.transfer_slowdown.has_value());
}

TEST(BenchOverlap, TargetFiguresAreRelativeToAWaitingTarget) {
    const Overlap overlap = summarize_target({{10, 30, 2, 3}, {20, 60, 4, 6}, {1, 3, 1, 1.5}});
    EXPECT_DOUBLE_EQ(overlap.transfer_us, 10);
    EXPECT_DOUBLE_EQ(overlap.transfer_slowdown.value(), 3);
    EXPECT_DOUBLE_EQ(overlap.compute_slowdown, 1.5);
    EXPECT_FALSE(overlap.hidden.has_value());
    EXPECT_FALSE(overlap.compute_us.has_value());
}

TEST(BenchOverlap, ComputationKeepsTheShortestUnitTime) {
    Computation computation;
    const double measured = computation.unit_seconds();
    EXPECT_GT(measured, 0);
    computation.learn(1, measured / 2);
    EXPECT_DOUBLE_EQ(computation.unit_seconds(), measured / 2);
    computation.learn(1, measured);  // it was interrupted
    computation.learn(0, 1);         // no information
    computation.learn(10, 0);
    EXPECT_DOUBLE_EQ(computation.unit_seconds(), measured / 2);
}

TEST(BenchOverlap, HasItsOwnSizesUnlessSizesAreGiven) {
    Options options;
    ASSERT_THAT(parse_options({"--ops", "overlap"}, &options), IsEmpty());
    EXPECT_THAT(options.ops, ElementsAre(Op::overlap_put, Op::overlap_get, Op::overlap_acc));
    EXPECT_THAT(options.overlap_sizes, ElementsAre(4 << 10, 64 << 10, 1 << 20, 8 << 20));
    ASSERT_THAT(parse_options({"--sizes", "8K,16K"}, &options), IsEmpty());
    EXPECT_THAT(options.overlap_sizes, ElementsAre(8 << 10, 16 << 10));
}

TEST(BenchOverlap, PlansRowsForBothSidesInEveryMode) {
    const Plan plan =
        plan_of({"--ops", "overlap-put", "--sizes", "4K,8K", "--modes", "latency"}, 2);
    ASSERT_THAT(plan.rows, testing::SizeIs(4));
    EXPECT_THAT(plan.notes, IsEmpty());
    for (size_t i = 0; i < plan.rows.size(); i++) {
        const Row& row = plan.rows[i];
        EXPECT_EQ(row.op, Op::overlap_put);
        EXPECT_EQ(row.mode, i % 2 == 0 ? Mode::origin : Mode::target);
        EXPECT_EQ(row.shape.total_bytes(), i < 2 ? 4096 : 8192);
        // The time of an origin's row is not that of the transfer, so it has no bandwidth.
        EXPECT_EQ(row.moved_bytes(), i % 2 == 0 ? 0 : row.shape.total_bytes());
    }
    EXPECT_STREQ(mode_name(Mode::origin), "origin");
    EXPECT_STREQ(mode_name(Mode::target), "target");
    EXPECT_STREQ(op_name(Op::overlap_acc), "overlap-acc");
}

TEST(BenchOverlap, PlansStridedRowsOfItsSizes) {
    Options options;
    ASSERT_THAT(parse_options({"--ops", "overlap-strided"}, &options), IsEmpty());
    EXPECT_THAT(options.ops, ElementsAre(Op::overlap_put_strided, Op::overlap_get_strided,
                                         Op::overlap_acc_strided));
    const Plan plan = plan_of({"--ops", "overlap-strided", "--sizes", "64K", "--runs", "1K,8K"}, 2);
    ASSERT_THAT(plan.rows, testing::SizeIs(12));
    EXPECT_THAT(plan.notes, IsEmpty());
    EXPECT_EQ(plan.rows[1].op, Op::overlap_put_strided);
    EXPECT_EQ(plan.rows[1].mode, Mode::target);
    EXPECT_EQ(plan.rows[1].shape.block_bytes, 1024);
    EXPECT_EQ(plan.rows[1].moved_bytes(), 64 << 10);
    EXPECT_EQ(plan.rows[11].shape.block_bytes, 8192);
    EXPECT_EQ(verb_of(Op::overlap_acc_strided), Verb::acc);
    EXPECT_STREQ(op_name(Op::overlap_get_strided), "overlap-get-strided");
}

TEST(BenchOverlap, PlansOriginRowsOnlyWithoutAnIdleTarget) {
    for (const auto& arguments :
         {std::vector<std::string_view>{"--ops", "overlap-get", "--sizes", "4K"},
          std::vector<std::string_view>{"--ops", "overlap-get", "--sizes", "4K", "--pattern",
                                        "all"}}) {
        const Plan plan = plan_of(arguments, arguments.size() > 4 ? 3 : 1);
        ASSERT_THAT(plan.rows, testing::SizeIs(1));
        EXPECT_EQ(plan.rows[0].mode, Mode::origin);
        EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("of mode target")));
    }
}

TEST(BenchOverlap, RefusesItsModesAsOptionsAndPartialElements) {
    Options options;
    EXPECT_THAT(parse_options({"--modes", "origin"}, &options), HasSubstr("--modes"));
    EXPECT_THAT(plan_of({"--ops", "overlap-acc", "--sizes", "12"}, 2).notes,
                ElementsAre(HasSubstr("whole elements of type double")));
}

}  // namespace
}  // namespace armci::bench
