// SPDX-License-Identifier: BSD-3-Clause
// The thread level of the library: MPI's after the start functions without a level, as Global
// Arrays calls them. The harness has started only MPI, at MPI_THREAD_MULTIPLE.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <thread>

#include "armci/armcix.h"
#include "armci/message.h"
#include "support/global_memory.h"
#include "support/harness.h"
#include "support/job.h"

namespace armci::mp {
namespace {

// The result of MPI_Query_thread in this process, if it differs from MPI's.
int pretended_level = -1;

}  // namespace
}  // namespace armci::mp

// Replaces MPI's function for the library under test.
extern "C" int MPI_Query_thread(int* provided) {
    const int result = PMPI_Query_thread(provided);
    if (armci::mp::pretended_level >= 0) {
        *provided = armci::mp::pretended_level;
    }
    return result;
}

namespace armci::mp {
namespace {

constexpr int kMaxThreads = 4;

void run_threads(int count, const std::function<void(int)>& body) {
    std::vector<std::thread> threads;
    for (int id = 0; id < count; ++id) {
        threads.emplace_back(body, id);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

// What one thread does with rank `target`: every kind of call that needs no partner. Word 0 of each
// slice is counted up by rmw, word 1 by accumulates, word 2 under a mutex; `mine` is the thread's
// own part.
void use_target(const GlobalMemory& memory, int target, int64_t mine) {
    constexpr int64_t kBytes = 64 * sizeof(long);
    std::vector<long> source(64, 100 * me() + mine);
    std::vector<long> back(64, -1);
    long* remote = memory.element<long>(target, mine);
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_Put(source.data(), remote, kBytes, target);
    ARMCI_Get(remote, back.data(), kBytes, target);
    EXPECT_EQ(back, source);
    ++source[5];
    ARMCI_NbPut(source.data(), remote, kBytes, target, &handle);
    ARMCI_Wait(&handle);
    ARMCI_Fence(target);
    int stride = 2 * sizeof(long);
    int count[2] = {sizeof(long), 32};
    std::fill(back.begin(), back.end(), -1);
    ARMCI_GetS(remote + 1, &stride, back.data() + 1, &stride, count, 1, target);
    EXPECT_EQ(back[4], -1);
    EXPECT_EQ(back[5], source[5]);
    long old = -1;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, memory.element<long>(target, 0), 1, target);
    EXPECT_GE(old, 0);
    long one = 1;
    ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, memory.element<long>(target, 1), sizeof one, target);
    ARMCI_Lock(0, target);
    long sum = ARMCI_GetValueLong(memory.element<long>(target, 2), target) + 1;
    ARMCI_Put(&sum, memory.element<long>(target, 2), sizeof sum, target);
    ARMCI_Unlock(0, target);
}

// All ranks operate on each other from so many threads each.
void use_library(int threads) {
    constexpr int64_t kFirst = 64;
    constexpr int64_t kStretch = 64;
    const auto words = kFirst + kStretch * kMaxThreads * nproc();
    GlobalMemory memory(words * static_cast<int64_t>(sizeof(long)));
    std::fill_n(memory.element<long>(me()), words, 0);
    ASSERT_EQ(ARMCI_Create_mutexes(1), 0);
    ARMCI_Barrier();
    const int64_t rounds = scaled(20);
    run_threads(threads, [&](int id) {
        for (int64_t round = 0; round < rounds; ++round) {
            use_target(memory, static_cast<int>((me() + round + id) % nproc()),
                       kFirst + kStretch * (kMaxThreads * me() + id));
        }
        ARMCI_AllFence();
    });
    ARMCI_Barrier();
    // All threads with one number use every rank as often as there are ranks. Levels differ.
    std::vector<long> expected(static_cast<size_t>(nproc()), 0);
    for (int id = 0; id < threads; ++id) {
        for (int64_t round = 0; round < rounds; ++round) {
            ++expected[static_cast<size_t>((me() + round + id) % nproc())];
        }
    }
    sum_over_ranks(expected);
    for (int word = 0; word < 3; ++word) {
        EXPECT_EQ(memory.element<long>(me())[word], expected[static_cast<size_t>(me())])
            << "word " << word;
    }
    ARMCI_Barrier();
    EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
}

// promise: threads.level-of-mpi
TEST(ThreadLevels, InitUsesTheLevelOfMpi) {
    ASSERT_EQ(ARMCI_Init(), 0);
    use_library(kMaxThreads);
    EXPECT_EQ(ARMCI_Finalize(), 0);
}

// promise: threads.level-of-mpi
TEST(ThreadLevels, InitArgsUsesTheLevelOfMpi) {
    ASSERT_EQ(ARMCI_Init_args(nullptr, nullptr), 0);
    use_library(kMaxThreads);
    EXPECT_EQ(ARMCI_Finalize(), 0);
}

// promise: threads.level-of-mpi
TEST(ThreadLevels, InitOnACommunicatorUsesTheLevelOfMpi) {
    ASSERT_EQ(ARMCI_Init_mpi_comm(MPI_COMM_WORLD), 1);
    use_library(kMaxThreads);
    EXPECT_EQ(ARMCI_Finalize(), 0);
}

// Each start function that finds the library running at a lower level raises it, and is counted as
// always.
// promise: init.raise-level, threads.level-given
TEST(ThreadLevels, LaterCallRaisesTheLevel) {
    const std::vector<std::function<int()>> later = {
        [] { return ARMCI_Init(); },
        [] { return ARMCI_Init_args(nullptr, nullptr); },
        [] { return ARMCI_Init_thread(MPI_THREAD_MULTIPLE); },
        [] { return ARMCI_Init_thread_comm(MPI_THREAD_MULTIPLE, MPI_COMM_WORLD); },
        [] { return ARMCI_Init_mpi_comm(MPI_COMM_WORLD) - 1; },
    };
    for (size_t i = 0; i < later.size(); ++i) {
        ASSERT_EQ(ARMCI_Init_thread(MPI_THREAD_SINGLE), 0);
        use_library(1);
        ASSERT_EQ(later[i](), 0);
        use_library(kMaxThreads);
        const bool is_counted = i + 1 < later.size();
        if (is_counted) {
            // A lower level does not reduce it.
            ASSERT_EQ(ARMCI_Init_thread(MPI_THREAD_SINGLE), 0);
            EXPECT_EQ(ARMCI_Finalize(), 0);
            EXPECT_EQ(ARMCI_Finalize(), 0);
            EXPECT_EQ(ARMCI_Initialized(), 1);
            use_library(kMaxThreads);
        }
        EXPECT_EQ(ARMCI_Finalize(), 0);
        EXPECT_EQ(ARMCI_Initialized(), 0);
    }
}

// MPI gives each process its own level.
// promise: threads.levels-of-ranks
TEST(ThreadLevels, RanksMayHaveDifferentLevels) {
    constexpr int kLevels[] = {MPI_THREAD_MULTIPLE, MPI_THREAD_SINGLE, MPI_THREAD_SERIALIZED,
                               MPI_THREAD_FUNNELED};
    for (int shift = 0; shift < 2; ++shift) {
        pretended_level = kLevels[(me() + shift) % 4];
        ASSERT_EQ(ARMCI_Init(), 0);
        use_library(pretended_level == MPI_THREAD_MULTIPLE ? kMaxThreads : 1);
        EXPECT_EQ(ARMCI_Finalize(), 0);
    }
    pretended_level = -1;
}

// The variable does so, too; ARMCI_Init_thread ignores it.
// promise: threads.level-variable
TEST(ThreadLevels, VariableSetsTheLevelOfEachRank) {
    const bool is_lowered = me() % 2 == 1;
    if (is_lowered) {
        setenv("ARMCI_THREAD_LEVEL", "serialized", 1);
    }
    ASSERT_EQ(ARMCI_Init(), 0);
    use_library(is_lowered ? 1 : kMaxThreads);
    ASSERT_EQ(ARMCI_Init_thread(MPI_THREAD_MULTIPLE), 0);
    use_library(kMaxThreads);
    EXPECT_EQ(ARMCI_Finalize(), 0);
    EXPECT_EQ(ARMCI_Finalize(), 0);
    unsetenv("ARMCI_THREAD_LEVEL");
}

// One of the threads starts the library, one of them ends it, and each call counts.
TEST(ThreadLevels, ThreadsMayStartAndFinalize) {
    constexpr int kCalls = 200;
    run_threads(kMaxThreads, [](int) {
        for (int i = 0; i < kCalls; ++i) {
            EXPECT_EQ(ARMCI_Init(), 0);
        }
    });
    use_library(kMaxThreads);
    run_threads(kMaxThreads, [](int id) {
        for (int i = id == 0 ? 1 : 0; i < kCalls; ++i) {
            EXPECT_EQ(ARMCI_Finalize(), 0);
        }
    });
    EXPECT_EQ(ARMCI_Initialized(), 1);
    use_library(kMaxThreads);
    EXPECT_EQ(ARMCI_Finalize(), 0);
    EXPECT_EQ(ARMCI_Initialized(), 0);
}

}  // namespace
}  // namespace armci::mp

int main(int argc, char** argv) {
    armci::mp::Program program;
    program.thread_level = MPI_THREAD_MULTIPLE;
    program.start_armci = false;
    return armci::mp::run_tests(argc, argv, program);
}
