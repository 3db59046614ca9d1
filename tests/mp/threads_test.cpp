// MPI_THREAD_MULTIPLE: several threads of a rank call the library at the same time.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "support/check.h"
#include "support/global_memory.h"
#include "support/harness.h"
#include "support/transfer.h"

namespace armci::mp {
namespace {

constexpr int kThreads = 4;

void run_threads(const std::function<void(int)>& body) {
    std::vector<std::thread> threads;
    for (int id = 0; id < kThreads; ++id) {
        threads.emplace_back(body, id);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

// Random numbers of one thread; the streams are drawn before the threads start.
std::vector<Rng> thread_rngs() {
    std::vector<Rng> rngs;
    for (int id = 0; id < kThreads; ++id) {
        rngs.push_back(rank_rng(static_cast<uint64_t>(id)));
    }
    return rngs;
}

// Each thread has its own stretch at each target and checks every operation against its oracle.
TEST(Threads, TransfersOfAllKinds) {
    constexpr int64_t kStretch = 8192;
    GlobalMemory memory(kStretch * kThreads * nproc());
    std::fill_n(memory.mine(), kStretch * kThreads * nproc(), 0);
    ARMCI_Barrier();
    std::vector<Rng> rngs = thread_rngs();
    run_threads([&](int id) {
        Rng& rng = rngs[static_cast<size_t>(id)];
        const ElementType& type = element_type(ARMCI_ACC_INT);
        std::vector<std::vector<char>> expected(static_cast<size_t>(nproc()),
                                                std::vector<char>(kStretch, 0));
        std::vector<char> local(kStretch);
        fill_elements(type, rng, local.data(), kStretch);
        std::vector<char> expected_local = local;
        const std::vector<Verb> verbs = {Verb::put, Verb::get, Verb::acc};
        for (int64_t i = 0; i < scaled(120) && !testing::Test::HasFailure(); ++i) {
            const int target = static_cast<int>(rng.between(0, nproc() - 1));
            char* remote = memory.at(target, (me() * kThreads + id) * kStretch);
            std::vector<char>& model = expected[static_cast<size_t>(target)];
            Transfer transfer;
            transfer.verb = rng.pick(verbs);
            Room room{kStretch, kStretch, kStretch / 2, type.bytes, type.align_bytes};
            room.local_overlap = transfer.verb != Verb::get;
            room.remote_overlap = transfer.verb != Verb::put;
            transfer.shape = random_shape(rng, room);
            transfer.scale = random_scale(type, rng);
            // Waiting for implicit operations would wait for those of other threads as well.
            run(transfer, local.data(), remote, target,
                rng.pick(std::vector<Completion>{Completion::blocking, Completion::handle_wait,
                                                 Completion::handle_test}));
            apply(transfer, expected_local.data(), model.data());
            expect_same_bytes(expected_local.data(), local.data(), kStretch,
                              transfer.describe() + ", local side");
            if (rng.chance(10)) {
                ARMCI_Fence(target);
            }
            std::vector<char> readback(kStretch, 0x33);
            ARMCI_Get(remote, readback.data(), kStretch, target);
            expect_same_bytes(model.data(), readback.data(), kStretch, transfer.describe());
        }
    });
    ARMCI_Barrier();
}

// Implicit operations: any thread's WaitAll completes its own.
TEST(Threads, ImplicitOperations) {
    constexpr int64_t kWords = 64;
    GlobalMemory memory(kWords * 8 * kThreads * nproc());
    run_threads([&](int id) {
        const int target = (me() + id + 1) % nproc();
        long* remote = memory.element<long>(target, (me() * kThreads + id) * kWords);
        for (int64_t round = 0; round < scaled(40); ++round) {
            std::vector<long> source(kWords, round * 100 + id);
            for (int64_t i = 0; i < kWords; ++i) {
                ARMCI_NbPut(&source[static_cast<size_t>(i)], remote + i, 8, target, nullptr);
            }
            ARMCI_WaitAll();
            std::vector<long> readback(kWords, -1);
            ARMCI_Get(remote, readback.data(), kWords * 8, target);
            EXPECT_EQ(readback, source);
        }
    });
    ARMCI_Barrier();
}

// Tickets of a counter are given once, whichever thread of whichever rank draws them.
TEST(Threads, SharedCounter) {
    GlobalMemory memory(8);
    *memory.element<long>(me()) = 0;
    ARMCI_Barrier();
    const auto per_thread = static_cast<size_t>(scaled(100));
    std::vector<long> tickets(per_thread * kThreads);
    run_threads([&](int id) {
        for (size_t i = 0; i < per_thread; ++i) {
            long ticket = -1;
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &ticket, memory.at(0), 1, 0);
            tickets[static_cast<size_t>(id) * per_thread + i] = ticket;
        }
    });
    std::vector<long> all(tickets.size() * static_cast<size_t>(nproc()));
    MPI_Allgather(tickets.data(), static_cast<int>(tickets.size()), MPI_LONG, all.data(),
                  static_cast<int>(tickets.size()), MPI_LONG, harness_comm());
    std::sort(all.begin(), all.end());
    for (size_t i = 0; i < all.size(); ++i) {
        ASSERT_EQ(all[i], static_cast<long>(i));
    }
    ARMCI_Barrier();
}

// Accumulates of all threads of all ranks onto the same words.
TEST(Threads, ContendedAccumulates) {
    constexpr int64_t kWords = 100;
    GlobalMemory memory(kWords * 8);
    std::fill_n(memory.element<double>(me()), kWords, 0.0);
    ARMCI_Barrier();
    const int64_t rounds = scaled(60);
    run_threads([&](int id) {
        const std::vector<double> source(kWords, id + 1.0);
        double scale = 2.0;
        for (int64_t i = 0; i < rounds; ++i) {
            const int target = static_cast<int>((i + id) % nproc());
            ARMCI_Acc(ARMCI_ACC_DBL, &scale, const_cast<double*>(source.data()), memory.at(target),
                      kWords * 8, target);
        }
    });
    ARMCI_Barrier();
    double expected = 0.0;
    for (int id = 0; id < kThreads; ++id) {
        for (int64_t i = 0; i < rounds; ++i) {
            expected += (i + id) % nproc() == me() ? 2.0 * (id + 1) * nproc() : 0.0;
        }
    }
    for (int64_t i = 0; i < kWords; ++i) {
        EXPECT_EQ(memory.element<double>(me())[i], expected) << "word " << i;
    }
    ARMCI_Barrier();
}

// A mutex keeps the other threads of its holder's rank out as well.
TEST(Threads, MutexesExcludeThreads) {
    GlobalMemory memory(8);
    *memory.element<long>(me()) = 0;
    ASSERT_EQ(ARMCI_Create_mutexes(1), 0);
    ARMCI_Barrier();
    const int64_t rounds = scaled(25);
    const int owner = nproc() - 1;
    run_threads([&](int) {
        for (int64_t i = 0; i < rounds; ++i) {
            ARMCI_Lock(0, owner);
            long value = -1;
            ARMCI_Get(memory.at(0), &value, sizeof value, 0);
            ++value;
            ARMCI_Put(&value, memory.at(0), sizeof value, 0);
            ARMCI_Unlock(0, owner);
        }
    });
    ARMCI_Barrier();
    EXPECT_EQ(*memory.element<long>(me()), me() == 0 ? rounds * kThreads * nproc() : 0);
    EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
}

}  // namespace
}  // namespace armci::mp

int main(int argc, char** argv) {
    armci::mp::Program program;
    program.thread_level = MPI_THREAD_MULTIPLE;
    return armci::mp::run_tests(argc, argv, program);
}
