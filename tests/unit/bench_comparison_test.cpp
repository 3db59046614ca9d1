// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/measuring/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armci::bench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Group = std::vector<size_t>;

Row contiguous(Op op, Mode mode, int64_t bytes) {
    return {op, mode, contiguous_shape(bytes)};
}

Row strided(Op op, Mode mode, int64_t block_bytes) {
    return {op, mode, strided_shape(65536, block_bytes, 2, 2, false)};
}

TEST(BenchComparison, ComparesOperationsWithTheirBaseline) {
    const std::vector<Row> rows = {
        contiguous(Op::put, Mode::stream, 64),       contiguous(Op::raw_put, Mode::stream, 64),
        contiguous(Op::get, Mode::latency, 8),       contiguous(Op::raw_get, Mode::latency, 8),
        contiguous(Op::fetch_add, Mode::latency, 8), contiguous(Op::swap, Mode::latency, 8),
        contiguous(Op::raw_rmw, Mode::latency, 8),   strided(Op::put_strided, Mode::latency, 8),
        strided(Op::mpi_pack_put, Mode::latency, 8),
    };
    EXPECT_THAT(find_comparisons(rows),
                UnorderedElementsAre(Comparison{0, 1}, Comparison{2, 3}, Comparison{4, 6},
                                     Comparison{5, 6}, Comparison{7, 8}));
    EXPECT_EQ(base_name(rows[0], rows[1]), "raw-put");
}

TEST(BenchComparison, DoesNotCompareDifferentModesSizesOrShapes) {
    EXPECT_THAT(
        find_comparisons(
            {contiguous(Op::put, Mode::stream, 64), contiguous(Op::raw_put, Mode::latency, 64),
             contiguous(Op::raw_put, Mode::window, 64), contiguous(Op::raw_put, Mode::stream, 128),
             contiguous(Op::raw_get, Mode::stream, 64)}),
        IsEmpty());
    EXPECT_THAT(find_comparisons({strided(Op::put_strided, Mode::latency, 8),
                                  strided(Op::mpi_pack_put, Mode::latency, 16),
                                  strided(Op::mpi_pack_get, Mode::latency, 8)}),
                IsEmpty());
}

TEST(BenchComparison, ComparesModesWithTheirSerialForm) {
    const std::vector<Row> rows = {
        strided(Op::put_strided, Mode::latency, 8),
        strided(Op::put_strided, Mode::stream, 8),
        strided(Op::put_strided, Mode::stream_serial, 8),
        strided(Op::put_strided, Mode::latency_serial, 8),
        strided(Op::acc_strided, Mode::latency_serial, 8),
        strided(Op::mpi_pack_put, Mode::latency, 8),
    };
    EXPECT_THAT(find_comparisons(rows),
                UnorderedElementsAre(Comparison{0, 3}, Comparison{1, 2}, Comparison{0, 5}));
    EXPECT_EQ(base_name(rows[0], rows[3]), "one chunk at a time");
}

TEST(BenchComparison, TreatsTheStreamOfAGetAsItsLatency) {
    EXPECT_THAT(find_comparisons({strided(Op::get_strided, Mode::latency, 8),
                                  strided(Op::get_strided, Mode::stream_serial, 8),
                                  strided(Op::mpi_pack_get, Mode::stream, 8)}),
                ElementsAre(Comparison{0, 1}, Comparison{0, 2}));
}

TEST(BenchComparison, RatioIsThatOfRates) {
    Result slow;
    slow.microseconds.median = 4;
    Result fast;
    fast.microseconds.median = 1;
    EXPECT_DOUBLE_EQ(rate_ratio(fast, slow), 4);
    EXPECT_DOUBLE_EQ(rate_ratio(slow, fast), 0.25);
}

TEST(BenchComparison, DoesNotCompareFailedRows) {
    std::vector<Result> results(2);
    results[0].row = contiguous(Op::put, Mode::latency, 64);
    results[1].row = contiguous(Op::raw_put, Mode::latency, 64);
    EXPECT_THAT(comparisons_of(results), ElementsAre(Comparison{0, 1}));
    results[1].status = Status::wrong;
    EXPECT_THAT(comparisons_of(results), IsEmpty());
}

TEST(BenchComparison, GroupsContainAllRowsLinkedByComparisons) {
    const std::vector<Row> rows = {
        contiguous(Op::fetch_add, Mode::latency, 8), contiguous(Op::put, Mode::stream, 64),
        contiguous(Op::swap, Mode::latency, 8),      contiguous(Op::barrier, Mode::latency, 0),
        contiguous(Op::raw_put, Mode::stream, 64),   contiguous(Op::raw_rmw, Mode::latency, 8),
    };
    EXPECT_THAT(group_rows(rows, true), ElementsAre(Group{0, 2, 5}, Group{1, 4}, Group{3}));
    EXPECT_THAT(group_rows(rows, false),
                ElementsAre(Group{0}, Group{1}, Group{2}, Group{3}, Group{4}, Group{5}));
    EXPECT_THAT(group_rows({}, true), IsEmpty());
}

}  // namespace
}  // namespace armci::bench
