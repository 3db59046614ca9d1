// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking operations: explicit, implicit and aggregate handles, many at a time, and their
// rules.
#include <gtest/gtest.h>
#include <sched.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "support/check.h"
#include "support/global_memory.h"
#include "support/playground.h"

namespace armci::mp {
namespace {

constexpr int kLanes = 24;
constexpr int64_t kLaneBytes = 1024;

// Random transfers that may run at the same time: each has a lane of its own in both memories.
class Lanes {
  public:
    Lanes() : ground_(kLanes * kLaneBytes, kLanes * kLaneBytes, ARMCI_ACC_INT) {}

    Playground& ground() { return ground_; }

    Transfer random(Rng& rng, int lane, const std::vector<Verb>& verbs) const {
        Transfer transfer;
        transfer.verb = rng.pick(verbs);
        transfer.type = ARMCI_ACC_INT;
        transfer.scale = random_scale(element_type(ARMCI_ACC_INT), rng);
        Room room = room_for(transfer.verb, ground_, ARMCI_ACC_INT, kLaneBytes / 2);
        room.local_bytes = kLaneBytes;
        room.remote_bytes = kLaneBytes;
        transfer.shape = random_shape(rng, room).shifted(lane * kLaneBytes, lane * kLaneBytes);
        return transfer;
    }

    // Starts the transfer and applies it to the oracle, which is valid once it is waited for.
    void start(const Transfer& transfer, int target, armci_hdl_t* handle) {
        EXPECT_EQ(issue(transfer, ground_.local(), ground_.remote(target), target, false, handle),
                  0);
        ground_.expect(transfer, target);
    }

    void check(const std::string& what) {
        ground_.check_local(what + ", local side");
        for (int target = 0; target < nproc(); ++target) {
            ground_.check_by_get(target, what);
        }
    }

  private:
    Playground ground_;
};

const std::vector<Verb> kAllVerbs = {Verb::put, Verb::get, Verb::acc};

// promise: transfer.descriptors-read, wait.handle, test.result
TEST(NonBlocking, ManyHandlesAreWaitedForInAnyOrder) {
    Lanes lanes;
    Rng rng = rank_rng();
    for (int64_t round = 0; round < scaled(16) && !testing::Test::HasFailure(); ++round) {
        std::vector<armci_hdl_t> handles(kLanes);
        std::vector<size_t> order;
        for (int lane = 0; lane < kLanes; ++lane) {
            armci_hdl_t& handle = handles[static_cast<size_t>(lane)];
            ARMCI_INIT_HANDLE(&handle);
            lanes.start(lanes.random(rng, lane, kAllVerbs),
                        static_cast<int>(rng.between(0, nproc() - 1)), &handle);
            order.push_back(static_cast<size_t>(lane));
        }
        rng.shuffle(order);
        for (const size_t lane : order) {
            if (rng.chance(50)) {
                EXPECT_EQ(ARMCI_Wait(&handles[lane]), 0);
            } else {
                while (ARMCI_Test(&handles[lane]) != 0) {
                }
            }
        }
        lanes.check("handles waited in any order");
    }
    lanes.ground().check_by_owner("handles waited in any order");
}

// promise: implicit.waited, wait.null
TEST(NonBlocking, ImplicitOperationsAreWaitedForByTargetOrTogether) {
    Lanes lanes;
    Rng rng = rank_rng();
    for (int64_t round = 0; round < scaled(16) && !testing::Test::HasFailure(); ++round) {
        for (int lane = 0; lane < kLanes; ++lane) {
            lanes.start(lanes.random(rng, lane, kAllVerbs),
                        static_cast<int>(rng.between(0, nproc() - 1)), nullptr);
        }
        switch (rng.between(0, 2)) {
            case 0:
                for (int target = nproc() - 1; target >= 0; --target) {
                    EXPECT_EQ(ARMCI_WaitProc(target), 0);
                }
                break;
            case 1:
                EXPECT_EQ(ARMCI_WaitAll(), 0);
                break;
            default:
                // Waiting on no handle means waiting for all implicit ones.
                EXPECT_EQ(ARMCI_Wait(nullptr), 0);
                break;
        }
        lanes.check("implicit handles");
    }
    lanes.ground().check_by_owner("implicit handles");
}

// An aggregate handle collects operations of one kind to one target.
// promise: handle.aggregate
TEST(NonBlocking, AggregateHandleCollectsOneKindToOneTarget) {
    Lanes lanes;
    Rng rng = rank_rng();
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    for (int64_t round = 0; round < scaled(16) && !testing::Test::HasFailure(); ++round) {
        const int target = static_cast<int>(rng.between(0, nproc() - 1));
        const std::vector<Verb> verb = {rng.pick(kAllVerbs)};
        for (int lane = 0; lane < kLanes; ++lane) {
            lanes.start(lanes.random(rng, lane, verb), target, &handle);
        }
        EXPECT_EQ(ARMCI_Wait(&handle), 0);
        lanes.check("aggregate handle");
    }
    ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
    lanes.start(lanes.random(rng, 0, kAllVerbs), me(), &handle);
    EXPECT_EQ(ARMCI_Wait(&handle), 0);
    lanes.check("a handle that is no longer aggregate");
    lanes.ground().check_by_owner("aggregate handle");
}

// An aggregate handle takes any mixture of kinds and targets as well.
// promise: handle.aggregate
TEST(NonBlocking, AggregateHandleCollectsAllKindsToAllTargets) {
    Lanes lanes;
    Rng rng = rank_rng();
    for (int64_t round = 0; round < scaled(16) && !testing::Test::HasFailure(); ++round) {
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_SET_AGGREGATE_HANDLE(&handle);
        for (int lane = 0; lane < kLanes; ++lane) {
            lanes.start(lanes.random(rng, lane, kAllVerbs),
                        static_cast<int>(rng.between(0, nproc() - 1)), &handle);
        }
        while (ARMCI_Test(&handle) != 0) {
        }
        lanes.check("aggregate handle of mixed operations");
    }
    lanes.ground().check_by_owner("aggregate handle of mixed operations");
}

// A handle is used again before it was waited for: one wait completes both operations.
// promise: handle.stands-for-both
TEST(NonBlocking, HandleUsedTwiceStandsForBothOperations) {
    Lanes lanes;
    Rng rng = rank_rng();
    for (int64_t round = 0; round < scaled(32) && !testing::Test::HasFailure(); ++round) {
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        for (int lane = 0; lane < 3; ++lane) {
            lanes.start(lanes.random(rng, lane, kAllVerbs),
                        static_cast<int>(rng.between(0, nproc() - 1)), &handle);
        }
        EXPECT_EQ(ARMCI_Wait(&handle), 0);
        lanes.check("a handle issued three times");
    }
    lanes.ground().check_by_owner("a handle issued several times");
}

// Ranks that only call ARMCI_Test make inline progress for each other, even where no data server
// has a thread. (No rank waits in MPI before the barrier.)
// promise: progress.no-thread
TEST(NonBlocking, TestMakesInlineProgressForOthers) {
    std::vector<void*> bases(static_cast<size_t>(nproc()));
    ASSERT_EQ(ARMCI_Malloc(bases.data(), sizeof(int)), 0);
    *static_cast<int*>(bases[static_cast<size_t>(me())]) = me();
    ARMCI_Barrier();
    for (int target = 0; target < nproc(); ++target) {
        int answer = -1;
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_NbGet(bases[static_cast<size_t>(target)], &answer, sizeof answer, target, &handle);
        while (ARMCI_Test(&handle) != 0) {
            sched_yield();
        }
        EXPECT_EQ(answer, target);
    }
    ARMCI_Barrier();
    ARMCI_Free(bases[static_cast<size_t>(me())]);
}

// However many small operations without a handle are under way.
// promise: test.result
TEST(NonBlocking, AHandleWithoutOperationsTestsAsComplete) {
    GlobalMemory memory(sizeof(long));
    sync();
    long value = 1;
    int incomplete = 0;
    for (int i = 0; i < 2000; ++i) {
        ARMCI_NbPut(&value, memory.at(right()), sizeof value, right(),
                    nullptr);  // not on the handle
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        incomplete += ARMCI_Test(&handle) != 0 ? 1 : 0;
    }
    EXPECT_EQ(incomplete, 0);
    ARMCI_WaitAll();  // `value` must stay until then
    sync();
}

// No later call would send them: the test is the last call of the program for a long time.
TEST(NonBlocking, TestedOperationsArriveWithoutFurtherCalls) {
    constexpr int kPuts = 200;
    GlobalMemory memory(kPuts * sizeof(int));
    std::memset(memory.mine(), 0, kPuts * sizeof(int));
    sync();
    std::vector<int> values(static_cast<size_t>(kPuts));
    std::iota(values.begin(), values.end(), 1);
    // Connected, and not the first put for a long time, which would be sent at once.
    ARMCI_PutValueInt(0, memory.at(right()), right());
    ARMCI_Fence(right());
    ARMCI_PutValueInt(0, memory.at(right()), right());
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    for (int i = 0; i < kPuts; ++i) {
        ARMCI_NbPut(&values[static_cast<size_t>(i)], memory.element<int>(right()) + i, sizeof(int),
                    right(), &handle);
    }
    while (ARMCI_Test(&handle) != 0) {
    }
    const volatile int* mine = memory.element<int>(me());
    while (mine[kPuts - 1] != kPuts) {
        sched_yield();
    }
    sync();
}

// A wait makes a handle idle: it may be waited for, tested and used again without
// ARMCI_INIT_HANDLE.
// promise: handle.init, wait.handle, wait.idle, test.result
TEST(NonBlocking, WaitMakesAHandleIdle) {
    Lanes lanes;
    Rng rng = rank_rng();
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    EXPECT_EQ(ARMCI_Wait(&handle), 0);
    EXPECT_EQ(ARMCI_Test(&handle), 0);
    for (int64_t round = 0; round < scaled(32); ++round) {
        lanes.start(lanes.random(rng, 0, kAllVerbs), static_cast<int>(round % nproc()), &handle);
        EXPECT_EQ(ARMCI_Wait(&handle), 0);
        EXPECT_EQ(ARMCI_Wait(&handle), 0);
        EXPECT_EQ(ARMCI_Test(&handle), 0);
        lanes.check("a handle used again");
    }
    lanes.ground().check_by_owner("a handle used again");
}

// A handle that was not initialised counts as idle.
// promise: handle.two-words
TEST(NonBlocking, UninitialisedHandleIsIdle) {
    if (is_checking()) {
        GTEST_SKIP() << "such a handle is reported";
    }
    Lanes lanes;
    Rng rng = rank_rng();
    for (int64_t round = 0; round < scaled(64) && !testing::Test::HasFailure(); ++round) {
        const uint64_t garbage = rng.bits();
        armci_hdl_t handle;
        static_assert(sizeof handle == sizeof garbage);
        std::memcpy(&handle, &garbage, sizeof handle);
        lanes.start(lanes.random(rng, 0, kAllVerbs), static_cast<int>(round % nproc()), &handle);
        EXPECT_EQ(ARMCI_Wait(&handle), 0);
        lanes.check("an uninitialised handle");
    }
    lanes.ground().check_by_owner("an uninitialised handle");
}

// Handles may be forgotten: a fence completes their operations.
// promise: handle.forgotten
TEST(NonBlocking, FenceCompletesForgottenHandles) {
    Lanes lanes;
    Rng rng = rank_rng();
    const std::vector<Verb> one_way = {Verb::put, Verb::acc};
    for (int64_t round = 0; round < scaled(16) && !testing::Test::HasFailure(); ++round) {
        for (int lane = 0; lane < kLanes; ++lane) {
            armci_hdl_t forgotten;
            ARMCI_INIT_HANDLE(&forgotten);
            lanes.start(lanes.random(rng, lane, one_way),
                        static_cast<int>(rng.between(0, nproc() - 1)), &forgotten);
        }
        ARMCI_AllFence();
        lanes.check("forgotten handles");
    }
    lanes.ground().check_by_owner("forgotten handles");
}

// A get that is under way does not delay blocking operations to the same or other targets.
TEST(NonBlocking, GetUnderWayDelaysNoBlockingOperation) {
    Lanes lanes;
    Rng rng = rank_rng();
    for (int64_t round = 0; round < scaled(16) && !testing::Test::HasFailure(); ++round) {
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        lanes.start(lanes.random(rng, 0, {Verb::get}),
                    static_cast<int>(rng.between(0, nproc() - 1)), &handle);
        for (int lane = 1; lane < kLanes; ++lane) {
            const Transfer transfer = lanes.random(rng, lane, kAllVerbs);
            const int target = static_cast<int>(rng.between(0, nproc() - 1));
            EXPECT_EQ(issue(transfer, lanes.ground().local(), lanes.ground().remote(target), target,
                            true, nullptr),
                      0);
            lanes.ground().expect(transfer, target);
        }
        EXPECT_EQ(ARMCI_Wait(&handle), 0);
        lanes.check("blocking operations behind a get");
    }
    lanes.ground().check_by_owner("blocking operations behind a get");
}

// More small gets than share a frame, behind blocking puts to the same words, with each kind of
// end.
TEST(NonBlocking, SmallGetsTogetherSeeThePutsBeforeThem) {
    constexpr int kWords = 700;
    const int target = (me() + 1) % nproc();
    const GlobalMemory memory(kWords * int64_t{sizeof(long)});
    Rng rng = rank_rng();
    ARMCI_Barrier();
    for (long round = 1; round <= scaled(12); ++round) {
        std::vector<long> found(kWords, -1);
        std::vector<armci_hdl_t> handles(kWords);
        armci_hdl_t aggregate;
        ARMCI_INIT_HANDLE(&aggregate);
        ARMCI_SET_AGGREGATE_HANDLE(&aggregate);
        for (int i = 0; i < kWords; ++i) {
            long value = round * kWords + i;
            long* word = memory.element<long>(target, i);
            ARMCI_INIT_HANDLE(&handles[static_cast<size_t>(i)]);
            if (round % 3 != 0 || i % 100 == 0) {
                ARMCI_Put(&value, word, sizeof value, target);
            } else {
                ARMCI_NbPut(&value, word, sizeof value, target, nullptr);
                ARMCI_WaitProc(target);
            }
            armci_hdl_t* const kinds[] = {nullptr, &aggregate, &handles[static_cast<size_t>(i)]};
            ARMCI_NbGet(word, &found[static_cast<size_t>(i)], sizeof value, target, kinds[i % 3]);
        }
        for (armci_hdl_t& handle : handles) {
            if (rng.chance(50)) {
                ARMCI_Wait(&handle);
            } else {
                while (ARMCI_Test(&handle) != 0) {
                }
            }
        }
        ARMCI_Wait(&aggregate);
        if (rng.chance(50)) {
            ARMCI_Fence(target);
        } else {
            ARMCI_WaitAll();
        }
        for (int i = 0; i < kWords; ++i) {
            ASSERT_EQ(found[static_cast<size_t>(i)], round * kWords + i) << "word " << i;
        }
    }
    ARMCI_Barrier();
}

// The first contact with all others at once, by transfers that take all buffers.
TEST(NonBlocking, LargePutsConnectToAllRanksAtOnce) {
    constexpr int64_t kBytes = 256 << 10;
    Playground ground(kBytes, kBytes, kRawBytes);
    Rng rng = rank_rng();
    ground.refill_local(rng);
    for (int target = 0; target < nproc(); ++target) {
        ARMCI_NbPut(ground.local(), ground.remote(target), static_cast<int>(kBytes), target,
                    nullptr);
    }
    ARMCI_WaitAll();
    for (int target = 0; target < nproc(); ++target) {
        std::vector<char> found(static_cast<size_t>(kBytes), 0);
        ARMCI_Get(ground.remote(target), found.data(), static_cast<int>(kBytes), target);
        expect_same_bytes(ground.local(), found.data(), kBytes, "a large put to a stranger");
    }
    ARMCI_Barrier();
}

}  // namespace
}  // namespace armci::mp
