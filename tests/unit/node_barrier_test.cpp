#include "node/barrier.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <new>
#include <thread>
#include <vector>

#include "base/backoff.h"
#include "child_process.h"

namespace armci::node::test {
namespace {

using armci::test::ChildProcess;

// With `sleeping`, whoever has to wait sleeps at once, and a lost wake-up hangs the test.
void pass(NodeBarrier& barrier, int rank, bool sleeping) {
    constexpr int64_t kSleepUs = 1'000'000'000;
    if (sleeping && rank == 0) {
        while (!barrier.all_arrived()) {
            barrier.sleep_until_all_arrived(kSleepUs);
        }
        barrier.release();
        return;
    }
    if (sleeping) {
        const uint32_t token = barrier.arrive();
        while (!barrier.released(token)) {
            barrier.sleep_until_released(token, kSleepUs);
        }
        return;
    }
    base::Backoff backoff;
    if (rank == 0) {
        while (!barrier.all_arrived()) {
            backoff.pause();
        }
        barrier.release();
        return;
    }
    const uint32_t token = barrier.arrive();
    while (!barrier.released(token)) {
        backoff.pause();
    }
}

// Plain numbers on purpose. Two sets, because a rank that is through one barrier may write for the
// next while others still look.
template <int kRanks>
struct Shared {
    BarrierState state;
    int arrived_in[2][kRanks] = {};
};

// Every rank must see every other in the same round, right after the barrier. Returns the number of
// times it did not.
template <int kRanks>
int run_rounds(Shared<kRanks>& shared, int rank, int rounds, bool sleeping = false) {
    NodeBarrier barrier(&shared.state, kRanks);
    int wrong = 0;
    for (int round = 1; round <= rounds; ++round) {
        int* in_round = shared.arrived_in[round % 2];
        in_round[rank] = round;
        pass(barrier, rank, sleeping);
        for (int other = 0; other < kRanks; ++other) {
            wrong += in_round[other] != round ? 1 : 0;
        }
    }
    return wrong;
}

template <int kRanks>
void run_threads(Shared<kRanks>& shared, int rounds, bool sleeping = false) {
    int wrong[kRanks] = {};
    std::vector<std::thread> threads;
    for (int rank = 1; rank < kRanks; ++rank) {
        threads.emplace_back(
            [&, rank] { wrong[rank] = run_rounds(shared, rank, rounds, sleeping); });
    }
    wrong[0] = run_rounds(shared, 0, rounds, sleeping);
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (int rank = 0; rank < kRanks; ++rank) {
        EXPECT_EQ(wrong[rank], 0) << "rank " << rank;
    }
    EXPECT_EQ(shared.state.arrived.load(), 0U);
}

TEST(NodeBarrier, AloneThereIsNobodyToWaitFor) {
    BarrierState state;
    NodeBarrier barrier(&state, 1);
    for (int round = 0; round < 3; ++round) {
        EXPECT_TRUE(barrier.all_arrived());
        barrier.release();
    }
}

TEST(NodeBarrier, NobodyIsThroughBeforeTheLastHasCome) {
    BarrierState state;
    NodeBarrier barrier(&state, 3);
    for (int round = 0; round < 3; ++round) {
        EXPECT_FALSE(barrier.all_arrived());
        const uint32_t first = barrier.arrive();
        EXPECT_FALSE(barrier.all_arrived());
        EXPECT_FALSE(barrier.released(first));
        const uint32_t second = barrier.arrive();
        EXPECT_TRUE(barrier.all_arrived());
        EXPECT_FALSE(barrier.released(first));
        EXPECT_FALSE(barrier.released(second));
        barrier.release();
        EXPECT_TRUE(barrier.released(first));
        EXPECT_TRUE(barrier.released(second));
    }
}

TEST(NodeBarrier, ThreadsSeeWhatWasWrittenBefore) {
    Shared<2> two;
    run_threads(two, 1000);
    Shared<5> five;
    run_threads(five, 400);
}

TEST(NodeBarrier, SleepersAreWoken) {
    Shared<2> two;
    run_threads(two, 1000, true);
    Shared<5> five;
    run_threads(five, 400, true);
    EXPECT_EQ(five.state.sleepers.load(), 0U);
}

TEST(NodeBarrier, TheGenerationMayWrap) {
    Shared<3> shared;
    shared.state.generation.store(UINT32_MAX - 20);
    run_threads(shared, 50);
    EXPECT_EQ(shared.state.generation.load(), 29U);
}

TEST(NodeBarrier, ProcessesSeeWhatWasWrittenBefore) {
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
