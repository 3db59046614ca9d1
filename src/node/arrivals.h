// SPDX-License-Identifier: BSD-3-Clause
// Who of a node has come to the end of the library, for the one who tells of those that have not.
//
// Bits are only ever set, and say nothing about other memory. The mapping is new with each start of
// the library, so nobody clears them.
#pragma once

#include <atomic>
#include <cstdint>

#include "node/barrier.h"

namespace armci::node {

struct Arrivals {
    std::atomic<uint64_t> bits[BarrierState::kMaxRanks / 64] = {};
    std::atomic<bool> delay_reported{false};

    void arrive(int rank_in_node) {
        bits[rank_in_node / 64].fetch_or(mask(rank_in_node), std::memory_order_relaxed);
    }
    bool has_arrived(int rank_in_node) const {
        return (bits[rank_in_node / 64].load(std::memory_order_relaxed) & mask(rank_in_node)) != 0;
    }
    // True for one caller of the node: it tells the user for all of them.
    bool is_mine_to_report() { return !delay_reported.exchange(true, std::memory_order_relaxed); }

  private:
    static uint64_t mask(int rank_in_node) { return uint64_t{1} << (rank_in_node % 64); }
};

}  // namespace armci::node
