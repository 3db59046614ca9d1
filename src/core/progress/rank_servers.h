// SPDX-License-Identifier: BSD-3-Clause
// Which data server has the memory of which rank. The ranks of a node are divided into as many
// blocks of neighbours as it has servers, and each server is in the first process of its block. So
// it is near their memory where a launcher places neighbours together. All memory of one rank is
// with one server, so servers never have to agree on an order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/job/rank_table.h"
#include "core/job/world.h"
#include "pipeline/buffers/server_numbers.h"

namespace armci::core {

class RankServers {
  public:
    void start(const World& world, const pipeline::ServerNumbers& servers);

    int of(int rank) const {
        return table_.empty() ? static_cast<int>(int64_t{rank} * per_node_ / ranks_per_node_)
                              : table_[rank];
    }
    // Returns whether the process with that place among the ranks of this node runs a server.
    bool is_host(const World& world, int rank_in_node) const {
        const auto place = static_cast<size_t>(rank_in_node);
        return place == 0 || of(world.node_ranks[place - 1]) != of(world.node_ranks[place]);
    }
    // By rank; it is empty where all nodes have equally many, in order.
    RankTable& table() { return table_; }
    const RankTable& table() const { return table_; }
    // Returns the server that this process is to run, or -1.
    int hosted() const { return hosted_; }

  private:
    int per_node_ = 1;
    int ranks_per_node_ = 1;
    int hosted_ = -1;
    RankTable table_;
};

}  // namespace armci::core
