// SPDX-License-Identifier: BSD-3-Clause
// MPI_THREAD_MULTIPLE: several threads of a rank call the library at the same time.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <thread>

#include "armci/armcix.h"
#include "armci/message.h"
#include "program_messages.h"
#include "stopping_page.h"
#include "support/check.h"
#include "support/global_memory.h"
#include "support/harness.h"
#include "support/transfer.h"

namespace armci::mp {
namespace {

// Stops a thread when it yields for the first time.
struct StoppingYield {
    std::atomic<bool> is_reached{false};
    std::atomic<bool> is_over{false};
};
thread_local StoppingYield* t_stopping_yield = nullptr;

void real_yield() {
    syscall(SYS_sched_yield);
}

}  // namespace
}  // namespace armci::mp

// Replaces the C library's function, also for the calls of the library under test.
extern "C" int sched_yield() noexcept {
    using armci::mp::t_stopping_yield;
    if (t_stopping_yield != nullptr) {
        t_stopping_yield->is_reached = true;
        while (!t_stopping_yield->is_over) {
            armci::mp::real_yield();
        }
    }
    armci::mp::real_yield();
    return 0;
}

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

// Random numbers of one thread. The streams are drawn before the threads start.
std::vector<Rng> thread_rngs() {
    std::vector<Rng> rngs;
    for (int id = 0; id < kThreads; ++id) {
        rngs.push_back(rank_rng(static_cast<uint64_t>(id)));
    }
    return rngs;
}

// Each thread has its own part at each target and checks every operation against its oracle.
// promise: threads.any-thread
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
            // A wait for implicit operations would include those of other threads.
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
// promise: threads.waits-cover
TEST(Threads, WaitAllCompletesOwnImplicitOperations) {
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

uint64_t gets() {
    armcix_stats_t stats{};
    ARMCIX_Stats(&stats, sizeof stats);
    uint64_t operations = 0;
    for (const armcix_counter_t& counter : stats.get) {
        operations += counter.operations;
    }
    return operations;
}

// One thread's wait completes the gets of all threads, in checking mode one after the other.
// Meanwhile rank 1 does not answer the first get, where its program has to. Another thread waits
// for the second.
// promise: threads.waits-cover
TEST(Threads, WaitCoversGetsOfOtherThreads) {
    if (nproc() < 3) {
        GTEST_SKIP() << "needs 3 ranks";
    }
    GlobalMemory memory(8);
    *memory.element<long>(me()) = 100 + me();
    ARMCI_Barrier();
    if (me() == 0) {
        long first = -1;
        long second = -1;
        const uint64_t before = gets();
        ARMCI_NbGet(memory.at(1), &first, sizeof first, 1, nullptr);
        ARMCI_NbGet(memory.at(2), &second, sizeof second, 2, nullptr);
        std::thread completing([] { ARMCI_WaitAll(); });
        while (gets() == before) {
            sched_yield();
        }
        MPI_Send(nullptr, 0, MPI_BYTE, 1, 0, harness_comm());
        ARMCI_WaitProc(2);
        EXPECT_EQ(second, 102);
        completing.join();
        EXPECT_EQ(first, 101);
    } else if (me() == 1) {
        MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, harness_comm(), MPI_STATUS_IGNORE);
    }
    ARMCI_Barrier();
}

// A fence completes the gets without a handle that another thread has started before.
TEST(Threads, FenceCoversGetsOfOtherThreads) {
    constexpr int64_t kWords = 8192;
    GlobalMemory memory(kWords * 8);
    std::fill_n(memory.element<long>(me()), kWords, 100 + me());
    ARMCI_Barrier();
    const int target = left();
    for (int64_t round = 0; round < scaled(40); ++round) {
        std::vector<std::vector<long>> found(kThreads, std::vector<long>(kWords, -1));
        run_threads([&](int id) {
            ARMCI_NbGet(memory.at(target), found[static_cast<size_t>(id)].data(), kWords * 8,
                        target, nullptr);
        });
        if (round % 2 == 0) {
            ARMCI_Fence(target);
        } else {
            ARMCI_AllFence();
        }
        for (const std::vector<long>& words : found) {
            EXPECT_EQ(words, std::vector<long>(kWords, 100 + target));
        }
    }
    ARMCI_Barrier();
}

// Waits for a message of the program while inline progress goes on.
void wait_for_message(MPI_Request message) {
    int has_come = 0;
    while (MPI_Test(&message, &has_come, MPI_STATUS_IGNORE), has_come == 0) {
        ARMCIX_Progress();
        sched_yield();
    }
}

// A put that is fenced alone may travel in another way than one that follows the put of another
// thread. The target sees the put when a message says that the fence has ended.
TEST(Threads, FencesCompleteThePutsOfTheirThreads) {
    constexpr int64_t kWords = 1024;
    constexpr int64_t kFew = 4;
    GlobalMemory memory(kThreads * kWords * 8);
    ARMCI_Barrier();
    run_threads([&](int id) {
        std::vector<long> words(kWords);
        // Tells a neighbour something, and waits until the other one has said the same.
        const auto tell = [&](int neighbour, int other, int tag) {
            MPI_Request message = MPI_REQUEST_NULL;
            MPI_Irecv(nullptr, 0, MPI_BYTE, other, tag, harness_comm(), &message);
            MPI_Send(nullptr, 0, MPI_BYTE, neighbour, tag, harness_comm());
            wait_for_message(message);
        };
        const int fenced = 2 * id;
        const int seen = 2 * id + 1;
        for (int64_t round = 1; round <= scaled(100); ++round) {
            const int64_t count = round % 3 == 0 ? kWords : round % 3 == 1 ? kFew : kWords / 2;
            std::fill_n(words.begin(), count, round * nproc() + me());
            ARMCI_Put(words.data(), memory.element<long>(left(), id * kWords),
                      static_cast<int>(count * 8), left());
            std::fill_n(words.begin(), count, -1);
            ARMCI_Fence(left());
            tell(left(), right(), fenced);
            const volatile long* found = memory.element<long>(me(), id * kWords);
            EXPECT_EQ(std::count(found, found + count, round * nproc() + right()), count)
                << "thread " << id << ", round " << round;
            tell(right(), left(), seen);
        }
    });
    ARMCI_Barrier();
}

// The fence ends, however many gets other threads start meanwhile.
TEST(Threads, FenceEndsWhileOtherThreadsStartGets) {
    constexpr int64_t kWords = 512;
    GlobalMemory memory(kWords * 8);
    std::fill_n(memory.element<long>(me()), kWords, 100 + me());
    ARMCI_Barrier();
    const int target = left();
    std::atomic<bool> is_over{false};
    run_threads([&](int id) {
        std::vector<long> words(kWords, -1);
        if (id == 0) {
            for (int64_t round = 0; round < scaled(40); ++round) {
                ARMCI_NbGet(memory.at(target), words.data(), kWords * 8, target, nullptr);
                ARMCI_Fence(target);
                EXPECT_EQ(words, std::vector<long>(kWords, 100 + target));
                std::fill(words.begin(), words.end(), -1);
            }
            is_over = true;
        }
        do {
            ARMCI_NbGet(memory.at(target), words.data(), kWords * 8, target, nullptr);
            sched_yield();
        } while (!is_over);
        ARMCI_Fence(target);
        EXPECT_EQ(words, std::vector<long>(kWords, 100 + target));
    });
    ARMCI_Barrier();
}

// A wait covers no other target, and nothing that completes later. Ranks do not answer, where their
// programs have to, until they get a message.
// promise: threads.waits-cover
TEST(Threads, WaitCoversOnlyEarlierOperations) {
    if (nproc() < 3) {
        GTEST_SKIP() << "needs 3 ranks";
    }
    GlobalMemory memory(8);
    *memory.element<long>(me()) = 100 + me();
    ARMCI_Barrier();
    if (me() == 0) {
        std::array<long, 3> got{};
        std::array<std::thread, 3> completing;
        const auto get_from = [&](int target) {
            const auto i = static_cast<size_t>(target);
            const uint64_t before = gets();
            completing[i] = std::thread([&, target, i] {
                armci_hdl_t handle;
                ARMCI_INIT_HANDLE(&handle);
                ARMCI_NbGet(memory.at(target), &got[i], sizeof got[i], target, &handle);
                ARMCI_Wait(&handle);
            });
            while (gets() == before) {
                sched_yield();
            }
        };
        const auto finish = [&](int target) {
            MPI_Send(nullptr, 0, MPI_BYTE, target, 0, harness_comm());
            completing[static_cast<size_t>(target)].join();
            EXPECT_EQ(got[static_cast<size_t>(target)], 100 + target);
        };
        get_from(1);
        ARMCI_WaitProc(2);
        StoppingYield yield;
        std::thread waiting([&] {
            t_stopping_yield = &yield;
            ARMCI_WaitAll();
            yield.is_reached = true;  // there was nothing to wait for
        });
        while (!yield.is_reached) {
            sched_yield();
        }
        get_from(2);
        yield.is_over = true;
        finish(1);
        waiting.join();
        finish(2);
    } else if (me() <= 2) {
        MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, harness_comm(), MPI_STATUS_IGNORE);
    }
    ARMCI_Barrier();
}

// Each value of a counter is fetched once, by any thread of any rank.
// promise: threads.any-thread
TEST(Threads, SharedCounterReturnsEachValueOnce) {
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
TEST(Threads, ContendedAccumulatesLoseNoAddition) {
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

// A mutex also excludes the other threads of its holder's rank.
// promise: threads.any-thread, threads.waits-let-go
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

// The index of global memory changes while other threads look up addresses, in old memory and in
// memory that has just been allocated.
TEST(Threads, MemoryIsAllocatedAndFreedMeanwhile) {
    constexpr int64_t kWords = 32;
    GlobalMemory steady(kWords * 8 * kThreads);
    // Memory that is published may be used during a visit. The number of a thread's visit is odd
    // meanwhile.
    std::atomic<void*> published{nullptr};
    std::array<std::atomic<unsigned>, kThreads> visits{};
    const auto wait_for_visitors = [&] {
        for (const std::atomic<unsigned>& visit : visits) {
            const unsigned now = visit;
            while (now % 2 != 0 && visit == now) {
                sched_yield();
            }
        }
    };
    std::atomic<bool> is_over{false};
    ARMCI_Barrier();
    run_threads([&](int id) {
        if (id == 0) {
            for (int64_t round = 0; round < scaled(40); ++round) {
                std::vector<void*> fresh(static_cast<size_t>(nproc()), nullptr);
                ASSERT_EQ(ARMCI_Malloc(fresh.data(), kWords * 8 * kThreads), 0);
                published = fresh[static_cast<size_t>(me())];
                sched_yield();
                published = nullptr;
                wait_for_visitors();
                ARMCI_Free(fresh[static_cast<size_t>(me())]);
            }
            is_over = true;
            return;
        }
        for (long value = 1; !is_over; ++value) {
            long back = 0;
            ARMCI_Put(&value, steady.element<long>(me(), kWords * id), 8, me());
            ARMCI_Get(steady.element<long>(me(), kWords * id), &back, 8, me());
            EXPECT_EQ(back, value);
            ++visits[static_cast<size_t>(id)];
            if (void* fresh = published; fresh != nullptr) {
                long* word = static_cast<long*>(fresh) + kWords * id;
                ARMCI_Put(&value, word, 8, me());
                ARMCI_Get(word, &back, 8, me());
                EXPECT_EQ(back, value);
            }
            ++visits[static_cast<size_t>(id)];
            sched_yield();
        }
    });
    ARMCI_Barrier();
}

uint64_t local_operations() {
    armcix_stats_t stats{};
    ARMCIX_Stats(&stats, sizeof stats);
    return stats.put[ARMCIX_ROUTE_LOCAL].operations + stats.get[ARMCIX_ROUTE_LOCAL].operations +
           stats.acc[ARMCIX_ROUTE_LOCAL].operations + stats.rmw;
}

// promise: stats.once-per-call
TEST(Threads, EveryOperationIsCountedOnce) {
    GlobalMemory memory(64 * kThreads);
    ARMCI_Barrier();
    const uint64_t before = local_operations();
    const int64_t rounds = scaled(200);
    for (int twice = 0; twice < 2; ++twice) {  // the second time in words that others have left
        run_threads([&](int id) {
            long* word = memory.element<long>(me(), 8 * id);
            long value = 0;
            long one = 1;
            for (int64_t i = 0; i < rounds; ++i) {
                ARMCI_Put(&value, word, 8, me());
                ARMCI_Get(word, &value, 8, me());
                ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, word, 8, me());
                ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &value, word, 1, me());
            }
        });
    }
    EXPECT_EQ(local_operations() - before, static_cast<uint64_t>(2 * 4 * kThreads * rounds));
    ARMCI_Barrier();
}

// ---- Local operations have no lock in common ----

constexpr int64_t kLongBytes = 256 << 10;

// Everything that a thread may do while another is inside the library: on its own rank's memory,
// which is on the local route in every job.
void use_the_local_route(char* remote) {
    std::vector<long> source(64, 7);
    std::vector<long> back(64, 0);
    long one = 1;
    long before = 0;
    int stride = 16;
    int count[2] = {8, 4};
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_Put(source.data(), remote, 512, me());
    ARMCI_Acc(ARMCI_ACC_LNG, &one, source.data(), remote, 512, me());
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &before, remote, 1, me());
    EXPECT_EQ(before, 14);
    ARMCI_PutS(source.data(), &stride, remote + 8, &stride, count, 1, me());
    ARMCI_AccS(ARMCI_ACC_LNG, &one, source.data(), &stride, remote + 8, &stride, count, 1, me());
    void* from = source.data();
    void* to = remote + 256;
    armci_giov_t piece{&from, &to, 8, 1};
    ARMCI_PutV(&piece, 1, me());
    ARMCI_NbPut(source.data(), remote + 264, 8, me(), &handle);
    ARMCI_NbAccS(ARMCI_ACC_LNG, &one, source.data(), &stride, remote + 272, &stride, count, 1, me(),
                 nullptr);
    ARMCI_PutValueLong(5, remote + 504, me());
    ARMCI_Fence(me());
    ARMCI_Lock(1, me());
    ARMCI_GetS(remote, &stride, back.data(), &stride, count, 1, me());
    ARMCI_Unlock(1, me());
    ARMCI_Get(remote, back.data(), 512, me());
    EXPECT_EQ(back[0], 15);
    EXPECT_EQ(back[1], 14);
    EXPECT_EQ(back[32], 7);
    EXPECT_EQ(back[33], 7);
    EXPECT_EQ(back[34], 21);
    EXPECT_EQ(back[63], 5);
}

// A thread stops in the middle of a long operation on its node's memory, and others complete
// operations of all kinds meanwhile. (With a common lock this would never end.)
// promise: threads.at-the-same-time
TEST(Threads, LocalOperationBlocksNoOtherThread) {
    GlobalMemory memory(2 * kLongBytes, MemoryKind::allocated);
    ASSERT_EQ(ARMCI_Create_mutexes(2), 0);
    ARMCI_Barrier();
    const std::vector<std::function<void(char*)>> operations = {
        [&](char* page) { ARMCI_Put(page, memory.mine(), 8, me()); },
        [&](char* page) { ARMCI_Put(page, memory.mine(), StoppingPage::kBytes, me()); },
        [&](char* page) { ARMCI_Get(memory.mine(), page, StoppingPage::kBytes, me()); },
        [&](char* page) {
            double scale = 2.0;
            ARMCI_Acc(ARMCI_ACC_DBL, &scale, page, memory.mine(), StoppingPage::kBytes, me());
        },
        [&](char* page) {
            int stride = 64;
            int count[2] = {32, StoppingPage::kBytes / 64};
            ARMCI_PutS(page, &stride, memory.mine(), &stride, count, 1, me());
        },
        [&](char* page) {
            void* from = page;
            void* to = memory.mine();
            armci_giov_t piece{&from, &to, StoppingPage::kBytes, 1};
            ARMCI_PutV(&piece, 1, me());
        },
        [&](char* page) { ARMCI_NbPut(page, memory.mine(), StoppingPage::kBytes, me(), nullptr); },
    };
    for (const auto& operation : operations) {
        StoppingPage page;
        std::thread held([&] { operation(page.memory()); });
        page.wait_until_reached();
        use_the_local_route(memory.mine() + kLongBytes);
        std::thread another([&] { use_the_local_route(memory.mine() + kLongBytes); });
        another.join();
        page.let_go();
        held.join();
    }
    ARMCI_Barrier();
    EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
}

// The same while it waits for a mutex. It acquires the mutex while another thread stands still with
// the lock that calls have in common. (If waiting needed that lock, this would never end.)
// promise: threads.at-the-same-time
TEST(Threads, WaitForAMutexBlocksNoOtherThread) {
    if (ARMCIX_Node(nproc() - 1) != ARMCIX_Node(0)) {
        GTEST_SKIP() << "with a network, the unlock needs that lock";
    }
    constexpr int kTag = 5;
    GlobalMemory memory(kLongBytes, MemoryKind::allocated);
    ASSERT_EQ(ARMCI_Create_mutexes(2), 0);
    ARMCI_Barrier();
    ARMCI_Lock(0, me());
    std::atomic<bool> has_it{false};
    StoppingYield yield;
    std::thread waiting([&] {
        t_stopping_yield = &yield;
        ARMCI_Lock(0, me());
        has_it = true;
        ARMCI_Unlock(0, me());
    });
    while (!yield.is_reached) {
        sched_yield();
    }
    use_the_local_route(memory.mine());
    StoppingPage page;
    std::thread held([&] { armci_msg_snd(kTag, page.memory(), StoppingPage::kBytes, me()); });
    page.wait_until_reached();
    yield.is_over = true;
    EXPECT_FALSE(has_it);
    ARMCI_Unlock(0, me());
    waiting.join();
    EXPECT_TRUE(has_it);
    page.let_go();
    held.join();
    std::vector<char> sent(StoppingPage::kBytes);
    int bytes = 0;
    armci_msg_rcv(kTag, sent.data(), StoppingPage::kBytes, &bytes, me());
    EXPECT_EQ(bytes, StoppingPage::kBytes);
    ARMCI_Barrier();
    EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
}

TEST(Threads, BarrierMovesMessagesOfTheProgram) {
    send_across_barriers();
}

}  // namespace
}  // namespace armci::mp

int main(int argc, char** argv) {
    armci::mp::Program program;
    program.thread_level = MPI_THREAD_MULTIPLE;
    return armci::mp::run_tests(argc, argv, program);
}
