// SPDX-License-Identifier: BSD-3-Clause
// Litmus tests of the memory model: small programs of two, three or more ranks with one outcome
// that docs/semantics.md forbids. Each test names the rule that it relies on. Places, kinds of
// memory, ways to change and to read, and delays are random, so that every pair of routes occurs.
//
// Every rank goes through the same list of rounds and plays its part in a round, if it has one.
// Ranks are synchronised only between lists. Places are zero at the start of a list, and a round
// has places of its own.
// docs/references.md: Alglave 2014
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "armci/armcix.h"
#include "litmus_board.h"
#include "support/check.h"

namespace armci::mp {
namespace {

constexpr int kRounds = 48;            // of a list
constexpr int64_t kRoundWords = 2048;  // 16 KiB: more than one message
constexpr int64_t kMaxPieces = 64;     // of strided and vector changes; by RMA each is a write
constexpr int64_t kSignalWords = 4;    // of a round, after the words of all rounds
constexpr int64_t kFirstSignal = kRounds * kRoundWords;
constexpr int64_t kBoardWords = kFirstSignal + kRounds * kSignalWords;

int64_t data_word(int round, int64_t part = 0) {
    return round * kRoundWords + part * (kRoundWords / 2);
}
int64_t signal_word(int round, int64_t part = 0) {
    return kFirstSignal + round * kSignalWords + part;
}

int random_rank(Rng& rng) {
    return static_cast<int>(rng.between(0, nproc() - 1));
}

// Different ranks in random order, as many as there are at most.
std::vector<int> random_ranks(Rng& rng, int64_t count) {
    std::vector<int> ranks;
    for (int rank = 0; rank < nproc(); ++rank) {
        ranks.push_back(rank);
    }
    rng.shuffle(ranks);
    ranks.resize(static_cast<size_t>(std::min<int64_t>(count, nproc())));
    return ranks;
}

// The number of words of one change: often one, sometimes more than fit into one message.
int64_t random_length(Rng& rng) {
    const std::vector<int64_t> max = {1, 1, 4, kMaxPieces, 300, kRoundWords};
    return rng.between(1, rng.pick(max));
}

Change random_change_of(Rng& rng, int64_t words) {
    Change change = random_change(rng, words);
    while (words > kMaxPieces && (change == Change::put_strided || change == Change::put_vector ||
                                  change == Change::acc_strided || change == Change::acc_vector)) {
        change = random_change(rng, words);
    }
    return change;
}

// Reads that check words in several pieces are for short changes.
Look random_look_of(Rng& rng, const Board& board, const Place& place, int64_t words) {
    Look look = board.random_look(rng, place);
    while (words > kMaxPieces && look == Look::get_strided) {
        look = board.random_look(rng, place);
    }
    return look;
}

class Litmus : public ::testing::Test {
  protected:
    // Draws `lists` lists of rounds with `draw`, and runs each.
    template <class Draw, class Run>
    void run_lists(int64_t lists, Draw&& draw, Run&& run) {
        for (int64_t list = 0; list < lists && !HasFailure(); ++list) {
            for (int round = 0; round < kRounds; ++round) {
                const auto plan = draw(round);
                board_.delay(mine_);
                run(round, plan);
            }
            board_.clear();
        }
    }

    int value_of(int round) const { return round + 1; }

    Board board_{kBoardWords};
    Rng common_ = common_rng();
    Rng mine_ = rank_rng();
};

// ---- Message passing ----

// The route that the last put or accumulate of this rank took. Attached memory is counted
// separately: system calls inside the node, no RMA between nodes.
constexpr size_t kRouteKinds = 2 * 3;

template <class Function>
void for_each_pair(Function&& f) {
    for (size_t data = 0; data < kRouteKinds; ++data) {
        for (size_t flag = 0; flag < kRouteKinds; ++flag) {
            f(data, flag);
        }
    }
}

class RouteWatch {
  public:
    RouteWatch() { ARMCIX_Stats(&before_, sizeof before_); }

    int kind(const Place& place) const {
        armcix_stats_t now{};
        ARMCIX_Stats(&now, sizeof now);
        int route =
            ARMCIX_Node(place.rank) == ARMCIX_Node(me()) ? ARMCIX_ROUTE_LOCAL : ARMCIX_ROUTE_SERVER;
        if (now.put[ARMCIX_ROUTE_RMA].operations != before_.put[ARMCIX_ROUTE_RMA].operations) {
            route = ARMCIX_ROUTE_RMA;
        }
        return 2 * route + (place.area == Area::attached ? 1 : 0);
    }

  private:
    armcix_stats_t before_{};
};

struct Message {
    int writer, observer;
    Place data, flag;
    int64_t words;
    Change change;
    Signal signal;
    std::string describe(const Board& board) const {
        return "rank " + std::to_string(writer) + ": " + name_of(change) + " of " +
               std::to_string(words) + " words to " + board.describe(data) + ", " +
               name_of(signal) + " to " + board.describe(flag) + ", seen by rank " +
               std::to_string(observer);
    }
};

// "Blocking operations take effect in program order, whatever mixture of put, get, accumulate and
// rmw, and whatever routes they take"; the flag of Put_flag "is visible only after the data". Data
// and flag are of one rank. A rank that sees the flag sees the data. No fence.
TEST_F(Litmus, MessagePassingAtOneTarget) {
    std::vector<long> met(kRouteKinds * kRouteKinds, 0);
    run_lists(
        scaled(64),
        [&](int round) {
            Message plan;
            plan.writer = random_rank(common_);
            plan.observer = random_rank(common_);
            const int target = random_rank(common_);
            plan.data = board_.random_place(common_, target, data_word(round));
            plan.flag = board_.random_place(common_, target, signal_word(round));
            plan.words = random_length(common_);
            plan.change = random_change_of(common_, plan.words);
            plan.signal = random_signal(common_);
            return plan;
        },
        [&](int round, const Message& plan) {
            if (plan.writer == me()) {
                const RouteWatch data_watch;
                board_.change(plan.data, plan.change, plan.words, 0, value_of(round));
                const size_t data_route = data_watch.kind(plan.data);
                if (mine_.chance(50)) {
                    board_.take_a_turn(random_rank(mine_));
                }
                const RouteWatch flag_watch;
                board_.signal(plan.flag, plan.signal, value_of(round));
                if (plan.data.rank != me()) {
                    ++met[data_route * kRouteKinds + flag_watch.kind(plan.flag)];
                }
            }
            if (plan.observer == me()) {
                board_.await(plan.flag, board_.random_look(mine_, plan.flag), value_of(round));
                board_.expect_all(plan.data, random_look_of(mine_, board_, plan.data, plan.words),
                                  plan.words, value_of(round), plan.describe(board_));
            }
        });
    // Every pair of a route for data and a route for flags occurred, inside the node and between
    // nodes.
    sum_over_ranks(met);
    std::vector<bool> data_took(kRouteKinds);
    std::vector<bool> flag_took(kRouteKinds);
    for_each_pair([&](size_t data, size_t flag) {
        data_took[data] = data_took[data] || met[data * kRouteKinds + flag] > 0;
        flag_took[flag] = flag_took[flag] || met[data * kRouteKinds + flag] > 0;
    });
    const auto is_local = [](size_t kind) { return kind / 2 == ARMCIX_ROUTE_LOCAL; };
    for_each_pair([&](size_t data, size_t flag) {
        if (data_took[data] && flag_took[flag] && is_local(data) == is_local(flag)) {
            EXPECT_GT(met[data * kRouteKinds + flag], 0)
                << "data by route " << data << " never met a flag by route " << flag;
        }
    });
}

// A notification is "visible only after all earlier operations of the same origin to that target
// that were blocking or have been waited for". No fence.
TEST_F(Litmus, NotificationIsVisibleAfterTheData) {
    run_lists(
        scaled(16),
        [&](int round) {
            Message plan;
            plan.writer = random_rank(common_);
            plan.observer = random_rank(common_);
            plan.data = board_.random_place(common_, plan.observer, data_word(round));
            plan.words = random_length(common_);
            plan.change = random_change_of(common_, plan.words);
            return plan;
        },
        [&](int round, const Message& plan) {
            if (plan.writer == me()) {
                board_.change(plan.data, plan.change, plan.words, 0, value_of(round));
                armci_notify(plan.observer);
            }
            if (plan.observer == me()) {
                int number = 0;
                armci_notify_wait(plan.writer, &number);
                board_.expect_all(plan.data, random_look_of(mine_, board_, plan.data, plan.words),
                                  plan.words, value_of(round),
                                  std::string("notified of ") + name_of(plan.change));
            }
        });
}

// ---- One place ----

struct OwnProgram {
    int writer;
    Place place;
    int64_t words;
    std::vector<Change> changes;
};

// "A get sees every earlier put and accumulate of the same origin without any fence": put→get,
// acc→get, rmw→put, put→acc and every other pair, on the same words. All other ranks are busy.
TEST_F(Litmus, GetSeesEveryEarlierChangeOfItsOrigin) {
    run_lists(
        scaled(40),
        [&](int round) {
            OwnProgram plan;
            plan.writer = random_rank(common_);
            plan.place = board_.random_place(common_, random_rank(common_), data_word(round));
            plan.words = random_length(common_);
            for (int64_t i = common_.between(2, 5); i > 0; --i) {
                plan.changes.push_back(random_change_of(common_, plan.words));
            }
            return plan;
        },
        [&](int, const OwnProgram& plan) {
            if (plan.writer != me()) {
                return;
            }
            long now = 0;
            std::string done;
            for (const Change change : plan.changes) {
                const long next = now + mine_.between(1, 1000);
                board_.change(plan.place, change, plan.words, now, next);
                now = next;
                done += std::string(name_of(change)) + ", ";
                if (mine_.chance(60)) {
                    board_.expect_all(plan.place,
                                      random_look_of(mine_, board_, plan.place, plan.words),
                                      plan.words, now, done + "then read");
                }
            }
            ARMCI_Fence(plan.place.rank);
            board_.expect_all(plan.place, Look::get, plan.words, now, done + "fence, then read");
        });
}

// "Non-blocking operations are unordered until they are waited for": a blocking get that follows
// sees each word before or after the change. "After Wait they count as blocking ones." "They are
// never ordered before an earlier blocking operation": the value of that is gone.
TEST_F(Litmus, GetSeesNonBlockingChangeWhollyOrNotPerWord) {
    run_lists(
        scaled(24),
        [&](int round) {
            OwnProgram plan;
            plan.writer = random_rank(common_);
            plan.place = board_.random_place(common_, random_rank(common_), data_word(round));
            plan.words = random_length(common_);
            plan.changes = {random_change_of(common_, plan.words)};
            return plan;
        },
        [&](int, const OwnProgram& plan) {
            if (plan.writer != me()) {
                return;
            }
            const Change first = plan.changes.front();
            board_.change(plan.place, first, plan.words, 0, 7);
            const bool by_acc = mine_.chance(50);
            board_.start_change(plan.place, by_acc, plan.words, 7, 1000);
            std::vector<long> seen(static_cast<size_t>(plan.words), -1);
            board_.read(plan.place, Look::get, plan.words, seen.data());
            for (const long word : seen) {
                EXPECT_TRUE(word == 7 || word == 1000)
                    << word << " after " << name_of(first) << " of 7 and a non-blocking "
                    << (by_acc ? "acc" : "put") << " of 1000 to " << board_.describe(plan.place);
            }
            board_.finish_started();
            board_.expect_all(plan.place, random_look_of(mine_, board_, plan.place, plan.words),
                              plan.words, 1000,
                              std::string(name_of(first)) + ", nb change, wait, read");
        });
}

struct Counting {
    int writer, observer;
    Place place;
    Look look;
};

// "Blocking operations take effect in program order": no rank sees a word that one origin counts up
// decrease.
TEST_F(Litmus, CountedWordNeverDecreases) {
    constexpr long kLast = 24;  // one byte: words may be read in several pieces
    run_lists(
        scaled(16),
        [&](int round) {
            return Counting{random_rank(common_), random_rank(common_),
                            board_.random_place(common_, random_rank(common_), data_word(round)),
                            Look::get};
        },
        [&](int, const Counting& plan) {
            if (plan.writer == me()) {
                for (long value = 1; value <= kLast; ++value) {
                    // An rmw is atomic only with rmw, but no other rank changes the word.
                    board_.change(plan.place, random_change(mine_, 1), 1, value - 1, value);
                }
            }
            if (plan.observer == me()) {
                long before = 0;
                while (before != kLast) {
                    const Look look = board_.random_look(mine_, plan.place);
                    const long now = board_.read_word(plan.place, look);
                    EXPECT_GE(now, before) << "in " << board_.describe(plan.place) << ", by "
                                           << name_of(look) << ", counted by rank " << plan.writer;
                    if (now < before || now > kLast) {
                        break;
                    }
                    before = now;
                    sched_yield();
                }
            }
        });
}

// ---- Two origins ----

struct Pair {
    std::vector<int> origins;  // may be one, in a job of one rank
    Place places[2];
    Change changes[2];
};

class LitmusOfTwo : public Litmus {
  protected:
    // Both origins of a round run `part(side, plan)`, which returns what it has read; `is_allowed`
    // checks the two readings. Each origin puts a one at a place of its own.
    void run_pairs(int64_t lists, const std::function<long(int, const Pair&)>& part,
                   const std::function<bool(long, long)>& is_allowed, const char* what) {
        for (int64_t list = 0; list < lists && !HasFailure(); ++list) {
            std::vector<long> readings(2 * kRounds, 0);
            std::vector<Pair> plans;
            for (int round = 0; round < kRounds; ++round) {
                Pair plan;
                plan.origins = random_ranks(common_, 2);
                for (int side = 0; side < 2; ++side) {
                    plan.places[side] =
                        board_.random_place(common_, random_rank(common_), data_word(round, side));
                    plan.changes[side] = random_change(common_, 1);
                }
                plans.push_back(plan);
                for (size_t side = 0; side < plan.origins.size(); ++side) {
                    if (plan.origins[side] == me()) {
                        readings[static_cast<size_t>(round) * 2 + side] =
                            part(static_cast<int>(side), plan);
                    }
                }
            }
            sum_over_ranks(readings);
            for (size_t round = 0; round < kRounds; ++round) {
                const Pair& plan = plans[round];
                EXPECT_TRUE(plan.origins.size() < 2 ||
                            is_allowed(readings[2 * round], readings[2 * round + 1]))
                    << what << ": ranks " << plan.origins[0] << " and " << plan.origins[1]
                    << " read " << readings[2 * round] << " and " << readings[2 * round + 1]
                    << " in " << board_.describe(plan.places[1]) << " and "
                    << board_.describe(plan.places[0]) << ", written by "
                    << name_of(plan.changes[0]) << " and " << name_of(plan.changes[1]);
            }
            board_.clear();
        }
    }

    long look(const Place& place) {
        return board_.read_word(place, board_.random_look(mine_, place));
    }
};

// Store buffering. Fence: "remote completion: the effect is in the target's memory and visible to
// every process". Two ranks each change a word, fence, and read the other's word: at least one sees
// the other's change. (Without the fences both may miss it.)
// promise: order.two-fences
TEST_F(LitmusOfTwo, StoreBufferingWithFences) {
    run_pairs(
        scaled(40),
        [&](int side, const Pair& plan) {
            const Place& own = plan.places[side];
            const Place& other = plan.places[1 - side];
            if (mine_.chance(40)) {
                board_.delay(mine_);
            }
            board_.change(own, plan.changes[side], 1, 0, 1);
            if (mine_.chance(50)) {
                ARMCI_Fence(own.rank);
            } else {
                ARMCI_AllFence();
            }
            return look(other);
        },
        [](long a, long b) { return a == 1 || b == 1; }, "store buffering");
}

// Load buffering. Gets are "complete on return". Two ranks each read a word and then change the
// word that the other reads: they do not both see the other's change.
TEST_F(LitmusOfTwo, LoadBuffering) {
    run_pairs(
        scaled(40),
        [&](int side, const Pair& plan) {
            if (mine_.chance(40)) {
                board_.delay(mine_);
            }
            const long seen = look(plan.places[1 - side]);
            board_.change(plan.places[side], plan.changes[side], 1, 0, 1);
            return seen;
        },
        [](long a, long b) { return a == 0 || b == 0; }, "load buffering");
}

// ---- Chains of ranks ----

// How the first rank of a chain completes its change remotely.
enum class Completing { fence, all_fence, started_and_fence, started_and_all_fence };

struct Chain {
    std::vector<int> ranks;
    std::vector<Place> flags;  // of all but the first
    std::vector<Signal> signals;
    Place data;
    int64_t words;
    Change change;
    Completing completing;
    bool by_message;  // the last link is a message of MPI
};

// "Put, Fence, then MPI_Barrier or a message is enough": the first rank changes words anywhere and
// fences. The ranks of the chain inform each other by flags in their memory. The last one reads the
// words. "Fence(p): remote completion of everything this process did to p", waited for or not.
TEST_F(Litmus, FencedChangeIsVisibleAtTheEndOfAChain) {
    constexpr int kTag = 5;
    run_lists(
        scaled(40),
        [&](int round) {
            Chain plan;
            plan.ranks = random_ranks(common_, common_.between(2, 4));
            plan.data = board_.random_place(common_, random_rank(common_), data_word(round));
            plan.words = random_length(common_);
            plan.change = random_change_of(common_, plan.words);
            plan.completing = static_cast<Completing>(common_.between(0, 3));
            for (size_t i = 1; i < plan.ranks.size(); ++i) {
                plan.flags.push_back(board_.random_place(
                    common_, plan.ranks[i], signal_word(round, static_cast<int64_t>(i) - 1)));
                plan.signals.push_back(random_signal(common_));
            }
            plan.by_message = common_.chance(25);
            return plan;
        },
        [&](int round, const Chain& plan) {
            const auto found = std::find(plan.ranks.begin(), plan.ranks.end(), me());
            if (found == plan.ranks.end()) {
                return;
            }
            const auto place = static_cast<size_t>(found - plan.ranks.begin());
            const size_t last = plan.ranks.size() - 1;
            const int value = value_of(round);
            if (place == 0) {
                const bool started = plan.completing == Completing::started_and_fence ||
                                     plan.completing == Completing::started_and_all_fence;
                if (started) {
                    board_.start_change(plan.data, mine_.chance(50), plan.words, 0, value);
                } else {
                    board_.change(plan.data, plan.change, plan.words, 0, value);
                }
                if (plan.completing == Completing::fence ||
                    plan.completing == Completing::started_and_fence) {
                    ARMCI_Fence(plan.data.rank);
                } else {
                    ARMCI_AllFence();
                }
            } else if (place == last && plan.by_message) {
                int received = 0;
                MPI_Request request = MPI_REQUEST_NULL;
                MPI_Irecv(&received, 1, MPI_INT, plan.ranks[place - 1], kTag, harness_comm(),
                          &request);
                finish(request);
                EXPECT_EQ(received, value);
            } else {
                const Place& flag = plan.flags[place - 1];
                board_.await(flag, board_.random_look(mine_, flag), value);
            }
            if (place < last && place + 1 == last && plan.by_message) {
                MPI_Request request = MPI_REQUEST_NULL;
                MPI_Isend(&value, 1, MPI_INT, plan.ranks[last], kTag, harness_comm(), &request);
                finish(request);
            } else if (place < last) {
                board_.signal(plan.flags[place], plan.signals[place], value);
            }
            if (place == last) {
                board_.expect_all(plan.data, random_look_of(mine_, board_, plan.data, plan.words),
                                  plan.words, value,
                                  "at the end of a chain of " + std::to_string(last + 1) +
                                      " ranks from rank " + std::to_string(plan.ranks[0]));
            }
            board_.finish_started();
        });
}

// ---- Locks ----

// "Unlock completes all operations of the holder first, so the next holder sees them", waited for
// or not, and to all targets.
// promise: unlock.completes
TEST_F(Litmus, NextHolderSeesChangesOfTheLastHolder) {
    constexpr int kMutexes = 2;
    ASSERT_EQ(ARMCI_Create_mutexes(kMutexes), 0);
    for (int64_t list = 0; list < scaled(24) && !HasFailure(); ++list) {
        const int owner = random_rank(common_);
        const int mutex = static_cast<int>(common_.between(0, kMutexes - 1));
        // Three parts that always have the same value when no rank holds the mutex.
        std::vector<Place> places;
        for (int64_t i = 0; i < 3; ++i) {
            places.push_back(
                board_.random_place(common_, random_rank(common_), data_word(static_cast<int>(i))));
        }
        const int64_t words = random_length(common_);
        constexpr int kTurns = 4;
        for (int turn = 0; turn < kTurns; ++turn) {
            board_.delay(mine_);
            ARMCI_Lock(mutex, owner);
            const long now = board_.read_word(places[0], board_.random_look(mine_, places[0]));
            for (const Place& place : places) {
                board_.expect_all(place, random_look_of(mine_, board_, place, words), words, now,
                                  "in a section locked by mutex of rank " + std::to_string(owner));
            }
            for (const Place& place : places) {
                if (mine_.chance(40)) {
                    board_.start_change(place, mine_.chance(50), words, now, now + 1);
                } else {
                    board_.change(place, random_change_of(mine_, words), words, now, now + 1);
                }
            }
            ARMCI_Unlock(mutex, owner);
            board_.finish_started();
        }
        sync();
        for (const Place& place : places) {
            board_.expect_all(place, Look::get, words, long{kTurns} * nproc(),
                              "after all locked sections");
        }
        sync();
        board_.clear();
    }
    EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
}

// ---- Barrier ----

// "Barrier: remote completion of everything this process did", waited for or not. After it all
// ranks see it, however they read.
// promise: barrier.completes
TEST_F(Litmus, BarrierCompletesEverything) {
    struct Written {
        Place place;
        int64_t words;
        Change change;
        bool started;
    };
    for (int64_t list = 0; list < scaled(40) && !HasFailure(); ++list) {
        // Every rank writes one part, and draws the plans of all.
        std::vector<Written> plans;
        for (int writer = 0; writer < std::min(nproc(), kRounds); ++writer) {
            const int64_t words = random_length(common_);
            plans.push_back({board_.random_place(common_, random_rank(common_), data_word(writer)),
                             words, random_change_of(common_, words), common_.chance(50)});
        }
        const Written& own = plans[static_cast<size_t>(me())];
        board_.delay(mine_);
        if (own.started) {
            board_.start_change(own.place, mine_.chance(50), own.words, 0, 9);
        } else {
            board_.change(own.place, own.change, own.words, 0, 9);
        }
        ARMCI_Barrier();
        for (const Written& plan : plans) {
            board_.expect_all(plan.place, random_look_of(mine_, board_, plan.place, plan.words),
                              plan.words, 9,
                              std::string("after a barrier, ") +
                                  (plan.started ? "nb change" : name_of(plan.change)));
        }
        board_.clear();
    }
}

}  // namespace
}  // namespace armci::mp
