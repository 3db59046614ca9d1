// SPDX-License-Identifier: BSD-3-Clause
// Which node each rank is on. Where every node has equally many consecutive ranks, as launchers
// place them by default, that needs no memory for each rank.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/job/rank_table.h"

namespace armci::core {

class NodeNumbers {
  public:
    NodeNumbers() = default;
    // By rank. Nodes are numbered by their first rank.
    NodeNumbers(std::vector<int32_t> by_rank, int node_count, int own_rank)
        : own_node_(by_rank[static_cast<size_t>(own_rank)]) {
        const auto size = static_cast<int>(by_rank.size());
        const int even = size / node_count;
        bool is_regular = even * node_count == size;
        for (int rank = 0; rank < size && is_regular; ++rank) {
            is_regular = by_rank[static_cast<size_t>(rank)] == rank / even;
        }
        if (is_regular) {
            ranks_per_node_ = even;
            first_here_ = own_node_ * even;
        } else {
            by_rank_ = RankTable(std::move(by_rank));
        }
    }

    int operator[](int rank) const {
        return ranks_per_node_ > 0 ? rank / ranks_per_node_ : by_rank_[rank];
    }
    // Is part of the fast paths, so it does not divide.
    bool is_own(int rank) const {
        return static_cast<unsigned>(rank - first_here_) < static_cast<unsigned>(ranks_per_node_) ||
               (ranks_per_node_ == 0 && by_rank_[rank] == own_node_);
    }
    // Returns 0 if nodes have different numbers of ranks, or ranks that are not consecutive.
    int ranks_per_node() const { return ranks_per_node_; }
    int first_rank_of(int node) const {
        const auto table = by_rank_.by_rank();
        return ranks_per_node_ > 0
                   ? node * ranks_per_node_
                   : static_cast<int>(std::find(table.begin(), table.end(), node) - table.begin());
    }
    // Returns how many ranks of that rank's node come before it.
    int rank_in_node(int rank) const {
        const auto table = by_rank_.by_rank();
        return ranks_per_node_ > 0 ? rank % ranks_per_node_
                                   : static_cast<int>(std::count(
                                         table.begin(), table.begin() + rank, by_rank_[rank]));
    }
    // It is empty if ranks_per_node() says all.
    RankTable& table() { return by_rank_; }
    const RankTable& table() const { return by_rank_; }

  private:
    int ranks_per_node_ = 0;
    int first_here_ = 0;
    int own_node_ = 0;
    RankTable by_rank_;
};

}  // namespace armci::core
