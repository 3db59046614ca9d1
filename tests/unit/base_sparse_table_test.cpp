// SPDX-License-Identifier: BSD-3-Clause
#include "base/sparse_table.h"

#include <gtest/gtest.h>

#include <vector>

namespace armci::test {
namespace {

struct Counted {
    int number = -1;
};

TEST(SparseTable, FindsWhatWasMade) {
    base::SparseTable<Counted> table;
    table.open(1000);
    for (const int number : {0, 63, 64, 999}) {
        EXPECT_EQ(table.find(number), nullptr);
        Counted& made = table.make(number);
        made.number = number;
        EXPECT_EQ(table.find(number), &made);
    }
    EXPECT_EQ(table.find(1), nullptr);
    EXPECT_EQ(table.find(500), nullptr);
}

TEST(SparseTable, VisitsInOrder) {
    base::SparseTable<Counted> table;
    table.open(300);
    for (const int number : {299, 5, 70, 6}) {
        table.make(number).number = number;
    }
    std::vector<int> seen;
    table.for_each([&](const Counted& one) { seen.push_back(one.number); });
    EXPECT_EQ(seen, (std::vector<int>{5, 6, 70, 299}));
    table.clear();
    table.for_each([](const Counted&) { FAIL(); });
}

TEST(SparseTable, CostsNextToNothingWhereItIsNotUsed) {
    base::SparseTable<Counted> table;
    table.open(10'000);
    EXPECT_LE(table.bytes(), 10'000U / 2 + 8);
    const size_t empty = table.bytes();
    table.make(77);
    EXPECT_LE(table.bytes(), empty + 200);
}

}  // namespace
}  // namespace armci::test
