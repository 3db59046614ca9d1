// SPDX-License-Identifier: BSD-3-Clause
// Which ranks of a node have reached the end of the library; the rank that reports the missing ones
// reads it.
//
// Bits are only ever set, and say nothing about other memory. Each start of the library makes a new
// mapping, so nothing clears them.
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
    // Returns true for one caller of the node, which then reports the delay for all of them.
    bool is_mine_to_report() { return !delay_reported.exchange(true, std::memory_order_relaxed); }

  private:
    static uint64_t mask(int rank_in_node) { return uint64_t{1} << (rank_in_node % 64); }
};

}  // namespace armci::node
