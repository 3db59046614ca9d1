// SPDX-License-Identifier: BSD-3-Clause
// One-sided progress: a rank that does not call the library is served all the same.
//
// None of these tests depends on a clock. The others release the idle rank only after all their
// operations on it are complete. Without progress the job hangs until its time limit.
#include <gtest/gtest.h>
#include <sched.h>

#include <cstring>
#include <functional>
#include <vector>

#include "armci/armcix.h"
#include "armci/message.h"
#include "program_messages.h"
#include "support/playground.h"

namespace armci::mp {
namespace {

constexpr int64_t kProgressArea = 32 * 1024;

// Operations of the others on the idle rank: every kind, each checked at once.
class Visitors {
  public:
    Visitors() : ground_(kProgressArea, kProgressArea, ARMCI_ACC_INT), words_(3 * sizeof(long)) {
        std::fill_n(words_.element<long>(me()), 3, 0);
        ARMCI_Create_mutexes(1);
        ARMCI_Barrier();
    }
    ~Visitors() { ARMCI_Destroy_mutexes(); }
    Visitors(const Visitors&) = delete;
    Visitors& operator=(const Visitors&) = delete;

    Playground& ground() { return ground_; }
    // A word that the idle rank may read by plain loads.
    long* bell(int proc) const { return words_.element<long>(proc, 0); }

    // Operates on `idle` for at least `seconds`. All operations are complete on return.
    void visit(Rng& rng, int idle, double seconds) {
        const double start = MPI_Wtime();
        long visits = 0;
        do {
            for (const Verb verb : {Verb::put, Verb::acc, Verb::get}) {
                const Transfer transfer =
                    random_transfer(rng, verb, ground_, ARMCI_ACC_INT, kProgressArea / 2);
                ground_.perform(transfer, idle, rng.pick(all_completions()));
            }
            ground_.check_by_get(idle, "while the target was idle");
            long old = -1;
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, words_.element<long>(idle, 1), 1, idle);
            EXPECT_GE(old, visits);
            ARMCI_Lock(0, idle);
            long counter = -1;
            ARMCI_Get(words_.element<long>(idle, 2), &counter, sizeof counter, idle);
            EXPECT_GE(counter, visits);
            ++counter;
            ARMCI_Put(&counter, words_.element<long>(idle, 2), sizeof counter, idle);
            ARMCI_Unlock(0, idle);
            ARMCI_Fence(idle);
            ++visits;
        } while (MPI_Wtime() - start < seconds && !testing::Test::HasFailure());
        visits_ += visits;
    }

    // Collective: both counters of the idle rank hold the number of visits.
    void check(int idle) {
        std::vector<long> total = {me() == idle ? 0 : visits_};
        sum_over_ranks(total);
        ARMCI_Barrier();
        if (me() == idle) {
            EXPECT_EQ(words_.element<long>(me())[1], total[0]);
            EXPECT_EQ(words_.element<long>(me())[2], total[0]);
        }
        ground_.check_by_owner("after visits to an idle rank");
    }

  private:
    Playground ground_;
    GlobalMemory words_;
    long visits_ = 0;
};

// How long the visits take: long enough for a compute phase, short on slow providers.
double brief() {
    return scaled(8) >= 8 ? 0.2 : 0.05;
}
double long_enough() {
    return scaled(8) >= 8 ? 1.0 : 0.1;
}

// The communicator of all ranks except `idle`.
MPI_Comm comm_without(int idle) {
    MPI_Comm others = MPI_COMM_NULL;
    MPI_Comm_split(harness_comm(), me() == idle ? MPI_UNDEFINED : 0, me(), &others);
    return others;
}

// Runs `rest` on the idle rank while the others visit it. When all visits are over, one of the
// others calls `release`. The first and the last rank are idle in turn: one of them hosts its
// node's data server, the other may not.
template <typename Rest, typename Release>
void check_progress(double seconds, Rest rest, Release release) {
    if (nproc() < 2) {
        GTEST_SKIP() << "needs 2 ranks";
    }
    for (const int idle : {0, nproc() - 1}) {
        Visitors visitors;
        MPI_Comm others = comm_without(idle);
        if (me() == idle) {
            rest(visitors);
        } else {
            Rng rng = rank_rng(static_cast<uint64_t>(idle));
            visitors.visit(rng, idle, seconds);
            MPI_Barrier(others);
            int rank_among_others = -1;
            MPI_Comm_rank(others, &rank_among_others);
            release(visitors, idle, rank_among_others == 0);
            MPI_Comm_free(&others);
        }
        visitors.check(idle);
    }
}

// The idle rank computes, and reads a word in its own slice without any call.
// promise: progress.target-need-not-call, mutex.owner-need-not-call
TEST(Progress, WhileTheTargetComputes) {
    check_progress(
        long_enough(),
        [](Visitors& visitors) {
            const volatile long* bell = visitors.bell(me());
            volatile double work = 1.0;
            while (*bell == 0) {
                work = work * 1.0000001 + 1e-9;
            }
        },
        [](Visitors& visitors, int idle, bool first) {
            if (first) {
                long ring = 1;
                ARMCI_Put(&ring, visitors.bell(idle), sizeof ring, idle);
                ARMCI_Fence(idle);
            }
        });
}

// promise: progress.target-need-not-call
TEST(Progress, WhileTheTargetIsInAnMpiBarrier) {
    check_progress(
        brief(), [](Visitors&) { MPI_Barrier(harness_comm()); },
        [](Visitors&, int, bool) { MPI_Barrier(harness_comm()); });
}

// promise: progress.target-need-not-call
TEST(Progress, WhileTheTargetIsInAnMpiReceive) {
    check_progress(
        brief(),
        [](Visitors&) {
            int token = 0;
            MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 17, harness_comm(), MPI_STATUS_IGNORE);
            EXPECT_EQ(token, 99);
        },
        [](Visitors&, int idle, bool first) {
            if (first) {
                const int token = 99;
                MPI_Send(&token, 1, MPI_INT, idle, 17, harness_comm());
            }
        });
}

// All ranks except one wait in a collective of the library for a rank that needs them all.
TEST(Progress, WhileAllOthersAreInALibraryBarrier) {
    if (nproc() < 2) {
        GTEST_SKIP() << "needs 2 ranks";
    }
    Playground ground(kProgressArea, kProgressArea, ARMCI_ACC_INT);
    for (int active = 0; active < nproc(); ++active) {
        if (me() == active) {
            Rng rng = rank_rng(static_cast<uint64_t>(active));
            for (int64_t i = 0; i < scaled(16); ++i) {
                for (int target = 0; target < nproc(); ++target) {
                    const Verb verb = rng.pick(std::vector<Verb>{Verb::put, Verb::acc, Verb::get});
                    ground.perform(
                        random_transfer(rng, verb, ground, ARMCI_ACC_INT, kProgressArea / 4),
                        target, Completion::blocking);
                    ground.check_by_get(target, "while the target is in a barrier");
                }
            }
        }
        if (active % 2 == 0) {
            ARMCI_Barrier();
        } else {
            armci_msg_barrier();
        }
    }
    ground.check_by_owner("while the others were in a barrier");
}

TEST(Progress, BarrierMovesMessagesOfTheProgram) {
    send_across_barriers();
}

// One rank makes every call that is not marked collective, while the others wait in MPI.
// promise: calls.need-no-partner
TEST(Progress, CallsThatNeedNoPartner) {
    if (nproc() < 2) {
        GTEST_SKIP() << "needs 2 ranks";
    }
    GlobalMemory memory(4096);
    ARMCI_Create_mutexes(1);
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(1, &world);
    for (int caller = 0; caller < nproc(); ++caller) {
        ARMCI_Barrier();
        if (me() != caller) {
            MPI_Barrier(harness_comm());
            continue;
        }
        int count[2] = {16, 3};
        int stride[1] = {32};
        double one = 1.0;
        std::vector<char> local(4096);
        for (int target = 0; target < nproc(); ++target) {
            char* remote = memory.at(target);
            void* source = local.data();
            void* destination = remote;
            armci_giov_t out = {&source, &destination, 64, 1};
            armci_giov_t in = {&destination, &source, 64, 1};
            ARMCI_Put(local.data(), remote, 100, target);
            ARMCI_Get(remote, local.data(), 100, target);
            ARMCI_Acc(ARMCI_ACC_DBL, &one, local.data(), remote, 80, target);
            ARMCI_Put_flag(local.data(), remote, 100, reinterpret_cast<int*>(remote) + 200, 1,
                           target);
            ARMCI_PutS(local.data(), stride, remote, stride, count, 1, target);
            ARMCI_GetS(remote, stride, local.data(), stride, count, 1, target);
            ARMCI_AccS(ARMCI_ACC_DBL, &one, local.data(), stride, remote, stride, count, 1, target);
            ARMCI_PutV(&out, 1, target);
            ARMCI_GetV(&in, 1, target);
            ARMCI_AccV(ARMCI_ACC_DBL, &one, &out, 1, target);
            ARMCI_NbPut(local.data(), remote, 100, target, nullptr);
            ARMCI_NbGet(remote, local.data() + 100, 100, target, nullptr);
            ARMCI_WaitProc(target);
            ARMCI_PutValueLong(5, remote, target);
            EXPECT_EQ(ARMCI_GetValueLong(remote, target), 5);
            long old = 0;
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, remote, 1, target);
            EXPECT_EQ(old, 5);
            ARMCI_Lock(0, target);
            ARMCI_Unlock(0, target);
            EXPECT_EQ(ARMCIX_Trylock_hdl(set, 0, target), 0);
            ARMCIX_Unlock_hdl(set, 0, target);
            armci_notify(target);
            ARMCI_Fence(target);
        }
        int number = 0;
        armci_notify_wait(me(), &number);
        ARMCI_WaitAll();
        ARMCI_AllFence();
        ARMCI_GroupFence(&world);
        ARMCIX_Progress();
        armci_meminfo_t info;
        ARMCI_Memget(64, &info, 0);
        ARMCI_PutValueInt(1, ARMCI_Memat(&info, 8), me());
        ARMCI_Memdt(&info, 8);
        ARMCI_Memctl(&info);
        ARMCIX_Attach(local.data(), local.size());
        ARMCIX_Detach(local.data());
        ARMCI_Group group;
        ARMCI_Group_create(1, std::vector<int>{me()}.data(), &group);
        ARMCI_Group_free(&group);
        ARMCI_Free_local(ARMCI_Malloc_local(100));
        ARMCI_Cleanup();
        MPI_Barrier(harness_comm());
    }
    for (int other = 0; other < nproc(); ++other) {
        int number = 0;
        if (other != me()) {
            armci_notify_wait(other, &number);
        }
    }
    EXPECT_EQ(ARMCIX_Destroy_mutexes_hdl(set), 0);
    ARMCI_Destroy_mutexes();
}

constexpr int kStartedBytes = 2 << 20;
constexpr int kMovedBytes = 3 * kStartedBytes + 64;

// To the right neighbour: a large put, a strided one, an accumulate and a small put.
void start_operations(const GlobalMemory& memory, std::vector<int>& source) {
    static int one = 1;
    source.assign(kStartedBytes / sizeof(int), 1);
    ARMCI_NbPut(source.data(), memory.at(right()), kStartedBytes, right(), nullptr);
    int stride[1] = {4096};
    int count[2] = {2048, kStartedBytes / 4096};
    ARMCI_NbPutS(source.data(), stride, memory.at(right(), kStartedBytes), stride, count, 1,
                 right(), nullptr);
    ARMCI_NbAcc(ARMCI_ACC_INT, &one, source.data(), memory.at(right(), 2 * kStartedBytes),
                kStartedBytes, right(), nullptr);
    ARMCI_NbPut(source.data(), memory.at(right(), 3 * kStartedBytes), 8, right(), nullptr);
}

// Whether the last words of the operations that the left neighbour has started are there, by plain
// loads.
bool have_arrived(const GlobalMemory& memory) {
    for (const int64_t at : {kStartedBytes - 4, 2 * kStartedBytes - 4096 + 2044,
                             3 * kStartedBytes - 4, 3 * kStartedBytes}) {
        if (*reinterpret_cast<const volatile int*>(memory.mine() + at) != 1) {
            return false;
        }
    }
    return true;
}

// A rank starts operations, and then waits in an unrelated call for a rank that waits for the
// operations and calls nothing. Without progress in that call the job hangs.
// promise: progress.in-any-call
TEST(Progress, StartedOperationsProgressInAnyCall) {
    if (nproc() < 2) {
        GTEST_SKIP() << "needs 2 ranks";
    }
    constexpr int kTag = 12;
    ARMCI_Create_mutexes(1);
    const auto waits = std::vector<std::function<void(int, bool)>>{
        // (of which rank, whether to wait or to be waited for)
        [](int other, bool is_waiting) {
            int number = 0;
            is_waiting ? armci_notify_wait(other, &number) : armci_notify(other);
        },
        [](int other, bool is_waiting) {
            int word = 0;
            is_waiting ? armci_msg_rcv(kTag, &word, sizeof word, nullptr, other)
                       : armci_msg_snd(kTag, &word, sizeof word, other);
        },
        [](int, bool) { ARMCI_Barrier(); },
        [](int, bool) { armci_msg_barrier(); },
        [](int, bool) {
            int word = 1;
            char plus[] = "+";
            armci_msg_igop(&word, 1, plus);
            EXPECT_EQ(word, nproc());
        },
        // The rank that is waited for holds its mutex.
        [](int other, bool is_waiting) {
            ARMCI_Lock(0, is_waiting ? other : me());
            ARMCI_Unlock(0, is_waiting ? other : me());
        },
    };
    const size_t lock = waits.size() - 1;
    for (size_t i = 0; i < waits.size(); ++i) {
        SCOPED_TRACE("wait " + std::to_string(i));
        for (const int waiting : {0, nproc() - 1}) {
            GlobalMemory memory(kMovedBytes);
            std::memset(memory.mine(), 0, kMovedBytes);
            ARMCI_Barrier();
            const int target = (waiting + 1) % nproc();
            std::vector<int> source;
            if (i == lock && me() == target) {
                ARMCI_Lock(0, me());
            }
            sync();
            if (me() == waiting) {
                start_operations(memory, source);
                waits[i](target, true);
                ARMCI_WaitAll();
            } else if (me() == target) {
                while (!have_arrived(memory)) {
                    sched_yield();
                }
                if (i == lock) {
                    ARMCI_Unlock(0, me());
                } else {
                    waits[i](waiting, false);
                }
            } else if (i >= 2 && i != lock) {
                waits[i](target, false);  // collective
            }
            ARMCI_Barrier();
        }
    }
    ARMCI_Destroy_mutexes();
}

// promise: progress.call
TEST(Progress, StartedOperationsProgressInProgressCalls) {
    if (nproc() < 2) {
        GTEST_SKIP() << "needs 2 ranks";
    }
    GlobalMemory memory(kMovedBytes);
    for (int64_t round = 0; round < scaled(8); ++round) {
        std::memset(memory.mine(), 0, kMovedBytes);
        ARMCI_Barrier();
        std::vector<int> source;
        start_operations(memory, source);
        // Until the neighbour has seen them.
        int token = 0;
        MPI_Request seen = MPI_REQUEST_NULL;
        MPI_Irecv(&token, 1, MPI_INT, right(), 3, harness_comm(), &seen);
        bool has_reported = false;
        int is_seen = 0;
        while (is_seen == 0 || !has_reported) {
            ARMCIX_Progress();
            if (!has_reported && have_arrived(memory)) {
                has_reported = true;
                MPI_Send(&token, 1, MPI_INT, left(), 3, harness_comm());
            }
            if (is_seen == 0) {
                MPI_Test(&seen, &is_seen, MPI_STATUS_IGNORE);
            }
            sched_yield();
        }
        ARMCI_WaitAll();
        ARMCI_Barrier();
    }
}

}  // namespace
}  // namespace armci::mp
