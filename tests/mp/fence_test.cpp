// SPDX-License-Identifier: BSD-3-Clause
// Remote completion: after a fence and a plain MPI message the target finds the data by plain
// loads.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cstring>

#include "armci/armcix.h"
#include "support/check.h"
#include "support/playground.h"

namespace armci::mp {
namespace {

// Sends the expected contents of my area at my right neighbour, as the message that the data is
// there. Checks the left neighbour's area in my own slice when its message arrives.
void check_at_neighbour(Playground& ground, const std::string& what) {
    const std::vector<char>& sent = ground.expected_remote(right());
    std::vector<char> expected(sent.size());
    exchange(sent.data(), right(), expected.data(), left(), static_cast<int64_t>(sent.size()));
    const char* found = ground.remote(me()) + (left() - me()) * ground.area_bytes();
    expect_same_bytes(expected.data(), found, ground.area_bytes(), what);
    sync();
}

constexpr int64_t kFenceArea = 128 * 1024;

// Random operations to the neighbour, then the fence under test, then the message.
template <typename FenceCall>
void check_fence(FenceCall fence, const std::vector<Verb>& verbs, bool blocking, int64_t largest,
                 const std::string& what) {
    Playground ground(kFenceArea, kFenceArea, ARMCI_ACC_INT);
    Rng rng = rank_rng();
    for (int64_t round = 0; round < scaled(24); ++round) {
        const int64_t operations = rng.between(1, 6);
        const int64_t lane_bytes = kFenceArea / operations / 64 * 64;
        for (int64_t i = 0; i < operations; ++i) {
            Transfer transfer;
            transfer.verb = rng.pick(verbs);
            transfer.type = ARMCI_ACC_INT;
            transfer.scale = random_scale(element_type(ARMCI_ACC_INT), rng);
            Room room =
                room_for(transfer.verb, ground, ARMCI_ACC_INT, std::min(largest, lane_bytes / 2));
            room.local_bytes = room.remote_bytes = lane_bytes;
            transfer.shape = random_shape(rng, room).shifted(i * lane_bytes, i * lane_bytes);
            armci_hdl_t forgotten;
            ARMCI_INIT_HANDLE(&forgotten);
            EXPECT_EQ(issue(transfer, ground.local(), ground.remote(right()), right(), blocking,
                            rng.chance(50) ? &forgotten : nullptr),
                      0);
            ground.expect(transfer, right());
        }
        fence(right());
        check_at_neighbour(ground, what + ", round " + std::to_string(round));
        // It has nothing to do: a fence completes the implicit operations remotely.
        ARMCI_WaitAll();
    }
}

void fence_one(int target) {
    ARMCI_Fence(target);
}
void fence_all(int) {
    ARMCI_AllFence();
}

// promise: order.fence-and-message, fence.completes, fence.all-completes
TEST(Fence, CompletesBlockingPuts) {
    check_fence(fence_one, {Verb::put}, true, 2000, "puts and Fence");
    check_fence(fence_all, {Verb::put}, true, kFenceArea, "puts and AllFence");
}

// promise: fence.completes, fence.all-completes
TEST(Fence, CompletesBlockingAccumulates) {
    check_fence(fence_one, {Verb::acc}, true, kFenceArea, "accumulates and Fence");
    check_fence(fence_all, {Verb::acc}, true, 2000, "accumulates and AllFence");
}

// promise: fence.completes, fence.all-completes, implicit.fenced-puts
TEST(Fence, CompletesMixedNonBlockingOperations) {
    check_fence(fence_one, {Verb::put, Verb::acc}, false, kFenceArea, "non-blocking and Fence");
    check_fence(fence_all, {Verb::put, Verb::acc}, false, 2000, "non-blocking and AllFence");
}

// Usually a program waits first and then calls the fence.
TEST(Fence, CompletesWaitedNonBlockingOperations) {
    check_fence(
        [](int target) {
            ARMCI_WaitProc(target);
            ARMCI_Fence(target);
        },
        {Verb::put, Verb::acc}, false, kFenceArea, "waited non-blocking and Fence");
}

// One byte, again and again: the shortest operation that could be late. What the fence needs is
// done before it.
template <typename Begin, typename FenceCall>
void check_single_bytes(Begin begin, FenceCall fence) {
    GlobalMemory memory(nproc());
    std::memset(memory.mine(), 0, static_cast<size_t>(nproc()));
    ARMCI_Barrier();
    for (int64_t round = 1; round <= scaled(80); ++round) {
        char value = static_cast<char>(round);
        begin();
        ARMCI_Put(&value, memory.at(right(), me()), 1, right());
        fence();
        char expected = 0;
        exchange(&value, right(), &expected, left(), 1);
        const volatile char* found = memory.mine() + left();
        EXPECT_EQ(*found, expected) << "round " << round;
        sync();
    }
}

// promise: fence.completes
TEST(Fence, CompletesSingleBytes) {
    check_single_bytes([] {}, [] { ARMCI_Fence(right()); });
}

// A put that is usually alone between two fences travels in a way of its own. The source may change
// as soon as the put has returned.
// promise: fence.completes, completion.blocking-frees-source
TEST(Fence, CompletesPutsThatAreAlone) {
    constexpr int64_t kLengths[] = {1, 8, 200, 2048, 2049, 4096, 4097, 10000, 30000, 70000};
    constexpr int64_t kLargest = 70000;
    GlobalMemory memory(kLargest);
    std::vector<char> source(kLargest);
    const auto value_of = [](int rank, int64_t length, int64_t round) {
        return static_cast<char>(1 + (rank + length + 3 * round) % 100);
    };
    for (const int64_t length : kLengths) {
        std::memset(memory.mine(), 0, kLargest);
        ARMCI_Barrier();
        for (int64_t round = 0; round < scaled(16); ++round) {
            std::memset(source.data(), value_of(me(), length, round), source.size());
            ARMCI_Put(source.data(), memory.at(right()), static_cast<int>(length), right());
            std::memset(source.data(), -1, source.size());
            ARMCI_Fence(right());
            sync();
            const std::vector<char> expected(static_cast<size_t>(length),
                                             value_of(left(), length, round));
            ASSERT_TRUE(expect_same_bytes(
                expected.data(), memory.mine(), length,
                std::to_string(length) + " bytes, round " + std::to_string(round)));
            sync();
        }
    }
}

// With mutexes of the rank that is written to, and of another one. A mutex is locked before the
// put, because the answer to that tells that earlier operations are complete.
// promise: unlock.completes
TEST(Fence, UnlockCompletesSingleBytes) {
    ASSERT_EQ(ARMCI_Create_mutexes(1), 0);
    for (const int owner : {right(), left()}) {
        check_single_bytes([owner] { ARMCI_Lock(0, owner); }, [owner] { ARMCI_Unlock(0, owner); });
    }
    EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
}

// All ranks write to all ranks. The barrier is fence and synchronisation in one.
// promise: barrier.completes
TEST(Fence, BarrierCompletesEverything) {
    constexpr int64_t kWords = 64;
    GlobalMemory memory(kWords * nproc() * static_cast<int64_t>(sizeof(long)));
    std::vector<long> source(kWords);
    for (int64_t round = 0; round < scaled(40); ++round) {
        for (int target = 0; target < nproc(); ++target) {
            for (int64_t i = 0; i < kWords; ++i) {
                source[static_cast<size_t>(i)] = round * 1000000 + me() * 1000 + target * 100 + i;
            }
            ARMCI_Put(source.data(), memory.element<long>(target, me() * kWords),
                      kWords * static_cast<int>(sizeof(long)), target);
        }
        ARMCI_Barrier();
        for (int origin = 0; origin < nproc(); ++origin) {
            for (int64_t i = 0; i < kWords; ++i) {
                ASSERT_EQ(*memory.element<long>(me(), origin * kWords + i),
                          round * 1000000 + origin * 1000 + me() * 100 + i)
                    << "round " << round << ", origin " << origin;
            }
        }
        ARMCI_Barrier();
    }
}

// A fence of any rank that has nothing to wait for sends nothing.
// promise: fence.cheap, stats.fences
TEST(Fence, SendsNothingWhenNothingIsPending) {
    GlobalMemory memory(100000);
    std::vector<char> source(100000);
    ARMCI_Put(source.data(), memory.at(right()), 100000, right());
    ARMCI_PutValueInt(1, memory.at(left()), left());
    ARMCI_AllFence();
    armcix_stats_t before;
    armcix_stats_t after;
    ARMCIX_Stats(&before, sizeof before);
    for (int round = 0; round < 100; ++round) {
        for (int target = 0; target < nproc(); ++target) {
            ARMCI_Fence(target);
        }
        ARMCI_AllFence();
    }
    ARMCIX_Stats(&after, sizeof after);
    EXPECT_EQ(after.fences, before.fences);
    // The data server is asked at most once about the frames it was sent. Its answer may have come
    // before the first fence, where a put waits until its frame has left.
    ARMCI_PutValueInt(2, memory.at(right()), right());
    ARMCI_Fence(right());
    ARMCI_Fence(right());
    ARMCIX_Stats(&after, sizeof after);
    EXPECT_LE(after.fences - before.fences, 1U);
    sync();
}

// ---- Calls that include a fence ----

// Fence of a group of the caller and its right neighbour, which the caller creates alone.
// promise: fence.group
TEST(Fence, GroupFenceCompletesOperationsToItsMembers) {
    ARMCI_Group mine;
    for (int first = 0; first < nproc() && nproc() > 1; ++first) {
        int members[2] = {first, (first + 1) % nproc()};
        if (me() == members[0] || me() == members[1]) {
            ARMCI_Group group;
            ARMCI_Group_create(2, members, &group);
            if (me() == first) {
                mine = group;
            }
        }
    }
    if (nproc() == 1) {
        ARMCI_Group_get_world(&mine);
    }
    const auto fence = [&](int) { ARMCI_GroupFence(&mine); };
    check_fence(fence, {Verb::put, Verb::acc}, true, kFenceArea, "blocking and GroupFence");
    check_fence(fence, {Verb::put, Verb::acc}, false, kFenceArea, "non-blocking and GroupFence");
}

// Free of memory that is not used, by all ranks or by the caller alone.
// promise: free.completes-everything
TEST(Fence, FreeCompletesEverything) {
    ARMCI_Group alone;
    ARMCI_Group_create(1, std::vector<int>{me()}.data(), &alone);
    int round = 0;
    check_fence(
        [&](int) {
            void* of_group = nullptr;
            std::vector<void*> of_all(static_cast<size_t>(nproc()));
            ARMCI_Group world;
            ARMCI_Group_get_world(&world);
            switch (round++ % 3) {
                case 0:
                    ASSERT_EQ(ARMCI_Malloc(of_all.data(), 64), 0);
                    ARMCI_Free(of_all[static_cast<size_t>(me())]);
                    break;
                case 1:
                    ASSERT_EQ(ARMCI_Malloc_group(of_all.data(), 64, &world), 0);
                    ARMCI_Free_group(of_all[static_cast<size_t>(me())], &world);
                    break;
                default:
                    ASSERT_EQ(ARMCI_Malloc_group(&of_group, 64, &alone), 0);
                    ARMCI_Free_group(of_group, &alone);
                    break;
            }
        },
        {Verb::put, Verb::acc}, false, kFenceArea, "non-blocking and Free");
    ARMCI_Group_free(&alone);
}

// No rank leaves before the last one has arrived.
// promise: barrier.waits-for-all
TEST(Fence, BarrierWaitsForAll) {
    GlobalMemory memory(sizeof(long));
    *memory.element<long>(me()) = 0;
    ARMCI_Barrier();
    for (long round = 1; round <= scaled(80); ++round) {
        long old = 0;
        if (me() == round % nproc()) {
            sched_yield();
        }
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, memory.at(0), 1, 0);
        ARMCI_Barrier();
        EXPECT_GE(ARMCI_GetValueLong(memory.at(0), 0), round * nproc());
    }
    ARMCI_Barrier();
}

// What a rank writes to itself is complete after Fence(me), also for a third rank's get.
TEST(Fence, OwnSliceIsCompleteForOthers) {
    GlobalMemory memory(1024);
    std::vector<char> source(1024);
    for (int64_t round = 0; round < scaled(40); ++round) {
        std::memset(source.data(), static_cast<int>(round + me()) & 0x7f, source.size());
        ARMCI_Put(source.data(), memory.mine(), 1024, me());
        ARMCI_Fence(me());
        sync();
        std::vector<char> expected(1024, static_cast<char>((round + right()) & 0x7f));
        std::vector<char> found(1024);
        ARMCI_Get(memory.at(right()), found.data(), 1024, right());
        expect_same_bytes(expected.data(), found.data(), 1024, "own put read by another rank");
        sync();
    }
}

// A third rank sees fenced data by a get as well.
// promise: order.fence-and-message
TEST(Fence, ThirdRankGetsFencedData) {
    GlobalMemory memory(1024 * nproc());
    std::vector<char> source(1024);
    const int beyond = (me() + 2) % nproc();
    for (int64_t round = 0; round < scaled(40); ++round) {
        std::memset(source.data(), static_cast<int>(round * 3 + me()) & 0x7f, source.size());
        ARMCI_Put(source.data(), memory.at(right(), 1024 * me()), 1024, right());
        ARMCI_Fence(right());
        sync();
        // `beyond` was written by my right neighbour.
        std::vector<char> expected(1024, static_cast<char>((round * 3 + right()) & 0x7f));
        std::vector<char> found(1024);
        ARMCI_Get(memory.at(beyond, 1024 * right()), found.data(), 1024, beyond);
        expect_same_bytes(expected.data(), found.data(), 1024, "another rank's fenced put");
        sync();
    }
}

}  // namespace
}  // namespace armci::mp
