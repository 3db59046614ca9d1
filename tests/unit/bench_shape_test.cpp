// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/shape.h"

#include "armci-bench/options/options.h"
#include "armci-bench/workloads/row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armci::bench {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct At {
    int64_t local_offset;
    int64_t remote_offset;
    bool operator==(const At&) const = default;
};

std::vector<At> blocks_of(const Shape& shape) {
    std::vector<At> blocks;
    for_each_block(shape, [&](int64_t local, int64_t remote) {
        blocks.push_back({local, remote});
    });
    return blocks;
}

TEST(BenchShape, ContiguousIsOneBlock) {
    const Shape shape = contiguous_shape(100);
    EXPECT_EQ(shape.total_bytes(), 100);
    EXPECT_EQ(shape.local_span_bytes(), 100);
    EXPECT_EQ(shape.remote_span_bytes(), 100);
    EXPECT_THAT(blocks_of(shape), ElementsAre(At{0, 0}));
    EXPECT_EQ(shape.describe(), "contiguous");
}

TEST(BenchShape, TwoDimensionalHasOneLevel) {
    const Shape shape = strided_shape(32, 8, 2, 3, /*local_dense=*/true);
    EXPECT_EQ(shape.total_bytes(), 32);
    EXPECT_EQ(shape.local_span_bytes(), 32);
    EXPECT_EQ(shape.remote_span_bytes(), 3 * 24 + 8);
    EXPECT_THAT(blocks_of(shape), ElementsAre(At{0, 0}, At{8, 24}, At{16, 48}, At{24, 72}));
    EXPECT_EQ(shape.describe(), "2-D, 8 B x 4");
}

TEST(BenchShape, OneDimensionHasNoLevels) {
    const Shape shape = strided_shape(64, 64, 1, 2, false);
    EXPECT_EQ(shape.form, Form::strided);
    EXPECT_EQ(shape.block_bytes, 64);
    EXPECT_THAT(shape.repeats, IsEmpty());
    EXPECT_THAT(shape.remote_stride_bytes, IsEmpty());
    EXPECT_EQ(shape.describe(), "1-D, 64 B x 1");
}

TEST(BenchShape, OuterLevelsAreNotContiguousWithInnerOnes) {
    const Shape shape = strided_shape(6 * 8, 8, 3, 2, /*local_dense=*/false);
    EXPECT_THAT(shape.repeats, ElementsAre(3, 2));
    EXPECT_THAT(shape.remote_stride_bytes, ElementsAre(16, 64));
    EXPECT_THAT(blocks_of(shape),
                ElementsAre(At{0, 0}, At{16, 16}, At{32, 32}, At{64, 64}, At{80, 80}, At{96, 96}));
    EXPECT_EQ(shape.local_span_bytes(), 96 + 8);
}

TEST(BenchShape, RoundsDownToWholeBlocksAndLevels) {
    EXPECT_EQ(strided_shape(1000, 64, 2, 2, false).total_bytes(), 15 * 64);
    const Shape cube = strided_shape(1000, 8, 4, 2, false);
    EXPECT_THAT(cube.repeats, SizeIs(3));
    EXPECT_THAT(cube.repeats, ElementsAre(5, 5, 5));
    EXPECT_EQ(strided_shape(8, 8, 8, 2, false).total_bytes(), 8);
}

TEST(BenchShape, EveryBlockLiesInTheSpanAndIsVisitedOnce) {
    for (int dims = 2; dims <= 5; dims++) {
        const Shape shape = strided_shape(4096, 8, dims, 2, false);
        const std::vector<At> blocks = blocks_of(shape);
        ASSERT_EQ(static_cast<int64_t>(blocks.size()), shape.block_count());
        for (size_t i = 1; i < blocks.size(); i++) {
            ASSERT_GE(blocks[i].remote_offset, blocks[i - 1].remote_offset + shape.block_bytes);
        }
        EXPECT_EQ(blocks.back().remote_offset + shape.block_bytes, shape.remote_span_bytes());
    }
}

TEST(BenchShape, RefusesShapesBeyondTheLimitsOfTheApi) {
    EXPECT_TRUE(contiguous_shape(INT32_MAX).fits_interface());
    EXPECT_FALSE(contiguous_shape(int64_t{INT32_MAX} + 1).fits_interface());
    EXPECT_TRUE(strided_shape(int64_t{4} << 30, 1 << 20, 2, 2, false).fits_interface());
    EXPECT_FALSE(strided_shape(int64_t{4} << 30, 1 << 30, 2, 2, false).fits_interface());
}

Plan plan_for(const std::vector<std::string_view>& arguments, int rank_count,
              const Abilities& abilities = {.raw = true, .serial_modes = true}) {
    Options options;
    EXPECT_THAT(parse_options(arguments, &options), IsEmpty());
    return make_plan(options, rank_count, abilities);
}

TEST(BenchPlan, RowsAreTheProductOfAllOptions) {
    const Plan plan = plan_for({"--ops", "put,acc-strided,put-vector", "--modes", "latency,window",
                                "--sizes", "64,1K", "--runs", "8,16", "--segments", "3,5,7"},
                               2);
    EXPECT_THAT(plan.notes, IsEmpty());
    EXPECT_THAT(plan.rows, SizeIs((2 + 4 + 6) * 2));
    EXPECT_EQ(plan.rows.back().shape.total_bytes(), 7 * 16);
}

TEST(BenchPlan, OneDimensionHasARowForEachSize) {
    const Plan plan = plan_for({"--ops", "put-strided", "--modes", "latency", "--dims", "1",
                                "--sizes", "8,64", "--runs", "8,128"},
                               2);
    ASSERT_EQ(plan.rows.size(), 2u);
    EXPECT_EQ(plan.rows[0].shape.total_bytes(), 8);
    EXPECT_EQ(plan.rows[1].shape.total_bytes(), 64);
}

TEST(BenchPlan, FlagsNeedOneHost) {
    EXPECT_THAT(plan_for({"--ops", "barriers"}, 2, {.one_host = true}).rows, SizeIs(3));
    const Plan apart = plan_for({"--ops", "barriers"}, 2, {.one_host = false});
    EXPECT_THAT(apart.rows, SizeIs(2));
    EXPECT_THAT(apart.notes, ElementsAre(HasSubstr("one host")));
}

TEST(BenchPlan, GetStreamsOnlyIfItsLatencyIsNotMeasured) {
    EXPECT_THAT(plan_for({"--ops", "get", "--sizes", "8"}, 2).rows, SizeIs(2));
    EXPECT_THAT(plan_for({"--ops", "get", "--sizes", "8", "--modes", "stream"}, 2).rows, SizeIs(1));
}

TEST(BenchPlan, OmitsSenselessRowsWithANote) {
    const Plan short_rows = plan_for({"--ops", "put-strided", "--sizes", "64", "--runs", "1K"}, 2);
    EXPECT_THAT(short_rows.rows, IsEmpty());
    EXPECT_THAT(short_rows.notes, ElementsAre(HasSubstr("less than one block")));

    const Plan split_elements = plan_for({"--ops", "acc", "--sizes", "12"}, 2);
    EXPECT_THAT(split_elements.notes, ElementsAre(HasSubstr("whole elements of type double")));

    const Plan alone = plan_for({"--ops", "mpi-pack-put", "--sizes", "64", "--runs", "8"}, 1);
    EXPECT_THAT(alone.notes, ElementsAre(HasSubstr("target that does nothing else")));
    EXPECT_THAT(alone.rows, IsEmpty());

    const Plan raw_alone = plan_for({"--ops", "raw", "--sizes", "64"}, 1);
    EXPECT_THAT(raw_alone.notes, SizeIs(3));
    EXPECT_THAT(raw_alone.notes, Each(HasSubstr("target that does nothing else")));
    EXPECT_THAT(raw_alone.rows, IsEmpty());
}

TEST(BenchPlan, OmitsRowsThatProgramOrLibraryCannotRun) {
    const Plan no_raw = plan_for({"--ops", "raw,put", "--sizes", "64", "--modes", "latency"}, 2,
                                 {.raw = false, .serial_modes = true});
    EXPECT_THAT(no_raw.notes, SizeIs(3));
    EXPECT_THAT(no_raw.notes, Each(HasSubstr("without libfabric")));
    EXPECT_THAT(no_raw.rows, SizeIs(1));

    const Plan no_serial =
        plan_for({"--ops", "put", "--sizes", "8,64", "--modes", "latency,latency-serial"}, 2,
                 {.raw = true, .serial_modes = false});
    EXPECT_THAT(no_serial.notes, ElementsAre(HasSubstr("no mode latency-serial")));
    EXPECT_THAT(no_serial.rows, SizeIs(2));
}

TEST(BenchPlan, RawRowsHaveTheModesOfTheirCounterparts) {
    const Plan plan = plan_for({"--ops", "put,get,raw-put,raw-get", "--sizes", "64"}, 2);
    std::vector<Mode> own;
    std::vector<Mode> raw;
    for (const Row& row : plan.rows) {
        (is_raw(row.op) ? raw : own).push_back(row.mode);
        EXPECT_EQ(row.moved_bytes(), 64);
    }
    EXPECT_EQ(raw, own);
    EXPECT_THAT(plan_for({"--ops", "raw-rmw"}, 2).rows, SizeIs(1));
}

TEST(BenchPlan, SerialModesApplyToLibraryTransfersOnly) {
    const Plan plan =
        plan_for({"--ops", "put-strided,get-strided,mpi-pack,raw,fetch-add", "--sizes", "64",
                  "--runs", "8", "--modes", "latency-serial,stream-serial"},
                 2);
    ASSERT_THAT(plan.rows, SizeIs(2 + 1 + 2));
    EXPECT_EQ(plan.rows[0].op, Op::put_strided);
    EXPECT_EQ(plan.rows[0].mode, Mode::latency_serial);
    EXPECT_EQ(plan.rows[1].mode, Mode::stream_serial);
    EXPECT_EQ(plan.rows[2].op, Op::get_strided);  // its stream is its latency
    EXPECT_EQ(plan.rows[2].mode, Mode::latency_serial);
    EXPECT_EQ(plan.rows[3].op, Op::raw_rmw);  // these two have no other mode than latency
    EXPECT_EQ(plan.rows[4].op, Op::fetch_add);
}

}  // namespace
}  // namespace armci::bench
