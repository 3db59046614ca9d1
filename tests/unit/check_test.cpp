// SPDX-License-Identifier: BSD-3-Clause
// Checking mode: exact overlap of transfers, writes that are certainly unordered, the poison
// pattern.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "check/local_buffers.h"
#include "check/poison.h"
#include "check/rows.h"
#include "check/write_log.h"
#include "node/freed_ranges.h"
#include "transfer_pattern.h"

namespace armci::check {
namespace {

// Compares byte by byte; common_bytes() must agree with it.
bool share_a_byte(const Row& a, const Row& b) {
    for (int64_t i = 0; i < a.block_count; ++i) {
        for (int64_t j = 0; j < b.block_count; ++j) {
            const uint64_t first = a.begin + static_cast<uint64_t>(i * a.stride);
            const uint64_t second = b.begin + static_cast<uint64_t>(j * b.stride);
            if (first < second + static_cast<uint64_t>(b.block_bytes) &&
                second < first + static_cast<uint64_t>(a.block_bytes)) {
                return true;
            }
        }
    }
    return false;
}

bool has(const Row& row, uint64_t begin, uint64_t end) {
    return share_a_byte(row, Row{begin, static_cast<int64_t>(end - begin), 0, 1});
}

TEST(CheckRows, CommonBytesAgreeWithByteWiseComparison) {
    const Row fixed[] = {make_row(1000, 8, 16, 5), make_row(1000, 3, -20, 4),
                         make_row(1000, 10, 4, 3), make_row(1000, 64, 0, 7)};
    for (const Row& a : fixed) {
        for (uint64_t begin = 900; begin < 1100; ++begin) {
            for (const int64_t stride : {3, 7, 16, 32, -16}) {
                const Row b = make_row(begin, 3, stride, 6);
                const Bytes common = common_bytes(a, b);
                ASSERT_EQ(!common.is_empty(), share_a_byte(a, b)) << begin << " by " << stride;
                if (!common.is_empty()) {
                    EXPECT_TRUE(has(a, common.begin, common.end));
                    EXPECT_TRUE(has(b, common.begin, common.end));
                }
            }
        }
    }
}

TEST(CheckRows, AdjacentBlocksAreMerged) {
    const Row row = make_row(100, 8, -8, 4);
    EXPECT_EQ(row.begin, 76U);
    EXPECT_EQ(row.block_bytes, 32);
    EXPECT_EQ(row.block_count, 1);
    EXPECT_EQ(row.end(), 108U);
}

// The columns lie between each other, so that all their blocks have to be compared.
TEST(CheckRows, ComparisonStopsAtTheWorkLimit) {
    const std::vector<Row> even = {make_row(0, 8, 16, 1 << 19), make_row(0, 8, 16, 1 << 19)};
    const std::vector<Row> odd = {make_row(8, 8, 16, 1 << 19)};
    int64_t work = kMaxWork;
    EXPECT_TRUE(common_bytes(even, odd, &work).is_empty());
    EXPECT_EQ(work, 0);
    EXPECT_TRUE(common_bytes(even, {even[0]}, &work).is_empty());
    EXPECT_LT(work, 0);
}

TEST(CheckRows, RowCountEqualsTheNumberOfRowsBuilt) {
    test::Random random(1);
    std::vector<char> memory(1 << 16);
    for (int i = 0; i < 200; ++i) {
        const test::Pattern pattern = i % 4 == 3 ? test::vector_pattern(random, 8, 1000, 1)
                                                 : test::strided_pattern(random, i % 4, 8, 2000, 1);
        const pipeline::Transfer transfer =
            test::make_transfer({}, pattern, memory.data(), memory.data());
        EXPECT_EQ(row_count(transfer), static_cast<int64_t>(local_rows(transfer).size()));
    }
}

// Compares all blocks of one side byte by byte.
bool repeats_a_byte(const pipeline::Transfer& transfer, bool local) {
    std::vector<uint64_t> begins;
    transfer.sides.for_each_block([&](char* local_block, char* remote_block, int64_t) {
        begins.push_back(reinterpret_cast<uint64_t>(local ? local_block : remote_block));
    });
    std::sort(begins.begin(), begins.end());
    const auto bytes = static_cast<uint64_t>(transfer.sides.block_bytes());
    return std::adjacent_find(begins.begin(), begins.end(), [&](uint64_t a, uint64_t b) {
               return b - a < bytes;
           }) != begins.end();
}

TEST(CheckRows, RepeatedBytesAgreeWithByteWiseComparison) {
    std::vector<char> memory(1 << 16);
    int repeated_count = 0;
    for (const int first : {-24, -8, 0, 4, 8, 16, 40, 64}) {
        for (const int second : {-32, 0, 4, 8, 12, 24, 80, 256}) {
            for (const int count : {1, 2, 4}) {
                test::Pattern pattern;
                pattern.block_bytes = 8;
                pattern.count = {8, 4, count};
                pattern.local_stride = {1 << 10, 1 << 13};
                pattern.remote_stride = {first, second};
                pattern.blocks = {{0, 0}};
                const pipeline::Transfer transfer =
                    test::make_transfer({}, pattern, memory.data(), memory.data() + 4096);
                int64_t work = kMaxWork;
                const Bytes bytes = repeated_bytes(transfer, Side::remote, &work);
                EXPECT_EQ(!bytes.is_empty(), repeats_a_byte(transfer, false))
                    << first << " " << second << " " << count;
                repeated_count += bytes.is_empty() ? 0 : 1;
                EXPECT_TRUE(repeated_bytes(transfer, Side::local, &work).is_empty());
                EXPECT_GE(work, 0);
            }
        }
    }
    EXPECT_GT(repeated_count, 50);
    EXPECT_LT(repeated_count, 150);
}

// One column of a local matrix with so many rows. The memory is never accessed.
pipeline::Transfer column(int number, int rows) {
    test::Pattern pattern;
    pattern.block_bytes = 8;
    pattern.count = {8, rows};
    pattern.local_stride = pattern.remote_stride = {1 << 10};
    pattern.blocks = {{8 * number, 0}};
    return test::make_transfer({}, pattern, nullptr, nullptr);
}

PendingBuffer pending_of(const pipeline::Transfer& transfer) {
    PendingBuffer pending;
    pending.op = base::OpKind::get;
    pending.rows = local_rows(transfer);
    pending.extent = extent_of(pending.rows);
    return pending;
}

TEST(CheckLocalBuffers, WorkLimitCoversAllBuffersTogether) {
    LocalBuffers buffers;
    constexpr int kRows = 1 << 18;
    for (int number = 0; number < 5; ++number) {
        buffers.add(pending_of(column(number, kRows)));
    }
    Bytes bytes;
    int64_t work = kMaxWork;
    EXPECT_NE(buffers.find_overlapping(column(3, kRows), &bytes, &work), nullptr);
    EXPECT_EQ(bytes.begin, 24U);
    EXPECT_GE(work, 0);
    work = kMaxWork;
    EXPECT_EQ(buffers.find_overlapping(column(4, kRows), &bytes, &work), nullptr);
    EXPECT_LT(work, 0);
}

TEST(CheckLocalBuffers, RowLimitCoversAllBuffersTogether) {
    LocalBuffers buffers;
    PendingBuffer large;
    large.rows.resize(LocalBuffers::kMaxRows - 1);
    buffers.add(std::move(large));
    EXPECT_TRUE(buffers.has_room(1));
    EXPECT_FALSE(buffers.has_room(2));
    buffers.take([](const PendingBuffer&) { return true; });
    EXPECT_TRUE(buffers.has_room(LocalBuffers::kMaxRows));
}

Write write_of(int origin, uint64_t begin, int64_t bytes, int64_t began_ns,
               int64_t closed_ns = Write::kOpen) {
    Write write;
    write.place = make_row(begin, bytes, 0, 1);
    write.origin = origin;
    write.began_ns = began_ns;
    write.closed_ns = closed_ns;
    std::snprintf(write.function, sizeof write.function, "ARMCI_Put");
    return write;
}

TEST(CheckWrites, ConflictIfEachBeganBeforeTheOtherWasClosed) {
    const Conflicts conflicts =
        find_conflicts({write_of(2, 100, 50, 10, 30), write_of(1, 140, 50, 20, 40)});
    ASSERT_EQ(conflicts.found.size(), 1U);
    EXPECT_EQ(conflicts.found[0].first.origin, 1);
    EXPECT_EQ(conflicts.found[0].second.origin, 2);
    EXPECT_EQ(conflicts.found[0].bytes.begin, 140U);
    EXPECT_EQ(conflicts.found[0].bytes.end, 150U);
}

TEST(CheckWrites, NoConflictIfOneWasClosedBeforeTheOtherBegan) {
    EXPECT_TRUE(
        find_conflicts({write_of(1, 100, 50, 10, 20), write_of(2, 100, 50, 20, 40)}).found.empty());
    EXPECT_TRUE(
        find_conflicts({write_of(1, 100, 50, 30), write_of(2, 100, 50, 20, 30)}).found.empty());
}

TEST(CheckWrites, OnlyOpenWritesConflictBetweenHosts) {
    Write far = write_of(2, 100, 50, 15, 40);
    far.host = 1;
    EXPECT_TRUE(find_conflicts({write_of(1, 100, 50, 10, 30), far}).found.empty());
    EXPECT_TRUE(find_conflicts({write_of(1, 100, 50, 10), far}).found.empty());
    far.closed_ns = Write::kOpen;
    EXPECT_TRUE(find_conflicts({write_of(1, 100, 50, 10, 30), far}).found.empty());
    EXPECT_EQ(find_conflicts({write_of(1, 100, 50, 10), far}).found.size(), 1U);
}

TEST(CheckWrites, AccumulatesConflictWithPutsOnly) {
    Write one = write_of(1, 100, 50, 10);
    Write two = write_of(2, 100, 50, 10);
    one.adds = true;
    EXPECT_EQ(find_conflicts({one, two}).found.size(), 1U);
    EXPECT_EQ(find_conflicts({two, one}).found.size(), 1U);
    two.adds = true;
    EXPECT_TRUE(find_conflicts({one, two}).found.empty());
}

TEST(CheckWrites, NoConflictWithinOneRankOrWithoutCommonBytes) {
    EXPECT_TRUE(find_conflicts({write_of(1, 100, 50, 10), write_of(1, 100, 50, 10)}).found.empty());
    Write even = write_of(1, 0, 8, 10);
    Write odd = write_of(2, 0, 8, 10);
    even.place = make_row(0, 8, 16, 10);
    odd.place = make_row(8, 8, 16, 10);
    EXPECT_TRUE(find_conflicts({even, odd}).found.empty());
}

// Each write overlaps the extents of all that follow, so that all pairs would have to be compared.
TEST(CheckWrites, ComparisonStopsAtTheWorkLimit) {
    constexpr uint64_t kWrites = 20000;
    std::vector<Write> writes;
    for (uint64_t i = 0; i < kWrites; ++i) {
        writes.push_back(write_of(static_cast<int>(i % 2), i, 8, 10));
        writes.back().place = make_row(16 * i, 8, 16 * kWrites, 4);
    }
    const Conflicts conflicts = find_conflicts(writes);
    EXPECT_TRUE(conflicts.too_many);
    EXPECT_LE(conflicts.work, Conflicts::kMaxWork + static_cast<int64_t>(kWrites));
    writes.resize(500);
    EXPECT_FALSE(find_conflicts(writes).too_many);
}

TEST(CheckWrites, ComparisonOfOnePairStopsAtTheWorkLimit) {
    std::vector<Write> writes = {write_of(1, 0, 8, 10), write_of(2, 0, 8, 10)};
    for (Write& write : writes) {
        write.place = make_row(0, 8, 16, Conflicts::kMaxWork + 1);
    }
    const Conflicts conflicts = find_conflicts(writes);
    EXPECT_TRUE(conflicts.too_many);
    EXPECT_TRUE(conflicts.found.empty());
}

TEST(CheckWrites, ReportsAtMostTheMaximumOfConflicts) {
    std::vector<Write> writes;
    for (int origin = 0; origin < 1000; ++origin) {
        writes.push_back(write_of(origin, 100, 8, 10));
    }
    const Conflicts conflicts = find_conflicts(writes);
    EXPECT_TRUE(conflicts.too_many);
    EXPECT_EQ(conflicts.found.size(), Conflicts::kMaxFound);
}

std::vector<Write> all_of(const WriteLog& log, int target) {
    std::vector<Write> writes;
    log.for_each(8, [&](int of, const Write& write) {
        if (of == target) {
            writes.push_back(write);
        }
    });
    return writes;
}

TEST(CheckWrites, JoinsAdjacentWritesAndKeepsTheLastBegin) {
    WriteLog log(2);
    log.add(3, write_of(1, 100, 10, 5));
    log.add(3, write_of(1, 110, 10, 6));
    log.add(3, write_of(1, 140, 20, 7));
    log.add(3, write_of(1, 180, 20, 8));
    const std::vector<Write> writes = all_of(log, 3);
    ASSERT_EQ(writes.size(), 1U);
    EXPECT_EQ(writes[0].place.block_bytes, 20);
    EXPECT_EQ(writes[0].place.stride, 40);
    EXPECT_EQ(writes[0].place.block_count, 3);
    EXPECT_EQ(writes[0].began_ns, 8);
}

TEST(CheckWrites, ClosesWritesPerTargetAndForgetsThem) {
    WriteLog log(2);
    log.add(3, write_of(1, 100, 10, 5));
    log.add(4, write_of(1, 100, 10, 5));
    log.close(3, 9);
    log.add(3, write_of(1, 110, 10, 10));
    ASSERT_EQ(all_of(log, 3).size(), 2U);
    EXPECT_EQ(all_of(log, 3)[0].closed_ns, 9);
    EXPECT_TRUE(all_of(log, 3)[1].is_open());
    EXPECT_TRUE(all_of(log, 4)[0].is_open());
    log.forget(WriteLog::Keep::open_ones);
    EXPECT_EQ(log.size(), 2U);
    ASSERT_EQ(all_of(log, 3).size(), 1U);
    EXPECT_TRUE(all_of(log, 3)[0].was_compared);
    log.forget(WriteLog::Keep::nothing);
    EXPECT_EQ(log.size(), 0U);
}

TEST(CheckWrites, CountsWritesThatDoNotFit) {
    WriteLog log(2);
    for (size_t i = 0; i < WriteLog::kMax + 3; ++i) {
        log.add(0, write_of(1, 1000 * i, 10 + static_cast<int64_t>(i % 7), 5));
    }
    EXPECT_EQ(log.size(), WriteLog::kMax);
    EXPECT_EQ(log.take_left_out(), 3U);
    EXPECT_EQ(log.take_left_out(), 0U);
}

// The writes that all ranks together send to one are bounded.
TEST(CheckWrites, LimitsEachTargetToItsShare) {
    constexpr int kRanks = 1024;
    constexpr size_t kShare = WriteLog::kMaxReceived / kRanks;
    WriteLog log(kRanks);
    for (size_t i = 0; i < kShare + 5; ++i) {
        log.add(0, write_of(1, 1000 * i, 10 + static_cast<int64_t>(i % 7), 5));
    }
    log.add(1, write_of(1, 0, 10, 5));
    EXPECT_EQ(log.size(), kShare + 1);
    EXPECT_EQ(log.take_left_out(), 5U);
}

TEST(CheckPoison, FindsAnyChangedByte) {
    std::vector<char> memory(100);
    for (int64_t begin = 0; begin < 9; ++begin) {
        for (int64_t bytes = 1; bytes < 40; ++bytes) {
            poison(memory.data() + begin, bytes);
            ASSERT_EQ(find_damage(memory.data() + begin, bytes), nullptr);
            char* at = memory.data() + begin + bytes / 2;
            *at = static_cast<char>(*at ^ 0x10);
            ASSERT_EQ(find_damage(memory.data() + begin, bytes), at);
        }
    }
}

TEST(CheckPoison, AnyChangedByteChangesTheChecksum) {
    std::vector<char> memory(600, 7);
    for (const int64_t bytes : {1, 7, 8, 31, 32, 100}) {
        const std::vector<Row> rows = {
            make_row(reinterpret_cast<uint64_t>(memory.data()), bytes, 2 * bytes, 3)};
        const uint64_t before = checksum(rows);
        for (int64_t i = 0; i < bytes; ++i) {
            memory[static_cast<size_t>(2 * bytes + i)] ^= 1;
            EXPECT_NE(checksum(rows), before);
            memory[static_cast<size_t>(2 * bytes + i)] ^= 1;
        }
        memory[static_cast<size_t>(bytes)] ^= 1;  // between the blocks
        EXPECT_EQ(checksum(rows), before);
    }
}

// From 100 to 200, and from 300 to 400.
class TwoFreedRanges : public ::testing::Test {
  protected:
    static void none(const node::FreedRange&) { FAIL(); }

    TwoFreedRanges() {
        ranges_.add({100, 200, 100, 100, 1, 0, 0}, none);
        ranges_.add({300, 400, 300, 100, 2, 0, 0}, none);
    }

    std::unique_ptr<node::FreedRangeTable> table_ = std::make_unique<node::FreedRangeTable>();
    node::FreedRanges ranges_{table_.get()};
};

TEST_F(TwoFreedRanges, TakeCutsOutTheRequestedRange) {
    std::vector<std::pair<uint64_t, uint64_t>> taken;
    const auto note = [&](const node::FreedRange& range) {
        taken.emplace_back(range.begin, range.end);
    };
    ranges_.take(150, 160, note, none);
    EXPECT_EQ(taken, (std::vector<std::pair<uint64_t, uint64_t>>{{150, 160}}));
    EXPECT_EQ(ranges_.bytes(), 190U);
    taken.clear();
    ranges_.take(140, 350, note, none);
    std::sort(taken.begin(), taken.end());
    EXPECT_EQ(taken,
              (std::vector<std::pair<uint64_t, uint64_t>>{{140, 150}, {160, 200}, {300, 350}}));
    taken.clear();
    ranges_.take(0, UINT64_MAX, note, none);
    std::sort(taken.begin(), taken.end());
    EXPECT_EQ(taken, (std::vector<std::pair<uint64_t, uint64_t>>{{100, 140}, {350, 400}}));
    EXPECT_EQ(ranges_.bytes(), 0U);
    EXPECT_EQ(ranges_.left_out(), 0U);
}

TEST_F(TwoFreedRanges, FindReturnsWhatOverlapsAndKeepsIt) {
    EXPECT_TRUE(ranges_.find(0, 100).empty());
    EXPECT_TRUE(ranges_.find(200, 300).empty());
    ASSERT_EQ(ranges_.find(199, 300).size(), 1U);
    EXPECT_EQ(ranges_.find(199, 300)[0].allocation, 1U);
    EXPECT_EQ(ranges_.find(0, UINT64_MAX).size(), 2U);
    EXPECT_EQ(ranges_.bytes(), 200U);
}

TEST(FreedRanges, DropsTheOldestRangeWhenFull) {
    auto table = std::make_unique<node::FreedRangeTable>();
    node::FreedRanges ranges(table.get());
    std::vector<uint64_t> gone;
    for (uint64_t i = 0; i <= node::FreedRangeTable::kMax; ++i) {
        ranges.add({10 * i, 10 * i + 5, 0, 0, 1, 0, 0},
                   [&](const node::FreedRange& range) { gone.push_back(range.begin); });
    }
    EXPECT_EQ(gone, std::vector<uint64_t>{0});
    EXPECT_EQ(ranges.left_out(), 1U);
    // One range becomes two, for which there is no room.
    const auto note = [&](const node::FreedRange& range) { gone.push_back(range.begin); };
    ranges.take(12, 13, note, note);
    EXPECT_EQ(gone, (std::vector<uint64_t>{0, 12, 13}));
    EXPECT_EQ(ranges.left_out(), 2U);
}

TEST(FreedRanges, DropsRangesBeyondTheByteLimit) {
    constexpr uint64_t kBytes = node::FreedRangeTable::kMaxBytes / 4;
    auto table = std::make_unique<node::FreedRangeTable>();
    node::FreedRanges ranges(table.get());
    std::vector<uint64_t> gone;
    const auto note = [&](const node::FreedRange& range) { gone.push_back(range.begin); };
    for (uint64_t i = 0; i < 5; ++i) {
        ranges.add({i * kBytes, (i + 1) * kBytes, 0, 0, 1, 0, 0}, note);
    }
    EXPECT_EQ(gone, std::vector<uint64_t>{0});
    EXPECT_EQ(ranges.bytes(), 4 * kBytes);
    ranges.add({5 * kBytes, 9 * kBytes, 0, 0, 1, 0, 0}, note);
    EXPECT_EQ(gone, (std::vector<uint64_t>{0, kBytes, 2 * kBytes, 3 * kBytes, 4 * kBytes}));
    EXPECT_EQ(ranges.bytes(), 4 * kBytes);
}

}  // namespace
}  // namespace armci::check
