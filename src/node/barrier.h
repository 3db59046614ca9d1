// SPDX-License-Identifier: BSD-3-Clause
// The barrier among ranks of a node: all of them, or the members of a group there. Each rank has a
// flag in a cache line of its own, raises it and polls the flags of the others. So no single rank
// must get a processor before the rest can go on, and between two ranks no more than one line
// travels each way. (The barrier of docs/references.md: Buntinas 2007 has one flag that all watch,
// and so one more trip.)
//
// A flag holds the number of the last barrier that its rank has reached. It may be one ahead of the
// number of a reader that has not left the barrier before. Numbers wrap, so they are compared by
// distance. (Where they wrap, one wake-up may be missed; sleepers look again after their time.) The
// store that raises a flag pairs with the loads of it: everything written before the barrier on any
// rank is visible after it on all.
//
// A rank tells the others what it has come for, so that ranks in different calls do not take each
// other's barriers for their own, and may bring a few words. Both lie in the line of its flag and
// so cost the others nothing more. They have two places in turn: the rank may be one barrier ahead
// of a reader, but never two.
//
// Between nodes the first rank then meets those of other nodes, and releases its own afterwards.
//
// A rank that waits long may sleep until a barrier is complete. It counts itself in `sleepers` and
// then looks at the flags once more. A rank that finds the barrier complete looks at `sleepers`
// afterwards, behind a fence. So either the last rank to arrive, which finds all flags raised, sees
// the sleeper, or the sleeper sees its flag.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace armci::node {

// What a rank tells the others at a barrier.
using BarrierWords = std::array<int64_t, 3>;

// A flag is zero at the start.
struct alignas(64) BarrierFlag {
    uint32_t number;
    // Of barriers with an even and with an odd number.
    uint8_t purposes[2];
    BarrierWords words[2];
};
static_assert(sizeof(BarrierFlag) == 64);

struct BarrierState {
    static constexpr int kMaxRanks = 1 << 12;

    alignas(64) std::atomic<uint32_t> sleepers{0};
    alignas(64) std::atomic<uint32_t> complete{0};  // the last one of which sleepers were woken
    alignas(64) std::atomic<uint32_t> released{0};
};

class NodeBarrier {
  public:
    NodeBarrier() = default;
    // Makes the barrier for `rank` of rank_count ranks, each of which has a flag.
    NodeBarrier(BarrierState* state, BarrierFlag* flags, int rank, int rank_count)
        : state_(state),
          flags_(flags),
          rank_(rank),
          rank_count_(rank_count),
          number_(flags[rank].number) {}

    int rank_count() const { return rank_count_; }

    // Announces this rank, which then polls all_arrived(). `purpose` is a number that all ranks
    // choose alike.
    void arrive(uint8_t purpose);
    // Does the same and tells the others these words. All ranks with that purpose do so.
    void arrive_with(uint8_t purpose, const BarrierWords& words);
    bool all_arrived();
    // These are called after all_arrived() and before this rank arrives at the next barrier.
    // The first rank that has come for another purpose than this one. -1: all came for the same.
    int rank_with_other_purpose() const { return other_; }
    uint8_t purpose_of(int rank) const { return flags_[rank].purposes[number_ % 2]; }
    // Returns the largest of each word that the ranks have brought.
    BarrierWords largest_words() const;
    // Sleeps until all have arrived, for at most timeout_us; it may return earlier.
    void sleep_until_all_arrived(int64_t timeout_us);

    // Releases the other ranks of the node. The first rank calls it after it has met those of other
    // nodes.
    void release();
    // The other ranks call these after all_arrived().
    bool released() const;
    void sleep_until_released(int64_t timeout_us);

  private:
    bool has_come(int rank) const;
    bool is_reached(uint32_t number) const { return static_cast<int32_t>(number - number_) >= 0; }
    template <class Done>
    void sleep(std::atomic<uint32_t>& word, int64_t timeout_us, Done&& done);

    BarrierState* state_ = nullptr;
    BarrierFlag* flags_ = nullptr;
    int rank_ = 0;
    int rank_count_ = 1;
    int seen_ = 0;         // ranks, from the first on, that have arrived
    int other_ = -1;       // the first one of these with another purpose
    uint32_t number_ = 0;  // number of this barrier
};

}  // namespace armci::node
