// SPDX-License-Identifier: BSD-3-Clause
// A random mix of all operations, many under way at once, to all targets, checked against an
// oracle.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "support/check.h"
#include "support/playground.h"

namespace armci::mp {

inline constexpr int kLanes = 16;
inline constexpr int64_t kLaneBytes = 4096;

// A lane: a part of local memory and of one target's area, with at most one operation under way.
struct Lane {
    int target = 0;
    bool busy = false;
    bool implicit = false;
    armci_hdl_t handle{};
};

class Mix {
  public:
    explicit Mix(int type, uint64_t stream)
        : type_(type),
          ground_(kLanes * kLaneBytes, kLanes * kLaneBytes, type),
          shared_(kSharedWords * static_cast<int64_t>(sizeof(long))),
          added_(static_cast<size_t>(nproc()) * kSharedWords, 0),
          rng_(rank_rng(stream)) {
        std::fill_n(shared_.element<long>(me()), kSharedWords, 0);
        for (Lane& lane : lanes_) {
            ARMCI_INIT_HANDLE(&lane.handle);
        }
        ARMCI_Barrier();
    }

    void step() {
        const int64_t dice = rng_.between(0, 99);
        if (dice < 45) {
            start(random_lane());
        } else if (dice < 60) {
            blocking(random_lane());
        } else if (dice < 75) {
            wait(random_lane());
        } else if (dice < 87) {
            accumulate_shared();
        } else if (dice < 92) {
            count_shared();
        } else if (dice < 95) {
            ARMCI_Fence(static_cast<int>(rng_.between(0, nproc() - 1)));
        } else if (dice < 97) {
            ARMCI_AllFence();
        } else {
            verify(random_lane());
        }
    }

    // Collective.
    void check() {
        for (Lane& lane : lanes_) {
            wait(lane);
        }
        ground_.check_local("local side of a mix");
        ground_.check_by_owner("a mix of operations");
        sum_over_ranks(added_);
        expect_same_bytes(&added_[static_cast<size_t>(me()) * kSharedWords],
                          shared_.element<long>(me()), kSharedWords * 8, "shared words of a mix");
        sync();
    }

  private:
    // The lower half of the words is for accumulates, the upper half for rmw.
    static constexpr int64_t kSharedWords = 64;

    Lane& random_lane() { return lanes_[rng_.bits() % kLanes]; }

    Transfer random_in_lane(Verb verb, const Lane& lane) {
        const int64_t shift = (&lane - lanes_.data()) * kLaneBytes;
        Transfer transfer;
        transfer.verb = verb;
        Room room = room_for(verb, ground_, type_, kLaneBytes / 2);
        room.local_bytes = room.remote_bytes = kLaneBytes;
        transfer.shape = random_shape(rng_, room).shifted(shift, shift);
        if (verb == Verb::acc) {
            transfer.type = type_;
            transfer.scale = random_scale(element_type(type_), rng_);
        }
        return transfer;
    }

    Verb random_verb() {
        return rng_.pick(std::vector<Verb>{Verb::put, Verb::put, Verb::get, Verb::acc});
    }

    void start(Lane& lane) {
        wait(lane);
        lane.target = static_cast<int>(rng_.between(0, nproc() - 1));
        const Transfer transfer = random_in_lane(random_verb(), lane);
        lane.implicit = rng_.chance(40);
        lane.busy = true;
        EXPECT_EQ(issue(transfer, ground_.local(), ground_.remote(lane.target), lane.target, false,
                        lane.implicit ? nullptr : &lane.handle),
                  0);
        ground_.expect(transfer, lane.target);
    }

    void blocking(Lane& lane) {
        wait(lane);
        lane.target = static_cast<int>(rng_.between(0, nproc() - 1));
        const Transfer transfer = random_in_lane(random_verb(), lane);
        EXPECT_EQ(issue(transfer, ground_.local(), ground_.remote(lane.target), lane.target, true,
                        nullptr),
                  0);
        ground_.expect(transfer, lane.target);
    }

    void wait(Lane& lane) {
        if (!lane.busy) {
            return;
        }
        if (lane.implicit) {
            if (rng_.chance(50)) {
                ARMCI_WaitProc(lane.target);
                forget_implicit(lane.target);
            } else {
                ARMCI_WaitAll();
                forget_implicit(-1);
            }
        } else if (rng_.chance(50)) {
            ARMCI_Wait(&lane.handle);
        } else {
            while (ARMCI_Test(&lane.handle) != 0) {
            }
        }
        lane.busy = false;
    }

    // Implicit operations to `target` (-1: all) have been completed together.
    void forget_implicit(int target) {
        for (Lane& lane : lanes_) {
            if (lane.implicit && (target < 0 || lane.target == target)) {
                lane.busy = false;
            }
        }
    }

    void verify(Lane& lane) {
        wait(lane);
        ground_.check_by_get(lane.target, (&lane - lanes_.data()) * kLaneBytes, kLaneBytes,
                             "a lane of a mix");
    }

    void accumulate_shared() {
        const int target = static_cast<int>(rng_.between(0, nproc() - 1));
        const int64_t count = rng_.between(1, kSharedWords / 2);
        const int64_t first = rng_.between(0, kSharedWords / 2 - count);
        std::vector<long> source(static_cast<size_t>(count));
        long scale = rng_.between(-2, 2);
        for (int64_t i = 0; i < count; ++i) {
            source[static_cast<size_t>(i)] = rng_.between(-1000, 1000);
            added_[static_cast<size_t>(target * kSharedWords + first + i)] +=
                scale * source[static_cast<size_t>(i)];
        }
        ARMCI_Acc(ARMCI_ACC_LNG, &scale, source.data(), shared_.element<long>(target, first),
                  static_cast<int>(count * 8), target);
    }

    void count_shared() {
        const int target = static_cast<int>(rng_.between(0, nproc() - 1));
        const int64_t word = rng_.between(kSharedWords / 2, kSharedWords - 1);
        const int value = static_cast<int>(rng_.between(-5, 5));
        long old = 0;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, shared_.element<long>(target, word), value,
                  target);
        added_[static_cast<size_t>(target * kSharedWords + word)] += value;
    }

    int type_;
    Playground ground_;
    GlobalMemory shared_;
    std::vector<long> added_;
    Rng rng_;
    std::array<Lane, kLanes> lanes_;
};

}  // namespace armci::mp
