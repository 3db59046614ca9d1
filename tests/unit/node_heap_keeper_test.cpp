// SPDX-License-Identifier: BSD-3-Clause
#include "node/heap_keeper.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "system_files.h"
#include "test_heap.h"

namespace armci::node::test {
namespace {

using armci::test::SystemFiles;
using armci::test::TestHeap;

constexpr uint64_t kPieceBytes = 1 << 20;
constexpr uint64_t kGiB = 1 << 30;
constexpr int64_t kNeverNs = int64_t{86400} * 1'000'000'000;

TEST(KeepLimit, IsTheUsersWhereMuchIsSpare) {
    EXPECT_EQ(keep_limit(kGiB, 100 * kGiB, 0, 0), kGiB);
    EXPECT_EQ(keep_limit(kGiB, 100 * kGiB, kGiB, kGiB), kGiB);
}

TEST(KeepLimit, IsAQuarterOfWhatIsSpareWithoutWhatIsKept) {
    EXPECT_EQ(keep_limit(kGiB, 2 * kGiB, 0, 0), kGiB / 2);
    EXPECT_EQ(keep_limit(kGiB, 3 * kGiB / 2, kGiB / 2, kGiB / 2), kGiB / 2)
        << "what is kept takes nothing from itself";
}

TEST(KeepLimit, IsSharedByTheNodesOfAHost) {
    EXPECT_EQ(keep_limit(kGiB, 100 * kGiB, 3 * kGiB / 4, kGiB / 2), 3 * kGiB / 4);
    EXPECT_EQ(keep_limit(kGiB, 100 * kGiB, 2 * kGiB, 0), 0U);
    EXPECT_EQ(keep_limit(kGiB, 100 * kGiB, kGiB, 2 * kGiB), kGiB);
}

TEST(KeepLimit, IsNothingWhereNothingIsSpare) {
    EXPECT_EQ(keep_limit(kGiB, 0, kGiB, kGiB), 0U);
    EXPECT_EQ(keep_limit(kGiB, -1, kGiB, kGiB), 0U);
}

// A heap of which a keeper takes care, on a host that has 8 GiB left at first.
class HeapKeeperTest : public testing::Test {
  protected:
    void start(uint64_t max_bytes, int64_t kept_ns) {
        keeper_.start(*heap_, {.max_bytes = max_bytes,
                               .kept_ns = kept_ns,
                               .look_ns = 1'000'000,
                               .files = files_.files()});
    }
    // So many pieces of a megabyte, all in use at one time.
    void use(int count) {
        std::vector<NodeHeap::Range> ranges;
        for (int i = 0; i < count; ++i) {
            ranges.push_back(heap_->allocate(kPieceBytes));
            ASSERT_NE(ranges.back().data, nullptr);
            std::memset(ranges.back().data, 1, kPieceBytes);
        }
        for (const NodeHeap::Range& range : ranges) {
            keeper_.release(range.record);
        }
    }
    // Without what the keeper's thread gives back just now.
    uint64_t staying_bytes() {
        const AllocatorState& state = heap_->control().allocator;
        const std::lock_guard<SharedLock> lock(heap_->control().allocator.lock);
        return state.kept_bytes - state.returning_bytes;
    }
    void wait_until_nothing_is_kept() {
        while (heap_->kept_bytes() > 0) {
            sched_yield();
        }
    }

    // The keeper gives everything back when that file of the host says that.
    void expect_nothing_is_kept_after(const char* file, const std::string& text) {
        start(16 * kPieceBytes, kNeverNs);
        use(4);
        EXPECT_EQ(heap_->kept_bytes(), 4 * kPieceBytes);
        files_.write(file, text);
        wait_until_nothing_is_kept();
    }

    SystemFiles files_;
    TestHeap heap_{64 * kPieceBytes};
    size_t resident_ = heap_->resident_bytes();
    HeapKeeper keeper_;  // ends before the heap
};

TEST_F(HeapKeeperTest, KeepsNothingWithALimitOfZero) {
    start(0, kNeverNs);
    use(4);
    EXPECT_EQ(heap_->kept_bytes(), 0U);
    EXPECT_LE(heap_->resident_bytes(), resident_ + 4 * kPageBytes);
}

TEST_F(HeapKeeperTest, KeepsWhatIsFreedUpToTheLimit) {
    start(8 * kPieceBytes, kNeverNs);
    use(4);
    EXPECT_EQ(heap_->kept_bytes(), 4 * kPieceBytes);
    use(20);
    EXPECT_EQ(staying_bytes(), 8 * kPieceBytes);
    while (heap_->kept_bytes() > 8 * kPieceBytes) {
        sched_yield();
    }
    // The page tables of the allocator's records have a few pages, too.
    EXPECT_LE(heap_->resident_bytes(), resident_ + 8 * kPieceBytes + 4 * kPageBytes);
    use(20);
    EXPECT_EQ(staying_bytes(), 8 * kPieceBytes);
}

TEST_F(HeapKeeperTest, KeepsEverythingWhileNothingForbidsIt) {
    start(16 * kPieceBytes, kNeverNs);
    use(4);
    const std::atomic<int64_t>& next_look_ns = heap_->control().keeping.next_look_ns;
    for (int look = 0; look < 3; ++look) {
        const int64_t before_ns = next_look_ns.load();
        while (next_look_ns.load() == before_ns) {
            sched_yield();
        }
    }
    EXPECT_EQ(heap_->kept_bytes(), 4 * kPieceBytes);
}

TEST_F(HeapKeeperTest, KeepsWhatIsFreedDuringTheFirstLook) {
    heap_->control().keeping.next_look_ns = INT64_MAX;  // another process is looking
    start(16 * kPieceBytes, kNeverNs);
    use(4);
    EXPECT_EQ(heap_->kept_bytes(), 4 * kPieceBytes);
}

TEST_F(HeapKeeperTest, GivesBackWhatIsNotUsedAgain) {
    start(16 * kPieceBytes, 2'000'000);
    for (int round = 0; round < 3; ++round) {  // it wakes up again
        use(4);
        wait_until_nothing_is_kept();
    }
}

TEST_F(HeapKeeperTest, GivesBackUnderPressure) {
    expect_nothing_is_kept_after("pressure", "some avg10=20.00 avg60=0.00 avg300=0.00 total=1\n");
}

TEST_F(HeapKeeperTest, GivesBackWhenTheHostRunsShort) {
    expect_nothing_is_kept_after("meminfo", "MemTotal: 16777216 kB\nMemAvailable: 0 kB\n");
}

}  // namespace
}  // namespace armci::node::test
