// One-sided progress: a rank that does not call the library is served all the same.
//
// None of these tests looks at a clock to pass or fail. The idle rank is released by the others
// only after all their operations on it are complete: without progress the job hangs and is timed
// out.
#include <gtest/gtest.h>

#include <vector>

#include "support/playground.h"

namespace armci::mp {
namespace {

constexpr int64_t kProgressArea = 32 * 1024;

// What the others do to the idle rank: every kind of operation, each checked on the spot.
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
    // A word the idle rank may watch, by plain loads.
    long* bell(int proc) const { return words_.element<long>(proc, 0); }

    // At least `seconds` of operations on `idle`; all of them are complete on return.
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

// How long the visits last: long enough for a compute phase, short on slow providers.
double brief() {
    return scaled(8) >= 8 ? 0.2 : 0.05;
}
double long_enough() {
    return scaled(8) >= 8 ? 1.0 : 0.1;
}

// The communicator of everybody but `idle`.
MPI_Comm comm_without(int idle) {
    MPI_Comm others = MPI_COMM_NULL;
    MPI_Comm_split(harness_comm(), me() == idle ? MPI_UNDEFINED : 0, me(), &others);
    return others;
}

// Runs `rest` on the idle rank while the others visit it; when all visits are over, one of the
// others calls `release`. The first and the last rank take their turn at being idle: one of them
// hosts its node's data server, the other may not.
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

// The idle rank computes, and watches a word in its own slice without calling anything.
// promise: progress.target-need-not-call, mutex.owner-need-not-call
TEST(Progress, TargetComputes) {
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
TEST(Progress, TargetInMpiBarrier) {
    check_progress(
        brief(), [](Visitors&) { MPI_Barrier(harness_comm()); },
        [](Visitors&, int, bool) { MPI_Barrier(harness_comm()); });
}

// promise: progress.target-need-not-call
TEST(Progress, TargetInMpiReceive) {
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

// All ranks but one wait in the library's own collective for a rank that needs them all.
TEST(Progress, OthersInLibraryBarrier) {
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

// A large message that its sender has started before the barrier, and whose receiver takes it before
// it comes there. MPI may need calls of the sender for that.
TEST(Progress, MessagesOfTheProgramWhileTheirSenderIsInABarrier) {
    if (nproc() < 2) {
        GTEST_SKIP() << "needs 2 ranks";
    }
    constexpr int kInts = 1 << 20;
    for (int sender = 0; sender < nproc(); ++sender) {
        const int receiver = (sender + 1) % nproc();
        std::vector<int> data;
        MPI_Request request = MPI_REQUEST_NULL;
        if (me() == sender) {
            data.assign(kInts, sender + 1);
            MPI_Isend(data.data(), kInts, MPI_INT, receiver, 0, harness_comm(), &request);
        } else if (me() == receiver) {
            data.resize(kInts);
            MPI_Recv(data.data(), kInts, MPI_INT, sender, 0, harness_comm(), MPI_STATUS_IGNORE);
            EXPECT_EQ(data.front(), sender + 1);
            EXPECT_EQ(data.back(), sender + 1);
        }
        ARMCI_Barrier();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

}  // namespace
}  // namespace armci::mp
