// SPDX-License-Identifier: BSD-3-Clause
// The directory of attached memory, as one process sees it and as several do.
#include "node/attachments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "child_process.h"
#include "test_heap.h"

namespace armci::test {
namespace {

using node::Attachment;
using node::Attachments;
using node::AttachmentTable;
using Added = node::Attachments::Added;

Attachment range_of(uint32_t owner, uint64_t begin, uint64_t end) {
    Attachment entry{};
    entry.owner = owner;
    entry.begin = begin;
    entry.end = end;
    entry.rank = static_cast<int32_t>(100 + owner);
    return entry;
}

Added add(Attachments& attachments, uint32_t owner, uint64_t begin, uint64_t end) {
    Attachment overlapped{};
    return attachments.add(range_of(owner, begin, end), &overlapped);
}

TEST(Attachments, FindsRangesByOwnerAndAddress) {
    const auto table = std::make_unique<AttachmentTable>();
    Attachments attachments(table.get());
    EXPECT_EQ(attachments.find(0, 1000, 1), nullptr);
    EXPECT_EQ(attachments.any_of(0), nullptr);
    ASSERT_EQ(add(attachments, 1, 1000, 1100), Added::yes);
    ASSERT_EQ(add(attachments, 1, 1100, 1200), Added::yes) << "adjacent";
    ASSERT_EQ(add(attachments, 3, 1050, 1060), Added::yes) << "of another rank";
    ASSERT_EQ(add(attachments, 1, 500, 510), Added::yes);
    const Attachment* found = attachments.find(1, 1000, 100);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->end, 1100U);
    EXPECT_EQ(found->rank, 101);
    EXPECT_NE(attachments.find(1, 1099, 1), nullptr);
    EXPECT_NE(attachments.find(1, 1100, 100), nullptr);
    EXPECT_NE(attachments.find(3, 1059, 1), nullptr);
    EXPECT_EQ(attachments.find(1, 999, 1), nullptr);
    EXPECT_EQ(attachments.find(1, 999, 2), nullptr);
    EXPECT_EQ(attachments.find(1, 1000, 101), nullptr) << "across two ranges";
    EXPECT_EQ(attachments.find(1, 1199, 2), nullptr);
    EXPECT_EQ(attachments.find(1, 1200, 1), nullptr);
    EXPECT_EQ(attachments.find(1, 1000, UINT64_MAX), nullptr);
    EXPECT_EQ(attachments.find(3, 1000, 1), nullptr);
    EXPECT_EQ(attachments.find(2, 1055, 1), nullptr);
    EXPECT_EQ(attachments.find(0, 1055, 1), nullptr);
    EXPECT_EQ(attachments.find(UINT32_MAX, 1055, 1), nullptr);
    EXPECT_EQ(attachments.any_of(0), nullptr);
    EXPECT_EQ(attachments.any_of(2), nullptr);
    ASSERT_NE(attachments.any_of(3), nullptr);
    EXPECT_EQ(attachments.any_of(3)->rank, 103);
}

TEST(Attachments, RefusesOverlapsOfOneOwner) {
    const auto table = std::make_unique<AttachmentTable>();
    Attachments attachments(table.get());
    ASSERT_EQ(add(attachments, 1, 1000, 1100), Added::yes);
    for (const auto& [begin, end] : std::vector<std::pair<uint64_t, uint64_t>>{{1000, 1100},
                                                                               {1000, 1001},
                                                                               {1099, 1100},
                                                                               {1050, 1060},
                                                                               {900, 1001},
                                                                               {900, 2000},
                                                                               {1099, 3000}}) {
        Attachment overlapped{};
        EXPECT_EQ(attachments.add(range_of(1, begin, end), &overlapped), Added::overlaps)
            << begin << " to " << end;
        EXPECT_EQ(overlapped.begin, 1000U);
        EXPECT_EQ(overlapped.end, 1100U);
    }
    EXPECT_EQ(add(attachments, 0, 1000, 1100), Added::yes);
    EXPECT_EQ(add(attachments, 2, 1000, 1100), Added::yes);
    EXPECT_EQ(add(attachments, 1, 999, 1000), Added::yes);
    EXPECT_EQ(add(attachments, 1, 1100, 1101), Added::yes);
    EXPECT_EQ(table->count, 5U);
}

TEST(Attachments, RemovesOnlyOwnRangesByTheirBegin) {
    const auto table = std::make_unique<AttachmentTable>();
    Attachments attachments(table.get());
    ASSERT_EQ(add(attachments, 1, 1000, 1100), Added::yes);
    EXPECT_FALSE(attachments.remove(1, 1001));
    EXPECT_FALSE(attachments.remove(1, 999));
    EXPECT_FALSE(attachments.remove(0, 1000));
    EXPECT_FALSE(attachments.remove(2, 1000));
    EXPECT_NE(attachments.find(1, 1000, 100), nullptr);
    EXPECT_TRUE(attachments.remove(1, 1000));
    EXPECT_FALSE(attachments.remove(1, 1000));
    EXPECT_EQ(attachments.find(1, 1000, 1), nullptr);
    EXPECT_EQ(table->count, 0U);
}

TEST(Attachments, FullTableRefusesUntilARangeIsRemoved) {
    const auto table = std::make_unique<AttachmentTable>();
    Attachments attachments(table.get());
    for (uint64_t i = 0; i < AttachmentTable::kMax; ++i) {
        ASSERT_EQ(add(attachments, 0, 16 * i, 16 * i + 8), Added::yes);
    }
    EXPECT_EQ(add(attachments, 1, 16, 24), Added::full);
    EXPECT_EQ(add(attachments, 0, 16, 24), Added::overlaps);
    EXPECT_TRUE(attachments.remove(0, 16 * 77));
    EXPECT_EQ(add(attachments, 1, 16, 24), Added::yes);
    EXPECT_EQ(add(attachments, 1, 32, 40), Added::full);
    EXPECT_EQ(attachments.find(0, 16 * 77, 8), nullptr);
    EXPECT_NE(attachments.find(0, 16 * 78, 8), nullptr);
    EXPECT_NE(attachments.find(1, 16, 8), nullptr);
}

// Compares it with a plain map, and with another process's view of the same table.
TEST(Attachments, RandomChangesAgreeWithAMap) {
    const auto table = std::make_unique<AttachmentTable>();
    Attachments attachments(table.get());
    Attachments other_view(table.get());
    std::map<std::pair<uint32_t, uint64_t>, uint64_t> expected;  // by owner and begin: end
    std::mt19937_64 random(7);
    const auto overlaps = [&](uint32_t owner, uint64_t begin, uint64_t end) {
        return std::any_of(expected.begin(), expected.end(), [&](const auto& range) {
            return range.first.first == owner && range.first.second < end && begin < range.second;
        });
    };
    for (int step = 0; step < 3000; ++step) {
        const auto owner = static_cast<uint32_t>(random() % 4);
        const uint64_t begin = random() % 400;
        const uint64_t end = begin + 1 + random() % 20;
        if (random() % 2 == 0) {
            const bool in_way = overlaps(owner, begin, end);
            ASSERT_EQ(add(attachments, owner, begin, end), in_way ? Added::overlaps : Added::yes);
            if (!in_way) {
                expected[{owner, begin}] = end;
            }
        } else {
            ASSERT_EQ(attachments.remove(owner, begin), expected.erase({owner, begin}) == 1);
        }
        const uint64_t address = random() % 430;
        const uint64_t bytes = 1 + random() % 15;
        const bool there = std::any_of(expected.begin(), expected.end(), [&](const auto& range) {
            return range.first.first == owner && range.first.second <= address &&
                   address + bytes <= range.second;
        });
        ASSERT_EQ(attachments.find(owner, address, bytes) != nullptr, there) << "step " << step;
        ASSERT_EQ(other_view.find(owner, address, bytes) != nullptr, there) << "step " << step;
    }
    EXPECT_EQ(table->count, expected.size());
}

// Each of several processes attaches and detaches. A process that is informed of a range finds it.
TEST(Attachments, ProcessesShareTheDirectory) {
    constexpr uint32_t kProcesses = 4;
    constexpr int kRounds = 2000;
    TestHeap heap(1 << 20);
    AttachmentTable* table = &heap->control().attachments;
    {
        std::vector<ChildProcess> children;
        for (uint32_t owner = 1; owner <= kProcesses; ++owner) {
            children.emplace_back([&] {
                Attachments mine(table);
                for (int round = 0; round < kRounds; ++round) {
                    const auto begin = static_cast<uint64_t>(100 * (round % 7));
                    if (add(mine, owner, begin, begin + 10) != Added::yes ||
                        mine.find(owner, begin + 9, 1) == nullptr ||
                        mine.find(owner, begin + 10, 1) != nullptr || !mine.remove(owner, begin) ||
                        mine.find(owner, begin, 1) != nullptr) {
                        return 1;
                    }
                }
                return add(mine, owner, 5000, 5000 + owner) == Added::yes ? 0 : 2;
            });
        }
        for (ChildProcess& child : children) {
            EXPECT_EQ(child.wait(), 0);
        }
    }
    Attachments mine(table);
    EXPECT_EQ(table->count, kProcesses);
    for (uint32_t owner = 1; owner <= kProcesses; ++owner) {
        EXPECT_NE(mine.find(owner, 5000, owner), nullptr);
        EXPECT_EQ(mine.find(owner, 5000, owner + 1), nullptr);
    }
}

TEST(Attachments, AcceptsOnlyValidRanges) {
    constexpr uint64_t kHeap = uint64_t{1} << 40;
    constexpr uint64_t kBytes = 1 << 20;
    const auto attachable = [](uint64_t begin, uint64_t bytes) {
        return node::is_attachable(begin, bytes, kHeap, kBytes);
    };
    EXPECT_TRUE(attachable(1 << 20, 1));
    EXPECT_TRUE(attachable(kHeap - 8, 8));
    EXPECT_TRUE(attachable(kHeap + kBytes, 8));
    EXPECT_FALSE(attachable(kHeap - 8, 9));
    EXPECT_FALSE(attachable(kHeap + kBytes - 1, 8));
    EXPECT_FALSE(attachable(kHeap + 100, 8));
    EXPECT_FALSE(attachable(kHeap - 8, 2 * kBytes)) << "around it";
    EXPECT_FALSE(attachable(1 << 20, 0));
    EXPECT_FALSE(attachable(0, 8));
    EXPECT_FALSE(attachable(4096, 8));
    EXPECT_FALSE(attachable(UINT64_MAX - 3, 8)) << "wraps";
    EXPECT_FALSE(attachable(uint64_t{1} << 63, 8));
}

}  // namespace
}  // namespace armci::test
