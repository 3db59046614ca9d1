// The barrier among the ranks of a node, in two halves so that the first rank can meet the other
// nodes in between (after the shared-memory barrier of the Nemesis paper: one flag word that all
// watch).
//
// `generation` changes once per barrier; `arrived` counts the ranks but the first. The release
// store of `generation` by the first rank pairs with the acquire loads of the others, and their
// release increments of `arrived` with its acquire load: everything written before the barrier on
// any rank is visible after it on all. `arrived` is reset before `generation` moves on, and nobody
// can arrive again before that. Wrap of `generation` is harmless: it is compared for inequality
// only.
#pragma once

#include <atomic>
#include <cstdint>

namespace armci::node {

struct BarrierState {
    alignas(64) std::atomic<uint32_t> arrived{0};
    alignas(64) std::atomic<uint32_t> generation{0};
};

class NodeBarrier {
  public:
    NodeBarrier() = default;
    NodeBarrier(BarrierState* state, int rank_count) : state_(state), rank_count_(rank_count) {}

    // Ranks other than the first: announce, then poll released() with the returned token.
    uint32_t arrive();
    bool released(uint32_t token) const;

    // The first rank: poll all_arrived(), then release().
    bool all_arrived() const;
    void release();

  private:
    BarrierState* state_ = nullptr;
    int rank_count_ = 1;
};

}  // namespace armci::node
