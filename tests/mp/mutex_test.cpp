// SPDX-License-Identifier: BSD-3-Clause
// Mutexes: exclusion, order of the data they protect, creation in every combination, handles of
// sets.
#include <gtest/gtest.h>

#include "armci/armcix.h"
#include "support/global_memory.h"

namespace armci::mp {
namespace {

// Reads, increments and writes back an unprotected counter. There is no fence on purpose.
void increment(long* remote, int target) {
    long value = -1;
    ARMCI_Get(remote, &value, sizeof value, target);
    ++value;
    ARMCI_Put(&value, remote, sizeof value, target);
}

long read(long* remote, int target) {
    long value = -1;
    ARMCI_Get(remote, &value, sizeof value, target);
    return value;
}

// Get, Put, Unlock in the critical section give an exact count, on whichever ranks mutex and
// counter are.
// promise: mutex.excludes, unlock.completes
TEST(Mutex, ProtectsAContendedCounter) {
    GlobalMemory memory(sizeof(long));
    ASSERT_EQ(ARMCI_Create_mutexes(1), 0);
    const int64_t rounds = scaled(50);
    for (int owner = 0; owner < nproc(); ++owner) {
        const int target = (owner + 1) % nproc();
        *memory.element<long>(me()) = 0;
        ARMCI_Barrier();
        for (int64_t i = 0; i < rounds; ++i) {
            ARMCI_Lock(0, owner);
            increment(memory.element<long>(target), target);
            ARMCI_Unlock(0, owner);
        }
        ARMCI_Barrier();
        EXPECT_EQ(*memory.element<long>(me()), me() == target ? rounds * nproc() : 0);
        ARMCI_Barrier();
    }
    EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
}

// A rank that acquires the lock sees what the previous holder wrote, at every target.
// promise: mutex.previous-holder
TEST(Mutex, DataOfThePreviousHolderIsVisible) {
    GlobalMemory memory(static_cast<int64_t>(sizeof(long)));
    *memory.element<long>(me()) = 0;
    ASSERT_EQ(ARMCI_Create_mutexes(me() == 0 ? 1 : 0), 0);
    ARMCI_Barrier();
    const int64_t rounds = scaled(30);
    for (int64_t i = 0; i < rounds; ++i) {
        ARMCI_Lock(0, 0);
        // Under the lock all counters are equal.
        const long expected = read(memory.element<long>(0), 0);
        for (int target = 0; target < nproc(); ++target) {
            EXPECT_EQ(read(memory.element<long>(target), target), expected);
            long next = expected + 1;
            ARMCI_NbPut(&next, memory.element<long>(target), sizeof next, target, nullptr);
            ARMCI_WaitAll();
        }
        ARMCI_Unlock(0, 0);
    }
    ARMCI_Barrier();
    EXPECT_EQ(*memory.element<long>(me()), rounds * nproc());
    EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
}

// Different numbers of mutexes per rank; each protects its own counter.
// promise: mutex.counts
TEST(Mutex, ManyMutexesOfAllOwnersAreIndependent) {
    constexpr int kMax = 6;
    const auto count_of = [](int owner) { return 1 + owner % kMax; };
    GlobalMemory memory(kMax * static_cast<int64_t>(sizeof(long)));
    std::fill_n(memory.element<long>(me()), kMax, 0);
    ASSERT_EQ(ARMCI_Create_mutexes(count_of(me())), 0);
    ARMCI_Barrier();
    Rng rng = rank_rng();
    std::vector<long> mine(static_cast<size_t>(nproc() * kMax), 0);
    for (int64_t i = 0; i < scaled(200); ++i) {
        const int owner = static_cast<int>(rng.between(0, nproc() - 1));
        const int mutex = static_cast<int>(rng.between(0, count_of(owner) - 1));
        ARMCI_Lock(mutex, owner);
        increment(memory.element<long>(owner, mutex), owner);
        ARMCI_Unlock(mutex, owner);
        ++mine[static_cast<size_t>(owner * kMax + mutex)];
    }
    sum_over_ranks(mine);
    ARMCI_Barrier();
    for (int mutex = 0; mutex < kMax; ++mutex) {
        EXPECT_EQ(memory.element<long>(me())[mutex], mine[static_cast<size_t>(me() * kMax + mutex)])
            << "mutex " << mutex;
    }
    EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
}

// A rank may hold several mutexes at once, taken in a common order.
TEST(Mutex, RankHoldsSeveralMutexes) {
    GlobalMemory memory(static_cast<int64_t>(sizeof(long)));
    *memory.element<long>(me()) = 0;
    ASSERT_EQ(ARMCI_Create_mutexes(2), 0);
    ARMCI_Barrier();
    const int64_t rounds = scaled(20);
    for (int64_t i = 0; i < rounds; ++i) {
        ARMCI_Lock(1, 0);
        ARMCI_Lock(0, nproc() - 1);
        increment(memory.element<long>(0), 0);
        ARMCI_Unlock(1, 0);
        ARMCI_Unlock(0, nproc() - 1);
    }
    ARMCI_Barrier();
    EXPECT_EQ(*memory.element<long>(me()), me() == 0 ? rounds * nproc() : 0);
    EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
}

// promise: mutex.counts
TEST(Mutex, AllRanksCreateNone) {
    EXPECT_EQ(ARMCI_Create_mutexes(0), 0);
    EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
}

// promise: mutex.destroy, mutex.counts
TEST(Mutex, CreateAndDestroyInCycles) {
    for (int cycle = 0; cycle < 8; ++cycle) {
        const int owner = cycle % nproc();
        ASSERT_EQ(ARMCI_Create_mutexes(me() == owner ? 1 + 100 * cycle : 0), 0);
        const int last = 100 * cycle;
        ARMCI_Lock(last, owner);
        ARMCI_Unlock(last, owner);
        EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
    }
}

// Several sets exist at the same time as the plain mutexes.
// promise: mutex-set.several, mutex-set.counts
TEST(MutexSet, SetsAreIndependent) {
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    GlobalMemory memory(2 * static_cast<int64_t>(sizeof(long)));
    std::fill_n(memory.element<long>(me()), 2, 0);
    ASSERT_EQ(ARMCI_Create_mutexes(1), 0);
    armcix_mutex_hdl_t first = ARMCIX_Create_mutexes_hdl(2, &world);
    armcix_mutex_hdl_t second = ARMCIX_Create_mutexes_hdl(me() == 0 ? 1 : 0, &world);
    ARMCI_Barrier();
    const int64_t rounds = scaled(20);
    const int last = nproc() - 1;
    for (int64_t i = 0; i < rounds; ++i) {
        ARMCIX_Lock_hdl(first, 1, last);
        ARMCI_Lock(0, 0);
        ARMCI_Unlock(0, 0);
        increment(memory.element<long>(0, 0), 0);
        ARMCIX_Unlock_hdl(first, 1, last);
        ARMCIX_Lock_hdl(second, 0, 0);
        increment(memory.element<long>(0, 1), 0);
        ARMCIX_Unlock_hdl(second, 0, 0);
    }
    ARMCI_Barrier();
    const long expected = me() == 0 ? rounds * nproc() : 0;
    EXPECT_EQ(memory.element<long>(me())[0], expected);
    EXPECT_EQ(memory.element<long>(me())[1], expected);
    EXPECT_EQ(ARMCIX_Destroy_mutexes_hdl(second), 0);
    EXPECT_EQ(ARMCIX_Destroy_mutexes_hdl(first), 0);
    EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
}

// Trylock reports busy while another rank holds the mutex, and acquires it when it is free.
// promise: mutex-set.trylock, unlock.fenced
TEST(MutexSet, TrylockTakesOnlyFreeMutexes) {
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(1, &world);
    for (int holder = 0; holder < nproc(); ++holder) {
        for (int owner = 0; owner < nproc(); ++owner) {
            if (me() == holder) {
                EXPECT_EQ(ARMCIX_Trylock_hdl(set, 0, owner), 0) << "no rank holds it";
            }
            sync();
            if (me() != holder) {
                EXPECT_NE(ARMCIX_Trylock_hdl(set, 0, owner), 0) << "rank " << holder << " holds it";
            }
            sync();
            if (me() == holder) {
                ARMCIX_Unlock_hdl(set, 0, owner);
            }
            ARMCI_Barrier();  // the release is under way when Unlock returns; a fence waits for it
        }
    }
    EXPECT_EQ(ARMCIX_Destroy_mutexes_hdl(set), 0);
}

// A failed Trylock has no effect: the counter stays exact when Lock and Trylock are mixed.
// promise: mutex-set.trylock
TEST(MutexSet, TrylockUnderContentionLeavesNothingBehind) {
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    GlobalMemory memory(static_cast<int64_t>(sizeof(long)));
    *memory.element<long>(me()) = 0;
    armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(1, &world);
    ARMCI_Barrier();
    std::vector<long> entered = {0};
    for (int64_t i = 0; i < scaled(60); ++i) {
        if (i % 3 == 0) {
            ARMCIX_Lock_hdl(set, 0, 0);
        } else if (ARMCIX_Trylock_hdl(set, 0, 0) != 0) {
            continue;
        }
        increment(memory.element<long>(0), 0);
        ++entered[0];
        ARMCIX_Unlock_hdl(set, 0, 0);
    }
    sum_over_ranks(entered);
    ARMCI_Barrier();
    EXPECT_EQ(*memory.element<long>(me()), me() == 0 ? entered[0] : 0);
    EXPECT_EQ(ARMCIX_Destroy_mutexes_hdl(set), 0);
}

// A set belongs to a group, but ranks are always ranks of the world.
// promise: mutex-set.world-ranks, mutex-set.counts
TEST(MutexSet, BelongsToASubgroup) {
    if (nproc() < 2) {
        GTEST_SKIP() << "needs 2 ranks";
    }
    GlobalMemory memory(static_cast<int64_t>(sizeof(long)));
    *memory.element<long>(me()) = 0;
    ARMCI_Barrier();
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    ARMCI_Group parity;
    ASSERT_EQ(ARMCIX_Group_split(&world, me() % 2, me(), &parity), 0);
    int members = 0;
    ARMCI_Group_size(&parity, &members);
    const int leader = me() % 2;
    armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(me() == leader ? 3 : 0, &parity);
    const int64_t rounds = scaled(20);
    for (int64_t i = 0; i < rounds; ++i) {
        ARMCIX_Lock_hdl(set, 2, leader);
        increment(memory.element<long>(leader), leader);
        ARMCIX_Unlock_hdl(set, 2, leader);
    }
    EXPECT_EQ(ARMCIX_Destroy_mutexes_hdl(set), 0);
    ARMCI_Barrier();
    EXPECT_EQ(*memory.element<long>(me()), me() == leader ? rounds * members : 0);
    ARMCI_Group_free(&parity);
}

}  // namespace
}  // namespace armci::mp
