// SPDX-License-Identifier: BSD-3-Clause
#include "core/job/node_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace armci::test {
namespace {

using core::NodeNumbers;

void expect_right_of(const NodeNumbers& numbers, const std::vector<int32_t>& nodes, int node_count,
                     int own) {
    std::vector<int> seen(static_cast<size_t>(node_count));
    for (int rank = 0; rank < static_cast<int>(nodes.size()); ++rank) {
        const auto node = static_cast<size_t>(nodes[static_cast<size_t>(rank)]);
        EXPECT_EQ(numbers[rank], nodes[static_cast<size_t>(rank)]);
        EXPECT_EQ(numbers.is_own(rank), numbers[rank] == numbers[own]);
        EXPECT_EQ(numbers.rank_in_node(rank), seen[node]);
        if (seen[node]++ == 0) {
            EXPECT_EQ(numbers.first_rank_of(static_cast<int>(node)), rank);
        }
    }
}

void expect_right(const std::vector<int32_t>& nodes, int node_count) {
    for (int own = 0; own < static_cast<int>(nodes.size()); ++own) {
        expect_right_of(NodeNumbers(nodes, node_count, own), nodes, node_count, own);
    }
}

TEST(NodeNumbers, EqualNodesNeedNoTable) {
    const std::vector<int32_t> nodes = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    expect_right(nodes, 3);
    const NodeNumbers numbers(nodes, 3, 4);
    EXPECT_EQ(numbers.ranks_per_node(), 3);
    EXPECT_TRUE(numbers.table().empty());
}

TEST(NodeNumbers, OneRank) {
    expect_right({0}, 1);
}

TEST(NodeNumbers, NodesOfDifferentSizes) {
    const std::vector<int32_t> nodes = {0, 0, 0, 1, 2, 2};
    expect_right(nodes, 3);
    EXPECT_EQ(NodeNumbers(nodes, 3, 0).ranks_per_node(), 0);
}

TEST(NodeNumbers, RanksDealtOut) {
    const std::vector<int32_t> nodes = {0, 1, 2, 0, 1, 2};
    expect_right(nodes, 3);
    EXPECT_EQ(NodeNumbers(nodes, 3, 0).ranks_per_node(), 0);
}

// The node's memory has the table once, and each process gives up its own.
TEST(NodeNumbers, ProcessesOfANodeShareTheTable) {
    const std::vector<int32_t> nodes = {0, 1, 0, 2, 1};
    std::vector<int32_t> shared(nodes.size());
    NodeNumbers numbers(nodes, 3, 4);
    EXPECT_GE(numbers.table().own_bytes(), sizeof nodes[0] * nodes.size());
    std::ranges::copy(numbers.table().by_rank(), shared.begin());
    numbers.table().use_copy(shared.data());
    EXPECT_EQ(numbers.table().own_bytes(), 0U);
    EXPECT_EQ(numbers.table().by_rank().data(), shared.data());
    expect_right_of(numbers, nodes, 3, 4);
    const NodeNumbers copy = numbers;
    expect_right_of(copy, nodes, 3, 4);
}

}  // namespace
}  // namespace armci::test
