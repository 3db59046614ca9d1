// SPDX-License-Identifier: BSD-3-Clause
// Whether a rank polls or sleeps while it waits, learned in worlds where one or the other is right.
// A world is a function that returns how long a wait takes if the rank polls so long first.
#include "base/waiting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>

namespace armci::base::test {
namespace {

constexpr int64_t kMinNs = 10'000;
constexpr int64_t kMaxNs = 50'000;
constexpr int64_t kWakeUpNs = 5'000;

struct Chance {
    double share() { return (static_cast<double>(engine()) + 0.5) / 4294967296.0; }
    bool happens(double probability) { return share() < probability; }
    int64_t about(double mean) { return static_cast<int64_t>(-mean * std::log(share())); }
    std::mt19937 engine;
};

// The answering thread has its own processor, and needs so long.
int64_t by_itself(Waiting& waiting, int64_t answer_ns) {
    const int64_t spin_ns = waiting.spin_ns();
    if (answer_ns <= spin_ns) {
        return answer_ns;
    }
    waiting.slept(answer_ns - spin_ns + kWakeUpNs);
    return answer_ns + kWakeUpNs;
}

// The answering thread needs this processor for so long.
int64_t by_neighbour(Waiting& waiting, int64_t answer_ns) {
    const int64_t spin_ns = waiting.spin_ns();
    waiting.slept(answer_ns);
    return spin_ns + answer_ns;
}

struct Total {
    double ns = 0;
    int waits = 0;
    int asleep = 0;
};

// The time of wait `number`.
using World = std::function<int64_t(Waiting&, int number, Chance&)>;

Total live_in(const World& world, Waiting& waiting, int waits, uint32_t seed = 1) {
    Chance chance;
    chance.engine.seed(seed);
    Total total;
    for (int number = 0; number < waits; ++number) {
        ++total.waits;
        total.asleep += waiting.spin_ns() == 0 ? 1 : 0;
        const int64_t ns = world(waiting, number, chance);
        total.ns += static_cast<double>(ns);
        waiting.ended(ns);
    }
    return total;
}

Waiting learner() {
    return {kMinNs, kMaxNs, Waiting::Trials::yes};
}

Total live_in(const World& world, int waits) {
    Waiting waiting = learner();
    return live_in(world, waiting, waits);
}

constexpr int kManyWaits = 40'000;

struct WorldCase {
    const char* name;
    double max;  // of the time of the better way, if it were known
    World world;
};

void PrintTo(const WorldCase& world, std::ostream* stream) {
    *stream << world.name;
}

class WaitingInWorld : public testing::TestWithParam<WorldCase> {};

TEST_P(WaitingInWorld, CostsLittleMoreThanTheBetterOfPollAndSleep) {
    const WorldCase& world = GetParam();
    double learned = 0;
    double polled = 0;
    double asleep = 0;
    for (uint32_t seed = 1; seed <= 20; ++seed) {
        Waiting waiting = learner();
        Waiting polls(kMinNs, kMaxNs, Waiting::Trials::no);
        Waiting sleeps(0, 0, Waiting::Trials::no);
        learned += live_in(world.world, waiting, kManyWaits, seed).ns;
        polled += live_in(world.world, polls, kManyWaits, seed).ns;
        asleep += live_in(world.world, sleeps, kManyWaits, seed).ns;
    }
    EXPECT_LT(learned, world.max * std::min(polled, asleep))
        << polled / learned << " polled, " << asleep / learned << " asleep";
}

bool is_asleep(const Waiting& waiting) {
    return waiting.spin_ns() == 0;
}

const WorldCase kWorlds[] = {
    {"Quick", 1.001, [](Waiting& w, int, Chance&) { return by_itself(w, 3'000); }},
    {"ByItself", 1.01, [](Waiting& w, int, Chance&) { return by_itself(w, 9'000); }},
    {"Late", 1.01, [](Waiting& w, int, Chance&) { return by_itself(w, 13'000); }},
    {"Neighbour", 1.1, [](Waiting& w, int, Chance&) { return by_neighbour(w, 9'000); }},
    {"OfAllLengths", 1.03,
     [](Waiting& w, int, Chance& chance) { return by_itself(w, 500 + chance.about(15'000)); }},
    {"SomeVeryLong", 1.05,
     [](Waiting& w, int, Chance& chance) {
         return by_itself(w, 8'000 + (chance.happens(0.3) ? chance.about(200'000) : 0));
     }},
    // Another process uses the processor for a while.
    {"Interrupted", 1.03,
     [](Waiting& w, int, Chance& chance) {
         return by_itself(w, chance.happens(0.01) ? 3'000'000 : 9'000);
     }},
    {"NeighbourInterrupted", 1.2,
     [](Waiting& w, int, Chance& chance) {
         return by_neighbour(w, chance.happens(0.01) ? 3'000'000 : 9'000);
     }},
    // Polling is faster except for one wait in which it keeps the processor from the answering
    // thread.
    {"NowAndThenStarved", 2,
     [](Waiting& w, int number, Chance&) {
         return number % 8 != 0 ? by_itself(w, 4'000)
                : is_asleep(w)  ? int64_t{14'000}
                                : int64_t{4'000'000};
     }},
    {"SometimesStarved", 2,
     [](Waiting& w, int, Chance& chance) {
         return is_asleep(w) ? int64_t{14'000} : chance.happens(0.1) ? 4'000'000 : 8'000;
     }},
    // Sleeping is faster except for one wait whose wake-up is missed.
    {"WakeUpsAreLost", 1.2,
     [](Waiting& w, int, Chance& chance) {
         return !is_asleep(w) ? int64_t{12'000} : chance.happens(0.1) ? 1'000'000 : 9'000;
     }},
    {"LongStarvation", 1.1,
     [](Waiting& w, int, Chance&) { return is_asleep(w) ? int64_t{1'200'000} : 6'000'000; }},
    // Long transfers follow short ones, which have taught the opposite.
    {"ThenOfAnotherKind", 1.1,
     [](Waiting& w, int number, Chance&) {
         return number < kManyWaits / 4 ? by_neighbour(w, 9'000)
                : is_asleep(w)          ? int64_t{1'400'000}
                                        : int64_t{920'000};
     }},
    {"ThenQuickByItself", 0.7,
     [](Waiting& w, int number, Chance&) {
         return number < kManyWaits / 4 ? by_neighbour(w, 9'000)
                : is_asleep(w)          ? int64_t{5'000}
                                        : int64_t{1'000};
     }},
    {"InTurnsOfEight", 1.1,
     [](Waiting& w, int number, Chance&) {
         return by_itself(w, number % 16 < 8 ? 40'000 : 8'000);
     }},
    {"InTurnsOfSixteen", 1.1,
     [](Waiting& w, int number, Chance&) {
         return by_itself(w, number % 32 < 16 ? 40'000 : 8'000);
     }},
    {"ThreadsMoveOften", 1.1,
     [](Waiting& w, int number, Chance&) {
         return number / 2000 % 2 == 0 ? by_itself(w, 9'000) : by_neighbour(w, 9'000);
     }},
};

INSTANTIATE_TEST_SUITE_P(Worlds, WaitingInWorld, testing::ValuesIn(kWorlds),
                         [](const auto& world) { return std::string(world.param.name); });

// Sleeping cannot be faster.
TEST(LongestSleep, IsLongerThanATickWhereWakeUpsCanBeTrusted) {
    constexpr int64_t kLongestTickNs = 10'000'000;  // of a kernel with HZ=100
    for (const int64_t waited_ns : {int64_t{0}, int64_t{1'000'000}, int64_t{1'000'000'000}}) {
        EXPECT_GT(longest_sleep_ns(waited_ns, true, false), kLongestTickNs);
    }
}

TEST(LongestSleep, GrowsWithTheWaitWhereWakeUpsMayBeLost) {
    EXPECT_EQ(longest_sleep_ns(0, false, false), 1'000'000);
    EXPECT_EQ(longest_sleep_ns(80'000'000, false, false), 10'000'000);
    EXPECT_EQ(longest_sleep_ns(1'000'000'000, false, false), 20'000'000);
}

TEST(LongestSleep, IsShortWhileSomethingHasToBeRepeated) {
    for (const bool wakes_surely : {false, true}) {
        EXPECT_EQ(longest_sleep_ns(1'000'000'000, wakes_surely, true), 1'000'000);
    }
}

TEST(Waiting, NeverTriesSleepWhereAnswersAreQuick) {
    const Total total =
        live_in([](Waiting& w, int, Chance&) { return by_itself(w, 3'000); }, kManyWaits);
    EXPECT_EQ(total.asleep, 0);
}

TEST(Waiting, TriesTheOtherWayOccasionally) {
    const Total polled =
        live_in([](Waiting& w, int, Chance&) { return by_itself(w, 9'000); }, kManyWaits);
    EXPECT_GT(polled.asleep, 0);
    EXPECT_LT(polled.asleep, kManyWaits / 80);
    const Total slept =
        live_in([](Waiting& w, int, Chance&) { return by_neighbour(w, 9'000); }, kManyWaits);
    EXPECT_LT(slept.asleep, kManyWaits);
    EXPECT_GT(slept.asleep, kManyWaits - kManyWaits / 50);
}

TEST(Waiting, PollsOnlyTheMinimumWhenWaitsAreLong) {
    Waiting waiting(kMinNs, kMaxNs, Waiting::Trials::no);
    live_in([](Waiting& w, int, Chance&) { return by_itself(w, 14'000); }, waiting, 1000);
    EXPECT_GT(waiting.spin_ns(), kMinNs);
    live_in([](Waiting& w, int, Chance&) { return by_itself(w, 900'000); }, waiting, 100);
    EXPECT_EQ(waiting.spin_ns(), kMinNs);
}

// Polling delays the answer by all the time of polling, so a trial of polling is very slow. It ends
// once it has taken four fifths of a window of the other way.
TEST(Waiting, EndsATrialThatHasTakenTooLong) {
    constexpr int64_t kAnswerNs = 9'000;
    constexpr int64_t kPollingNs = 100'000;
    constexpr int64_t kLongestTrial = Waiting::kWindow * kAnswerNs / (kAnswerNs + kPollingNs) + 1;
    Waiting waiting(kPollingNs, kPollingNs, Waiting::Trials::yes);
    const World world = [](Waiting& w, int, Chance&) { return by_neighbour(w, kAnswerNs); };
    live_in(world, waiting, 10 * Waiting::kWindow);
    ASSERT_TRUE(is_asleep(waiting));
    int trials = 0;
    int in_trial = 0;
    for (int wait = 0; wait < kManyWaits; ++wait) {
        if (is_asleep(waiting)) {
            in_trial = 0;
        } else {
            trials += in_trial++ == 0 ? 1 : 0;
            ASSERT_LE(in_trial, kLongestTrial);
        }
        live_in(world, waiting, 1);
    }
    EXPECT_GT(trials, kManyWaits / Waiting::kWindow / Waiting::kLongestPause / 2);
}

// The kernel moves threads to other processors.
TEST(Waiting, RelearnsWhenThreadsMoveBetweenProcessors) {
    constexpr int kUntilNextTrial = (Waiting::kLongestPause + 4) * Waiting::kWindow;
    constexpr int kUntilCalledFor = 6 * Waiting::kWindow;
    const World itself = [](Waiting& w, int, Chance&) { return by_itself(w, 9'000); };
    const World later = [](Waiting& w, int, Chance&) { return by_itself(w, 14'000); };
    const World quick = [](Waiting& w, int, Chance&) { return by_itself(w, 2'000); };
    const World neighbour = [](Waiting& w, int, Chance&) { return by_neighbour(w, 9'000); };
    // A thread moves at any time, also just when a trial begins or ends. That trial is spoilt.
    int moves = 0;
    int late = 0;
    for (int phase = 0; phase < Waiting::kLongestPause * Waiting::kWindow; phase += 61) {
        const int long_while = 8'000 + phase;
        Waiting waiting = learner();
        const auto mostly_polls = [&](const World& world, int waits) {
            return live_in(world, waiting, waits).asleep < waits / 2;
        };
        const auto relearns = [&](const World& world, int until, bool polls) {
            live_in(world, waiting, until);
            ++moves;
            late += mostly_polls(world, 200) == polls ? 0 : 1;
            live_in(world, waiting, kUntilNextTrial);
            EXPECT_EQ(mostly_polls(world, 200), polls) << long_while;
        };
        for (int turn = 0; turn < 3; ++turn) {
            EXPECT_TRUE(mostly_polls(itself, long_while));
            relearns(neighbour, kUntilCalledFor, false);  // twice as long as usual
            EXPECT_FALSE(mostly_polls(neighbour, long_while));
            relearns(later, kUntilCalledFor, true);
            mostly_polls(neighbour, long_while);
            // Not longer than usual, so that nothing starts a trial early.
            relearns(quick, kUntilNextTrial, true);
        }
    }
    EXPECT_LT(late, moves / 20) << "of " << moves;
}

TEST(Waiting, BeginsWithTheGivenWay) {
    Waiting waiting(kMinNs, kMaxNs, Waiting::Trials::yes, Waiting::Way::sleep);
    EXPECT_EQ(waiting.spin_ns(), 0);
    live_in([](Waiting& w, int, Chance&) { return by_itself(w, 9'000); }, waiting, 1000);
    EXPECT_EQ(waiting.spin_ns(), kMinNs);
}

TEST(Waiting, NeverChangesAFixedSpinTime) {
    Waiting waiting(kMinNs, kMinNs, Waiting::Trials::no);
    const Total total = live_in(
        [](Waiting& w, int, Chance&) {
            EXPECT_EQ(w.spin_ns(), kMinNs);
            return by_neighbour(w, 9'000);
        },
        waiting, kManyWaits);
    EXPECT_EQ(total.asleep, 0);
}

}  // namespace
}  // namespace armci::base::test
