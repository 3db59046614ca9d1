// SPDX-License-Identifier: BSD-3-Clause
#include "node/populator.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <string>

#include "system_files.h"
#include "test_heap.h"

namespace armci::node::test {
namespace {

using armci::test::SystemFiles;
using armci::test::TestHeap;

constexpr size_t kRangeBytes = 8 << 20;

// Writes to every page. Sanitizers would touch pages of their own.
__attribute__((no_sanitize("address", "thread"))) void touch(void* data) {
    auto* bytes = static_cast<volatile char*>(data);
    for (size_t i = 0; i < kRangeBytes; i += kPageBytes) {
        bytes[i] = 1;
    }
}

// New memory on a host that has 8 GiB left at first.
class PopulatorTest : public testing::Test {
  protected:
    void SetUp() override {
        range_ = heap_->allocate(kRangeBytes);
        madvise(range_.data, kRangeBytes, MADV_NOHUGEPAGE);
        before_ = heap_->resident_bytes();
        constexpr int kPopulateWrite = 23;
        const NodeHeap::Range page = heap_->allocate(1);
        if (madvise(page.data, kPageBytes, kPopulateWrite) != 0) {
            GTEST_SKIP() << "this kernel cannot populate memory";
        }
        heap_->release(page.record);
    }
    uint64_t begin() const { return reinterpret_cast<uint64_t>(range_.data); }
    void wait_until_nothing_is_left() {
        while (populator_.bytes_left() > 0) {
            sched_yield();
        }
    }
    // What the populator has added.
    size_t populated_bytes() { return heap_->resident_bytes() - before_; }

    SystemFiles files_;
    TestHeap heap_{64 << 20};
    NodeHeap::Range range_;
    size_t before_ = 0;
    Populator populator_{files_.files()};
};

TEST_F(PopulatorTest, ProgramFindsNewMemoryWithoutPageFaults) {
    populator_.populate(begin(), kRangeBytes);
    wait_until_nothing_is_left();
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    const long before = usage.ru_minflt;
    touch(range_.data);
    getrusage(RUSAGE_THREAD, &usage);
    EXPECT_LT(usage.ru_minflt - before, static_cast<long>(kRangeBytes / kPageBytes / 8));
}

TEST_F(PopulatorTest, ContentsStay) {
    auto* bytes = static_cast<char*>(range_.data);
    for (size_t i = 0; i < kRangeBytes; i += 5 * kPageBytes) {
        bytes[i] = 'x';
    }
    populator_.populate(begin(), kRangeBytes);
    wait_until_nothing_is_left();
    EXPECT_GE(populated_bytes(), kRangeBytes);
    for (size_t i = 0; i < kRangeBytes; i += kPageBytes) {
        ASSERT_EQ(bytes[i], i % (5 * kPageBytes) == 0 ? 'x' : 0) << i;
    }
}

// The pages at the ends may belong to other ranks.
TEST_F(PopulatorTest, PopulatesWholePagesOnly) {
    populator_.populate(begin() + 5, kPageBytes);
    wait_until_nothing_is_left();
    populator_.populate(begin() + kPageBytes + 1, 3 * kPageBytes);
    wait_until_nothing_is_left();
    unsigned char residency[5] = {};
    ASSERT_EQ(mincore(range_.data, sizeof residency * kPageBytes, residency), 0);
    for (int page = 0; page < 5; ++page) {
        EXPECT_EQ(residency[page] & 1, page == 2 || page == 3 ? 1 : 0) << page;
    }
}

TEST_F(PopulatorTest, LeavesWhatIsFreed) {
    populator_.populate(begin(), kRangeBytes);
    populator_.leave(begin(), 1);
    EXPECT_EQ(populator_.bytes_left(), 0U);
}

TEST_F(PopulatorTest, FreeingOtherMemoryDoesNotStopIt) {
    populator_.populate(begin(), kRangeBytes);
    populator_.leave(begin() + kRangeBytes, kPageBytes);
    populator_.leave(begin() - kPageBytes, kPageBytes);
    wait_until_nothing_is_left();
    EXPECT_GE(populated_bytes(), kRangeBytes);
}

TEST_F(PopulatorTest, TakesNothingUnderPressure) {
    files_.write("pressure", "some avg10=20.00 avg60=0.00 avg300=0.00 total=1\n");
    populator_.populate(begin(), kRangeBytes);
    wait_until_nothing_is_left();
    EXPECT_EQ(populated_bytes(), 0U);
    files_.write("pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n");
    populator_.populate(begin(), kRangeBytes);
    wait_until_nothing_is_left();
    EXPECT_GE(populated_bytes(), kRangeBytes);
}

}  // namespace
}  // namespace armci::node::test
