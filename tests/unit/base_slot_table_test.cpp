// SPDX-License-Identifier: BSD-3-Clause
#include "base/slot_table.h"

#include <gtest/gtest.h>

#include <memory>

namespace armci::test {
namespace {

TEST(SlotTable, ReleasedSlotIsTakenAgain) {
    base::SlotTable<int> table;
    const uint32_t first = table.take();
    const uint32_t second = table.take();
    EXPECT_NE(first, second);
    EXPECT_EQ(table.used_count(), 2U);
    table.release(first);
    EXPECT_EQ(table.used_count(), 1U);
    EXPECT_EQ(table.take(), first);
}

TEST(SlotTable, StaleNameFindsNothing) {
    base::SlotTable<int> table;
    const uint32_t index = table.take();
    const uint64_t stale = table.name_of(index);
    table[index] = 7;
    ASSERT_NE(table.find(stale), nullptr);
    EXPECT_EQ(*table.find(stale), 7);
    table.release(index);
    EXPECT_EQ(table.find(stale), nullptr);
    EXPECT_FALSE(table.is_used(index));
    ASSERT_EQ(table.take(), index);
    EXPECT_EQ(table.find(stale), nullptr);
    EXPECT_NE(table.find(table.name_of(index)), nullptr);
}

TEST(SlotTable, NamesThatWereNeverGivenFindNothing) {
    base::SlotTable<int> table;
    EXPECT_EQ(table.find(0), nullptr);
    EXPECT_FALSE(table.is_used(UINT64_MAX));
    const uint32_t index = table.take();
    EXPECT_NE(table.name_of(index), 0U);
    EXPECT_EQ(table.find(0), nullptr);
    EXPECT_EQ(table.find(table.name_of(index) + 1), nullptr);
    EXPECT_EQ(table.find(UINT64_MAX), nullptr);
}

TEST(SlotTable, ValueOfAReleasedSlotIsKept) {
    base::SlotTable<std::unique_ptr<int>> table;
    const uint32_t index = table.take();
    EXPECT_EQ(table[index], nullptr);
    table[index] = std::make_unique<int>(5);
    const int* value = table[index].get();
    table.release(index);
    ASSERT_EQ(table.take(), index);
    EXPECT_EQ(table[index].get(), value);
}

TEST(SlotTable, ValuesStayWhereTheyAre) {
    base::SlotTable<int> table;
    const int* first = &table[table.take()];
    for (int i = 0; i < 10'000; ++i) {
        table.take();
    }
    EXPECT_EQ(&table[0], first);
}

TEST(SlotTable, ClearReleasesAll) {
    base::SlotTable<int> table;
    const uint64_t name = table.name_of(table.take());
    table.clear();
    EXPECT_EQ(table.used_count(), 0U);
    EXPECT_EQ(table.find(name), nullptr);
}

}  // namespace
}  // namespace armci::test
