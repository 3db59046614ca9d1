// SPDX-License-Identifier: BSD-3-Clause
// Which data server has the memory of which rank.
#include "core/progress/rank_servers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace armci::core {
namespace {

// The world as that rank sees it. Nodes are numbered by their first ranks.
World world_of(const std::vector<int32_t>& node_of, int rank) {
    World world;
    world.rank = rank;
    world.size = static_cast<int>(node_of.size());
    world.node = node_of[static_cast<size_t>(rank)];
    world.node_count = *std::max_element(node_of.begin(), node_of.end()) + 1;
    world.node_of = {node_of, world.node_count, rank};
    for (int other = 0; other < world.size; ++other) {
        if (node_of[static_cast<size_t>(other)] == world.node) {
            world.rank_in_node += other < rank ? 1 : 0;
            world.node_ranks.push_back(other);
        }
    }
    return world;
}

std::vector<int> servers_of(const std::vector<int32_t>& node_of, int per_node) {
    const World world = world_of(node_of, 0);
    RankServers servers;
    servers.start(world, {world.node_count, per_node});
    std::vector<int> result;
    for (int rank = 0; rank < world.size; ++rank) {
        result.push_back(servers.of(rank));
    }
    return result;
}

TEST(RankServers, OneServerHasAllRanksOfItsNode) {
    EXPECT_EQ(servers_of({0, 0, 1, 1, 2, 2}, 1), (std::vector<int>{0, 0, 1, 1, 2, 2}));
    EXPECT_EQ(servers_of({0, 1, 0, 2, 1}, 1), (std::vector<int>{0, 1, 0, 2, 1}));
}

TEST(RankServers, BlocksOfNeighboursShareAServer) {
    EXPECT_EQ(servers_of({0, 0, 0, 0, 1, 1, 1, 1}, 2), (std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3}));
    EXPECT_EQ(servers_of({0, 0, 0, 1, 1, 1}, 2), (std::vector<int>{0, 0, 1, 2, 2, 3}));
    EXPECT_EQ(servers_of({0, 1, 0, 1, 0, 1, 0, 1}, 2), (std::vector<int>{0, 2, 0, 2, 1, 3, 1, 3}))
        << "ranks are dealt to the nodes in turn";
}

TEST(RankServers, NodesMayHaveDifferentNumbersOfRanks) {
    EXPECT_EQ(servers_of({0, 0, 0, 0, 0, 1, 1}, 2), (std::vector<int>{0, 0, 0, 1, 1, 2, 3}));
}

// Each server is in exactly one process, which is of its node and whose own memory it has, and
// blocks differ by one rank at most.
TEST(RankServers, EachServerHasOneHostAmongItsRanks) {
    std::mt19937 random(5);
    for (int round = 0; round < 300; ++round) {
        const int nodes = 1 + static_cast<int>(random() % 5);
        const int per_node = 1 + static_cast<int>(random() % 6);
        std::vector<int32_t> dealt;
        for (int node = 0; node < nodes; ++node) {
            dealt.insert(dealt.end(), static_cast<size_t>(per_node) + random() % 7, node);
        }
        if (round % 2 == 0) {
            std::shuffle(dealt.begin(), dealt.end(), random);
            std::vector<int32_t> number(static_cast<size_t>(nodes), -1);
            int32_t next = 0;
            for (int32_t& node : dealt) {
                int32_t& known = number[static_cast<size_t>(node)];
                known = known < 0 ? next++ : known;
                node = known;
            }
        }
        std::set<int> hosted;
        std::vector<int> sizes(static_cast<size_t>(nodes * per_node));
        for (int rank = 0; rank < static_cast<int>(dealt.size()); ++rank) {
            const World world = world_of(dealt, rank);
            RankServers servers;
            servers.start(world, {world.node_count, per_node});
            EXPECT_EQ(servers.of(rank) / per_node, world.node);
            ++sizes[static_cast<size_t>(servers.of(rank))];
            EXPECT_EQ(servers.hosted() >= 0, servers.is_host(world, world.rank_in_node));
            if (servers.hosted() >= 0) {
                EXPECT_EQ(servers.hosted(), servers.of(rank));
                EXPECT_TRUE(hosted.insert(servers.hosted()).second) << "two hosts";
            }
        }
        EXPECT_EQ(hosted.size(), sizes.size());
        for (int node = 0; node < nodes; ++node) {
            const auto begin = sizes.begin() + node * per_node;
            const auto [min, max] = std::minmax_element(begin, begin + per_node);
            EXPECT_LE(*max - *min, 1);
        }
    }
}

}  // namespace
}  // namespace armci::core
