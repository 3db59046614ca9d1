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
//
// Who waits long may sleep on the word it watches. It counts itself in `sleepers` first and the
// kernel looks at the word again before it sleeps; who changes the word looks at `sleepers`
// afterwards. Both in sequentially consistent order, so that one of them sees the other.
#pragma once

#include <atomic>
#include <cstdint>

namespace armci::node {

struct BarrierState {
    alignas(64) std::atomic<uint32_t> arrived{0};
    alignas(64) std::atomic<uint32_t> generation{0};
    alignas(64) std::atomic<uint32_t> sleepers{0};
};

class NodeBarrier {
  public:
    NodeBarrier() = default;
    NodeBarrier(BarrierState* state, int rank_count) : state_(state), rank_count_(rank_count) {}

    // Ranks other than the first: announce, then poll released() with the returned token.
    uint32_t arrive();
    bool released(uint32_t token) const;
    // Sleeps until that, or for timeout_us, or shorter.
    void sleep_until_released(uint32_t token, int64_t timeout_us);

    // The first rank: poll all_arrived(), then release().
    bool all_arrived() const;
    void sleep_until_all_arrived(int64_t timeout_us);
    void release();

  private:
    uint32_t others() const { return static_cast<uint32_t>(rank_count_ - 1); }
    void sleep(std::atomic<uint32_t>& word, uint32_t value, int64_t timeout_us);
    void wake(std::atomic<uint32_t>& word);

    BarrierState* state_ = nullptr;
    int rank_count_ = 1;
};

}  // namespace armci::node
