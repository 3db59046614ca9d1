// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress/rank_servers.h"

#include <utility>
#include <vector>

namespace armci::core {

void RankServers::start(const World& world, const pipeline::ServerNumbers& servers) {
    per_node_ = servers.per_node;
    table_ = {};
    if (world.has_regular_nodes()) {
        ranks_per_node_ = world.node_of.ranks_per_node();
    } else {
        std::vector<int32_t> counts(static_cast<size_t>(world.node_count));
        for (int rank = 0; rank < world.size; ++rank) {
            ++counts[static_cast<size_t>(world.node_of[rank])];
        }
        std::vector<int32_t> seen(counts.size());
        std::vector<int32_t> table;
        table.reserve(static_cast<size_t>(world.size));
        for (int rank = 0; rank < world.size; ++rank) {
            const int node = world.node_of[rank];
            const auto place = static_cast<size_t>(node);
            table.push_back(
                servers.first_of(node) +
                static_cast<int32_t>(int64_t{seen[place]++} * per_node_ / counts[place]));
        }
        table_ = RankTable(std::move(table));
    }
    hosted_ = is_host(world, world.rank_in_node) ? of(world.rank) : -1;
}

}  // namespace armci::core
