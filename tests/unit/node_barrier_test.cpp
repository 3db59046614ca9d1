// SPDX-License-Identifier: BSD-3-Clause
#include "node/barrier.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "base/backoff.h"
#include "child_process.h"

namespace armci::node::test {
namespace {

using armci::test::ChildProcess;

enum class Wait : uint8_t { polling, sleeping };

// A rank that sleeps does so at once whenever it has to wait, so that a missed wake-up hangs the
// test.
template <class Done, class Sleep>
void wait_until(Wait wait, Done&& done, Sleep&& sleep) {
    constexpr int64_t kSleepUs = 1'000'000'000;
    base::Backoff backoff;
    while (!done()) {
        if (wait == Wait::sleeping) {
            sleep(kSleepUs);
        } else {
            backoff.pause();
        }
    }
}

// Both halves, as between nodes.
void pass(NodeBarrier& barrier, int rank, Wait wait) {
    barrier.arrive(1);
    wait_until(
        wait, [&] { return barrier.all_arrived(); },
        [&](int64_t us) { barrier.sleep_until_all_arrived(us); });
    if (rank == 0) {
        barrier.release();
        return;
    }
    wait_until(
        wait, [&] { return barrier.released(); },
        [&](int64_t us) { barrier.sleep_until_released(us); });
}

// The numbers are not atomic on purpose. There are two sets, because a rank that has passed one
// barrier may write for the next while others still read.
template <int kRanks>
struct Shared {
    BarrierState state;
    BarrierFlag flags[kRanks] = {};
    int arrived_in[2][kRanks] = {};
};

template <int kRanks>
std::vector<NodeBarrier> ranks_of(Shared<kRanks>& shared) {
    std::vector<NodeBarrier> ranks;
    for (int rank = 0; rank < kRanks; ++rank) {
        ranks.emplace_back(&shared.state, shared.flags, rank, kRanks);
    }
    return ranks;
}

// Every rank must see every other in the same round, right after the barrier. The second half of
// the barrier is used in two rounds of four only, and words are in the others. Returns how often
// something was wrong.
template <int kRanks>
int run_rounds(Shared<kRanks>& shared, int rank, int rounds, Wait wait = Wait::polling) {
    NodeBarrier barrier(&shared.state, shared.flags, rank, kRanks);
    int wrong = 0;
    for (int round = 1; round <= rounds; ++round) {
        int* in_round = shared.arrived_in[round % 2];
        in_round[rank] = round;
        if (round % 4 < 2) {
            pass(barrier, rank, wait);
        } else {
            barrier.arrive_with(2, {round * kRanks + rank, -rank, round});
            wait_until(
                wait, [&] { return barrier.all_arrived(); },
                [&](int64_t us) { barrier.sleep_until_all_arrived(us); });
            const BarrierWords largest = {round * kRanks + kRanks - 1, 0, round};
            wrong += barrier.largest_words() != largest ? 1 : 0;
        }
        wrong += barrier.rank_with_other_purpose() >= 0 ? 1 : 0;
        for (int other = 0; other < kRanks; ++other) {
            wrong += in_round[other] != round ? 1 : 0;
        }
    }
    return wrong;
}

template <int kRanks>
void run_threads(Shared<kRanks>& shared, int rounds, Wait wait = Wait::polling) {
    int wrong[kRanks] = {};
    std::vector<std::thread> threads;
    for (int rank = 1; rank < kRanks; ++rank) {
        threads.emplace_back([&, rank] { wrong[rank] = run_rounds(shared, rank, rounds, wait); });
    }
    wrong[0] = run_rounds(shared, 0, rounds, wait);
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (int rank = 0; rank < kRanks; ++rank) {
        EXPECT_EQ(wrong[rank], 0) << "rank " << rank;
    }
    EXPECT_EQ(shared.state.sleepers.load(), 0U);
}

TEST(NodeBarrier, SingleRankDoesNotWait) {
    const auto shared = std::make_unique<Shared<1>>();
    NodeBarrier barrier(&shared->state, shared->flags, 0, 1);
    for (int round = 0; round < 3; ++round) {
        barrier.arrive(1);
        EXPECT_TRUE(barrier.all_arrived());
    }
}

// Each of the ranks is the last one in some round.
TEST(NodeBarrier, NoRankPassesBeforeTheLastArrives) {
    constexpr int kRanks = 3;
    const auto shared = std::make_unique<Shared<kRanks>>();
    std::vector<NodeBarrier> ranks = ranks_of(*shared);
    for (int round = 0; round < 2 * kRanks; ++round) {
        const int last = round % kRanks;
        for (int next = 1; next < kRanks; ++next) {
            ranks[(last + next) % kRanks].arrive(1);
            for (int there = 1; there <= next; ++there) {
                EXPECT_FALSE(ranks[(last + there) % kRanks].all_arrived());
            }
        }
        ranks[last].arrive(1);
        for (NodeBarrier& rank : ranks) {
            EXPECT_TRUE(rank.all_arrived());
            EXPECT_FALSE(rank.released());
        }
        ranks[0].release();
        for (NodeBarrier& rank : ranks) {
            EXPECT_TRUE(rank.released());
        }
    }
}

TEST(NodeBarrier, RankThatIsAheadCountsAsArrived) {
    const auto shared = std::make_unique<Shared<2>>();
    NodeBarrier first(&shared->state, shared->flags, 0, 2);
    NodeBarrier second(&shared->state, shared->flags, 1, 2);
    first.arrive(1);
    second.arrive(1);
    EXPECT_TRUE(second.all_arrived());
    second.arrive(1);
    EXPECT_FALSE(second.all_arrived());
    EXPECT_TRUE(first.all_arrived());
}

// A rank that is at the next barrier already has not replaced what others still read.
TEST(NodeBarrier, GivesTheLargestWordsOfItsOwnRound) {
    const auto shared = std::make_unique<Shared<3>>();
    std::vector<NodeBarrier> ranks = ranks_of(*shared);
    for (int64_t round = 0; round < 4; ++round) {
        ranks[0].arrive_with(3, {round, -round, -5});
        ranks[1].arrive_with(3, {round + 10, -round - 1, INT64_MIN});
        ranks[2].arrive_with(3, {round - 1, -round - 2, -4});
        const BarrierWords expected = {round + 10, -round, -4};
        for (NodeBarrier& rank : ranks) {
            EXPECT_TRUE(rank.all_arrived());
        }
        EXPECT_EQ(ranks[1].largest_words(), expected);
        ranks[1].arrive_with(3, {1000, 1000, 1000});
        EXPECT_EQ(ranks[0].largest_words(), expected);
        ranks[0].arrive(1);
        EXPECT_EQ(ranks[2].largest_words(), expected);
        ranks[2].arrive(1);
        for (NodeBarrier& rank : ranks) {
            EXPECT_TRUE(rank.all_arrived());
        }
    }
}

TEST(NodeBarrier, RanksSeeWhoHasComeForSomethingElse) {
    const auto shared = std::make_unique<Shared<3>>();
    std::vector<NodeBarrier> ranks = ranks_of(*shared);
    for (int round = 0; round < 2; ++round) {
        ranks[0].arrive(4);
        ranks[1].arrive(4);
        EXPECT_FALSE(ranks[0].all_arrived());
        ranks[2].arrive_with(5, {});
        ASSERT_TRUE(ranks[0].all_arrived());
        ASSERT_TRUE(ranks[2].all_arrived());
        EXPECT_EQ(ranks[0].rank_with_other_purpose(), 2);
        EXPECT_EQ(ranks[0].purpose_of(2), 5);
        EXPECT_EQ(ranks[2].rank_with_other_purpose(), 0);
        EXPECT_EQ(ranks[2].purpose_of(0), 4);
        // One that is ahead, at a barrier for something else, still counts for this one.
        ranks[0].arrive(6);
        ASSERT_TRUE(ranks[1].all_arrived());
        EXPECT_EQ(ranks[1].rank_with_other_purpose(), 2);
        ranks[1].arrive(6);
        ranks[2].arrive(6);
        for (NodeBarrier& rank : ranks) {
            ASSERT_TRUE(rank.all_arrived());
            EXPECT_EQ(rank.rank_with_other_purpose(), -1);
        }
    }
}

TEST(NodeBarrier, ThreadsSeeWritesBeforeTheBarrier) {
    const auto two = std::make_unique<Shared<2>>();
    run_threads(*two, 1000);
    const auto five = std::make_unique<Shared<5>>();
    run_threads(*five, 400);
}

TEST(NodeBarrier, WakesSleepingRanks) {
    const auto two = std::make_unique<Shared<2>>();
    run_threads(*two, 1000, Wait::sleeping);
    const auto five = std::make_unique<Shared<5>>();
    run_threads(*five, 400, Wait::sleeping);
}

TEST(NodeBarrier, RoundNumbersMayWrapAround) {
    constexpr uint32_t kFirst = UINT32_MAX - 20;
    const auto shared = std::make_unique<Shared<3>>();
    shared->state.complete = kFirst;
    shared->state.released = kFirst;
    for (int rank = 0; rank < 3; ++rank) {
        shared->flags[rank].number = kFirst;
    }
    run_threads(*shared, 50);
    EXPECT_EQ(shared->flags[0].number, 29U);
}

TEST(NodeBarrier, ProcessesSeeWritesBeforeTheBarrier) {
    constexpr int kRanks = 3;
    constexpr int kRounds = 400;
    void* memory = mmap(nullptr, sizeof(Shared<kRanks>), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    auto* shared = new (memory) Shared<kRanks>;
    std::vector<ChildProcess> children;
    for (int rank = 1; rank < kRanks; ++rank) {
        children.emplace_back([&] { return run_rounds(*shared, rank, kRounds) == 0 ? 0 : 1; });
    }
    EXPECT_EQ(run_rounds(*shared, 0, kRounds), 0);
    for (ChildProcess& child : children) {
        EXPECT_EQ(child.wait(), 0);
    }
    munmap(memory, sizeof(Shared<kRanks>));
}

}  // namespace
}  // namespace armci::node::test
