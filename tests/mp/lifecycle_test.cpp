// SPDX-License-Identifier: BSD-3-Clause
// Starting and stopping: the counting rule, starting again, and communicators other than
// MPI_COMM_WORLD. The harness has started only MPI.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "armci/armcix.h"
#include "support/harness.h"
#include "support/job.h"

namespace armci::mp {
namespace {

// Exercises the library on a world of `size` ranks of which I am `rank`.
void use_library(int rank, int size) {
    EXPECT_EQ(armci_msg_me(), rank);
    EXPECT_EQ(armci_msg_nproc(), size);
    std::vector<void*> slices(static_cast<size_t>(size));
    // 50 words to put to, 50 to accumulate to, one counter, and the address of the attached word
    ASSERT_EQ(ARMCI_Malloc(slices.data(), 102 * sizeof(long)), 0);
    auto* mine = static_cast<long*>(slices[static_cast<size_t>(rank)]);
    std::fill_n(mine, 101, 0);
    static long attached_word = 0;
    ASSERT_EQ(ARMCIX_Attach(&attached_word, sizeof attached_word), 0);
    mine[101] = reinterpret_cast<long>(&attached_word);
    ARMCI_Barrier();
    const int right = (rank + 1) % size;
    const int left = (rank + size - 1) % size;
    std::vector<long> source(50);
    std::iota(source.begin(), source.end(), 1000 * rank);
    ARMCI_Put(source.data(), slices[static_cast<size_t>(right)], 400, right);
    long one = 1;
    ARMCI_Acc(ARMCI_ACC_LNG, &one, source.data(),
              static_cast<char*>(slices[static_cast<size_t>(right)]) + 400, 400, right);
    long ticket = -1;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &ticket, static_cast<long*>(slices[0]) + 100, 1, 0);
    const long place =
        ARMCI_GetValueLong(static_cast<long*>(slices[static_cast<size_t>(right)]) + 101, right);
    ARMCI_PutValueLong(7000 + rank, reinterpret_cast<void*>(place), right);
    ARMCI_Barrier();
    EXPECT_EQ(attached_word, 7000 + left);
    ASSERT_EQ(ARMCIX_Detach(&attached_word), 0);
    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(mine[i], 1000 * left + i);
        EXPECT_EQ(mine[50 + i], 1000 * left + i);
    }
    long sum = ticket;
    char plus[] = "+";
    armci_msg_lgop(&sum, 1, plus);
    EXPECT_EQ(sum, size * (size - 1) / 2) << "each rank has drawn another ticket";
    ASSERT_EQ(ARMCI_Create_mutexes(1), 0);
    ARMCI_Lock(0, right);
    ARMCI_Unlock(0, right);
    ASSERT_EQ(ARMCI_Destroy_mutexes(), 0);
    EXPECT_EQ(ARMCI_Free(mine), 0);
}

void use_library() {
    use_library(me(), nproc());
}

// promise: finalize.when-down, init.any-time, init.initialized, cleanup.any-time
TEST(Lifecycle, CallsBeforeInitAreHarmless) {
    EXPECT_EQ(ARMCI_Initialized(), 0);
    EXPECT_EQ(ARMCI_Finalize(), 0);
    EXPECT_EQ(ARMCI_Initialized(), 0);
    ARMCI_Set_shm_limit(0);
    ARMCI_Cleanup();
}

// promise: init.again, init.initialized, calls.return-zero
TEST(Lifecycle, InitAndFinalizeInCycles) {
    for (int cycle = 0; cycle < 4; ++cycle) {
        ASSERT_EQ(ARMCI_Init(), 0);
        EXPECT_EQ(ARMCI_Initialized(), 1);
        use_library();
        EXPECT_EQ(ARMCI_Finalize(), 0);
        EXPECT_EQ(ARMCI_Initialized(), 0);
        EXPECT_EQ(ARMCI_Finalize(), 0);
    }
}

// promise: init.counted, init.args, init.initialized
TEST(Lifecycle, EveryInitNeedsItsFinalize) {
    ASSERT_EQ(ARMCI_Init_args(nullptr, nullptr), 0);
    ASSERT_EQ(ARMCI_Init(), 0);
    ASSERT_EQ(ARMCI_Init_thread(MPI_THREAD_SINGLE), 0);
    EXPECT_EQ(ARMCI_Finalize(), 0);
    use_library();
    EXPECT_EQ(ARMCI_Finalize(), 0);
    EXPECT_EQ(ARMCI_Initialized(), 1);
    use_library();
    EXPECT_EQ(ARMCI_Finalize(), 0);
    EXPECT_EQ(ARMCI_Initialized(), 0);
}

// The memory allocator of Global Arrays can keep its stack and heap there while the library is
// stopped and started.
// promise: malloc-local.outlives
TEST(Lifecycle, LocalMemoryOutlivesTheLibrary) {
    ASSERT_EQ(ARMCI_Init(), 0);
    auto* memory = static_cast<char*>(ARMCI_Malloc_local(4 << 20));
    ASSERT_NE(memory, nullptr);
    std::memset(memory, me() + 1, 4 << 20);
    EXPECT_EQ(ARMCI_Finalize(), 0);
    EXPECT_EQ(memory[(4 << 20) - 1], me() + 1);
    memory[5] = 2;
    ASSERT_EQ(ARMCI_Init(), 0);
    use_library();
    EXPECT_EQ(memory[5], 2);
    EXPECT_EQ(ARMCI_Free_local(memory), 0);
    EXPECT_EQ(ARMCI_Finalize(), 0);
}

// GA_Initialize_comm: Init_mpi_comm does not count, so that one Finalize ends it.
// promise: init.mpi-comm-not-counted, init.mpi-comm-result
TEST(Lifecycle, InitOnACommunicatorDoesNotCount) {
    for (int cycle = 0; cycle < 2; ++cycle) {
        EXPECT_EQ(ARMCI_Init_mpi_comm(MPI_COMM_WORLD), 1);
        EXPECT_EQ(ARMCI_Initialized(), 1);
        ASSERT_EQ(ARMCI_Init(), 0);
        use_library();
        EXPECT_EQ(ARMCI_Finalize(), 0);
        EXPECT_EQ(ARMCI_Initialized(), 0);
    }
}

// promise: init.mpi-comm
TEST(Lifecycle, InitOnACommunicatorStartsTheLibrary) {
    EXPECT_EQ(ARMCI_Init_mpi_comm(MPI_COMM_WORLD), 1);
    use_library();
    EXPECT_EQ(ARMCI_Finalize(), 0);
    EXPECT_EQ(ARMCI_Initialized(), 0);
}

// The communicator is ignored if the library is already running.
// promise: init.mpi-comm-when-up
TEST(Lifecycle, InitOnACommunicatorIgnoresItWhenUp) {
    ASSERT_EQ(ARMCI_Init(), 0);
    EXPECT_EQ(ARMCI_Init_mpi_comm(MPI_COMM_SELF), 1);
    use_library();
    EXPECT_EQ(ARMCI_Finalize(), 0);
    EXPECT_EQ(ARMCI_Initialized(), 0);
}

// The communicator may be freed once the library has its duplicate, whose ranks count.
// promise: init.world, init.communicator
TEST(Lifecycle, WorldHasTheRanksOfTheCommunicator) {
    MPI_Comm reversed = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, nproc() - me(), &reversed);
    ASSERT_EQ(ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, reversed), 0);
    MPI_Comm_free(&reversed);
    use_library(nproc() - 1 - me(), nproc());
    EXPECT_EQ(ARMCI_Finalize(), 0);
}

// Two worlds in one job: each half starts and stops independently, and they share nothing.
// promise: init.communicator
TEST(Lifecycle, DisjointWorldsAreIndependent) {
    if (nproc() < 2) {
        GTEST_SKIP() << "needs 2 ranks";
    }
    const int half = me() < nproc() / 2 ? 0 : 1;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, half, me(), &comm);
    int rank = -1;
    int size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int cycle = 0; cycle < 1 + 2 * half; ++cycle) {
        ASSERT_EQ(ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, comm), 0);
        use_library(rank, size);
        ARMCI_Group world;
        ARMCI_Group_get_world(&world);
        int comparison = MPI_UNEQUAL;
        MPI_Comm_compare(world.comm, comm, &comparison);
        EXPECT_EQ(comparison, MPI_CONGRUENT);
        for (int proc = 0; proc < size; ++proc) {
            EXPECT_EQ(ARMCI_Absolute_id(&world, proc), proc);
        }
        EXPECT_EQ(ARMCI_Finalize(), 0);
    }
    MPI_Comm_free(&comm);
    sync();
}

// One world of every other rank; the rest of the job never starts the library.
// promise: init.mpi-comm
TEST(Lifecycle, WorldMayHaveSomeRanksOnly) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, me() % 2 == 0 ? 0 : MPI_UNDEFINED, me(), &comm);
    if (comm != MPI_COMM_NULL) {
        int size = 0;
        MPI_Comm_size(comm, &size);
        EXPECT_EQ(ARMCI_Init_mpi_comm(comm), 1);
        use_library(me() / 2, size);
        EXPECT_EQ(ARMCI_Finalize(), 0);
        MPI_Comm_free(&comm);
    }
    EXPECT_EQ(ARMCI_Initialized(), 0);
    sync();
}

// The memory stays when the library stops: attached memory of the neighbour, and the caller's own
// buffer.
// promise: finalize.completes
TEST(Lifecycle, FinalizeCompletesEverything) {
    constexpr size_t kWords = 100000;
    constexpr int kBytes = kWords * sizeof(long);
    const int next = (me() + 1) % nproc();
    const int previous = (me() + nproc() - 1) % nproc();
    for (int cycle = 0; cycle < 2; ++cycle) {
        std::vector<long> mine(3 * kWords, -1);  // put to, added to, read
        std::fill_n(mine.begin() + 2 * kWords, kWords, 100 + me());
        std::vector<long> source(kWords, me());
        std::vector<long> got(kWords, -1);
        std::vector<void*> attached(static_cast<size_t>(nproc()));
        void* own = mine.data();
        ASSERT_EQ(ARMCI_Init(), 0);
        ASSERT_EQ(ARMCIX_Attach(own, 3 * kBytes), 0);
        MPI_Allgather(&own, sizeof own, MPI_BYTE, attached.data(), sizeof own, MPI_BYTE,
                      MPI_COMM_WORLD);
        auto* remote = static_cast<long*>(attached[static_cast<size_t>(next)]);
        long one = 1;
        armci_hdl_t forgotten;
        ARMCI_INIT_HANDLE(&forgotten);
        ARMCI_NbPut(source.data(), remote, kBytes, next, cycle == 0 ? nullptr : &forgotten);
        ARMCI_NbAcc(ARMCI_ACC_LNG, &one, source.data(), remote + kWords, kBytes, next, &forgotten);
        ARMCI_NbGet(remote + 2 * kWords, got.data(), kBytes, next, nullptr);
        EXPECT_EQ(ARMCI_Finalize(), 0);
        const auto words = static_cast<long>(kWords);
        EXPECT_EQ(std::count(mine.begin(), mine.begin() + kWords, previous), words);
        EXPECT_EQ(std::count(mine.begin() + kWords, mine.begin() + 2 * kWords, previous - 1),
                  words);
        EXPECT_EQ(std::count(got.begin(), got.end(), 100 + next), words);
        sync();
    }
}

// Memory that was attached is not attached any more when the library is started again.
// promise: finalize.detaches
TEST(Lifecycle, FinalizeDetachesMemory) {
    static long words[8] = {};
    for (int start = 0; start < 3; ++start) {
        ASSERT_EQ(ARMCI_Init(), 0);
        EXPECT_EQ(ARMCIX_Attach(words + start, 4 * sizeof(long)), 0);
        EXPECT_EQ(ARMCI_Finalize(), 0);
    }
}

// Cleanup is for error paths: one rank may call it at any time, and nothing happens.
// promise: cleanup.any-time
TEST(Lifecycle, CleanupByOneRankChangesNothing) {
    ASSERT_EQ(ARMCI_Init(), 0);
    if (me() == nproc() - 1) {
        ARMCI_Cleanup();
    }
    use_library();
    EXPECT_EQ(ARMCI_Finalize(), 0);
    ARMCI_Cleanup();
}

// TCGMSG never frees its counter, and other parts of NWChem forget allocations, too. Finalize frees
// them with one warning. Global memory that was allocated before the second Init outlives the first
// Finalize.
// promise: finalize.frees
TEST(LifecycleLeaks, FinalizeFreesRemainingAllocations) {
    ASSERT_EQ(ARMCI_Init_args(nullptr, nullptr), 0);
    std::vector<void*> counter(static_cast<size_t>(nproc()));
    ASSERT_EQ(ARMCI_Malloc(counter.data(), me() == nproc() - 1 ? 8 : 0), 0);
    const int owner = nproc() - 1;
    if (me() == owner) {
        *static_cast<long*>(counter[static_cast<size_t>(owner)]) = 0;
    }
    ASSERT_EQ(ARMCI_Init(), 0);
    ARMCI_Barrier();
    long ticket = -1;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &ticket, counter[static_cast<size_t>(owner)], 1, owner);
    EXPECT_EQ(ARMCI_Finalize(), 0);
    EXPECT_EQ(ARMCI_Initialized(), 1);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &ticket, counter[static_cast<size_t>(owner)], 1, owner);
    ARMCI_Barrier();
    EXPECT_EQ(ARMCI_GetValueLong(counter[static_cast<size_t>(owner)], owner), 2 * nproc());
    std::vector<void*> leaked(static_cast<size_t>(nproc()));
    ASSERT_EQ(ARMCI_Malloc(leaked.data(), 100000), 0);
    ASSERT_EQ(ARMCI_Create_mutexes(2), 0);
    EXPECT_EQ(ARMCI_Finalize(), 0);
    EXPECT_EQ(ARMCI_Initialized(), 0);
    ASSERT_EQ(ARMCI_Init(), 0);
    use_library();
    EXPECT_EQ(ARMCI_Finalize(), 0);
}

// The source is memory that is not freed before.
// promise: finalize.completes
TEST(LifecycleLeaks, FinalizeCompletesGets) {
    constexpr size_t kWords = 200000;
    constexpr int kBytes = kWords * sizeof(long);
    ASSERT_EQ(ARMCI_Init(), 0);
    std::vector<void*> slices(static_cast<size_t>(nproc()));
    ASSERT_EQ(ARMCI_Malloc(slices.data(), kBytes), 0);
    std::fill_n(static_cast<long*>(slices[static_cast<size_t>(me())]), kWords, 100 + me());
    ARMCI_Barrier();
    const int next = (me() + 1) % nproc();
    std::vector<long> whole(kWords, -1);
    std::vector<long> rows(kWords, -1);
    int stride[1] = {512};
    int count[2] = {256, kBytes / 512};
    ARMCI_NbGet(slices[static_cast<size_t>(next)], whole.data(), kBytes, next, nullptr);
    ARMCI_NbGetS(slices[static_cast<size_t>(next)], stride, rows.data(), stride, count, 1, next,
                 nullptr);
    EXPECT_EQ(ARMCI_Finalize(), 0);
    EXPECT_EQ(std::count(whole.begin(), whole.end(), 100 + next), static_cast<long>(kWords));
    EXPECT_EQ(std::count(rows.begin(), rows.end(), 100 + next), count[1] * 256L / 8);
}

}  // namespace
}  // namespace armci::mp

int main(int argc, char** argv) {
    armci::mp::Program program;
    program.start_armci = false;
    return armci::mp::run_tests(argc, argv, program);
}
