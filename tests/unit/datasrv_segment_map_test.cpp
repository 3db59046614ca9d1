// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/segment_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace armci::datasrv::test {
namespace {

TEST(SegmentMap, FindsRangesInsideOneSegmentOnly) {
    SegmentMap map;
    EXPECT_FALSE(map.contains(0, 1));
    ASSERT_TRUE(map.add(1000, 100, {}));
    ASSERT_TRUE(map.add(1100, 50, {}));  // right after the first
    ASSERT_TRUE(map.add(200, 10, {}));
    EXPECT_TRUE(map.contains(1000, 100));
    EXPECT_TRUE(map.contains(1099, 1));
    EXPECT_TRUE(map.contains(1100, 50));
    EXPECT_TRUE(map.contains(205, 5));
    EXPECT_FALSE(map.contains(999, 1));
    EXPECT_FALSE(map.contains(999, 2));
    EXPECT_FALSE(map.contains(1000, 101)) << "across two segments";
    EXPECT_FALSE(map.contains(1099, 2)) << "across two segments";
    EXPECT_FALSE(map.contains(1150, 1));
    EXPECT_FALSE(map.contains(205, 6));
    EXPECT_FALSE(map.contains(1000, UINT64_MAX));
    EXPECT_FALSE(map.contains(UINT64_MAX, 1));
}

TEST(SegmentMap, RefusesOverlappingSegments) {
    SegmentMap map;
    ASSERT_TRUE(map.add(1000, 100, {}));
    EXPECT_FALSE(map.add(1000, 100, {}));
    EXPECT_FALSE(map.add(1050, 10, {}));
    EXPECT_FALSE(map.add(900, 101, {}));
    EXPECT_FALSE(map.add(900, 1000, {}));
    EXPECT_FALSE(map.add(1099, 1, {}));
    EXPECT_FALSE(map.add(500, 0, {}));
    EXPECT_FALSE(map.add(UINT64_MAX - 5, 10, {})) << "wraps";
    EXPECT_TRUE(map.add(900, 100, {}));
    EXPECT_TRUE(map.add(1100, 1, {}));
}

TEST(SegmentMap, DoesNotFindRemovedSegments) {
    SegmentMap map;
    ASSERT_TRUE(map.add(1000, 100, {}));
    ASSERT_TRUE(map.add(2000, 100, {}));
    EXPECT_TRUE(map.contains(2000, 1));
    EXPECT_FALSE(map.remove(1001)) << "not a beginning";
    EXPECT_TRUE(map.remove(2000));
    EXPECT_FALSE(map.remove(2000));
    EXPECT_FALSE(map.contains(2000, 1));
    EXPECT_TRUE(map.contains(1000, 1));
    EXPECT_TRUE(map.remove(1000));
    EXPECT_FALSE(map.contains(1000, 1));
    ASSERT_TRUE(map.add(1000, 100, {}));
    map.clear();
    EXPECT_FALSE(map.contains(1000, 1));
}

TEST(SegmentMap, RandomUseAgreesWithTheReference) {
    std::mt19937_64 random(6);
    SegmentMap map;
    std::map<uint64_t, uint64_t> reference;  // begin, end
    const auto contains = [&](uint64_t begin, uint64_t end) {
        for (const auto& [from, to] : reference) {
            if (begin >= from && end <= to) {
                return true;
            }
        }
        return false;
    };
    for (int step = 0; step < 20'000; ++step) {
        const uint64_t begin = random() % 2000;
        const uint64_t bytes = 1 + random() % 100;
        if (random() % 4 == 0) {
            bool free = true;
            for (const auto& [from, to] : reference) {
                free = free && (begin + bytes <= from || begin >= to);
            }
            ASSERT_EQ(map.add(begin, bytes, {}), free);
            if (free) {
                reference[begin] = begin + bytes;
            }
        } else if (random() % 8 == 0 && !reference.empty()) {
            const uint64_t one =
                std::next(reference.begin(), static_cast<int64_t>(random() % reference.size()))
                    ->first;
            ASSERT_TRUE(map.remove(one));
            reference.erase(one);
        } else {
            ASSERT_EQ(map.contains(begin, bytes), contains(begin, begin + bytes));
        }
    }
}

}  // namespace
}  // namespace armci::datasrv::test
