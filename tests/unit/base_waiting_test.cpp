// Whether a rank polls or sleeps while it waits, learned in worlds where the one or the other is
// right. A world says how long a wait takes, by how long is polled first.
#include "base/waiting.h"

#include <gtest/gtest.h>

#include <random>

namespace armci::base::test {
namespace {

constexpr int64_t kLeastNs = 10'000;
constexpr int64_t kMostNs = 50'000;
constexpr int64_t kWakeUpNs = 5'000;

class WaitingIn : public testing::Test {
  protected:
    // Who answers has a processor of his own.
    void wait_for_answer_in(int64_t answer_ns) {
        const int64_t spin_ns = waiting_.spin_ns();
        if (answer_ns <= spin_ns) {
            end(answer_ns);
            return;
        }
        end_asleep(spin_ns, answer_ns - spin_ns + kWakeUpNs);
    }
    // Who answers needs the processor for so long.
    void wait_for_neighbour(int64_t answer_ns) { end_asleep(waiting_.spin_ns(), answer_ns); }
    // Of these waits most; the others are trials.
    template <class Wait>
    bool mostly_polls(int count, Wait&& wait) {
        const int before = sleeps_at_once_;
        for (int i = 0; i < count; ++i) {
            wait();
        }
        return sleeps_at_once_ - before < count / 2;
    }
    bool polls() const { return waiting_.spin_ns() > 0; }

    Waiting waiting_{kLeastNs, kMostNs, Waiting::Trials::yes};
    int waits_ = 0;
    int sleeps_at_once_ = 0;
    int64_t waited_ns_ = 0;

  private:
    void end_asleep(int64_t spin_ns, int64_t sleep_ns) {
        waiting_.slept(sleep_ns);
        end(spin_ns + sleep_ns);
    }
    void end(int64_t ns) {
        ++waits_;
        sleeps_at_once_ += polls() ? 0 : 1;
        waited_ns_ += ns;
        waiting_.ended(ns);
    }
};

// What is spent on trials of the worse way.
constexpr int kShare = 100;
constexpr int kManyWaits = 40'000;

TEST_F(WaitingIn, PollsWhereAnswersComeByThemselves) {
    for (int i = 0; i < kManyWaits; ++i) {
        wait_for_answer_in(9'000);
    }
    EXPECT_LT(sleeps_at_once_, kManyWaits / kShare);
    EXPECT_GT(sleeps_at_once_, 0);  // it has been tried
}

// Sleeping cannot be quicker than that.
TEST_F(WaitingIn, TriesNothingWhereAnswersAreQuick) {
    for (int i = 0; i < kManyWaits; ++i) {
        wait_for_answer_in(3'000);
    }
    EXPECT_EQ(sleeps_at_once_, 0);
}

TEST_F(WaitingIn, SleepsWherePollingKeepsTheAnswerBack) {
    constexpr int kFirst = 100;
    for (int i = 0; i < kFirst; ++i) {
        wait_for_neighbour(9'000);
    }
    sleeps_at_once_ = 0;
    for (int i = 0; i < kManyWaits; ++i) {
        wait_for_neighbour(9'000);
    }
    EXPECT_GT(sleeps_at_once_, kManyWaits - kManyWaits / kShare);
    EXPECT_LT(sleeps_at_once_, kManyWaits);  // polling has been tried again
}

TEST_F(WaitingIn, PollsLongerWhereAnswersAreLateButComeByThemselves) {
    for (int i = 0; i < kManyWaits; ++i) {
        wait_for_answer_in(14'000);
    }
    EXPECT_LT(sleeps_at_once_, kManyWaits / kShare);
    EXPECT_LT(waited_ns_, int64_t{kManyWaits} * 14'500);
}

TEST_F(WaitingIn, PollsNoLongerThanTheLeastForWhatIsLong) {
    for (int i = 0; i < 1000; ++i) {
        wait_for_answer_in(14'000);
    }
    for (int i = 0; i < 100; ++i) {
        wait_for_answer_in(900'000);
    }
    while (!polls()) {
        wait_for_answer_in(900'000);
    }
    EXPECT_EQ(waiting_.spin_ns(), kLeastNs);
}

// Where the kernel puts threads changes.
TEST_F(WaitingIn, FollowsTheThreads) {
    constexpr int kUntilNextTrial = (Waiting::kLongestPause + 4) * Waiting::kWindow;
    constexpr int kUntilCalledFor = 6 * Waiting::kWindow;
    const auto by_itself = [&] { wait_for_answer_in(9'000); };
    const auto quick = [&] { wait_for_answer_in(2'000); };
    const auto neighbour = [&] { wait_for_neighbour(9'000); };
    for (int turn = 0; turn < 3; ++turn) {
        EXPECT_TRUE(mostly_polls(10'000, by_itself));
        mostly_polls(kUntilCalledFor, neighbour);  // twice as long as usual
        EXPECT_FALSE(mostly_polls(100, neighbour));
        EXPECT_FALSE(mostly_polls(10'000, neighbour));
        mostly_polls(kUntilCalledFor, [&] { wait_for_answer_in(14'000); });  // likewise
        EXPECT_TRUE(mostly_polls(100, [&] { wait_for_answer_in(14'000); }));
        mostly_polls(10'000, neighbour);
        mostly_polls(kUntilNextTrial, quick);  // not longer than usual, so nothing calls for it
        EXPECT_TRUE(mostly_polls(100, quick));
    }
}

// Now and then some other process has the processor for a while.
TEST_F(WaitingIn, InterruptionsTeachNothing) {
    std::mt19937 random(1);
    for (int i = 0; i < kManyWaits; ++i) {
        wait_for_neighbour(random() % 8 == 0 ? 3'000'000 : 9'000);
    }
    EXPECT_GT(sleeps_at_once_, kManyWaits * 8 / 10);
}

// Sleeping is never better here, whatever the waits before and after were like.
TEST_F(WaitingIn, WaitsOfAllLengthsDoNotDeceive) {
    std::mt19937 random(2);
    std::exponential_distribution<double> answer_ns(1.0 / 15'000);
    for (int i = 0; i < kManyWaits; ++i) {
        wait_for_answer_in(500 + static_cast<int64_t>(answer_ns(random)));
    }
    EXPECT_LT(sleeps_at_once_, kManyWaits / 25);
}

TEST_F(WaitingIn, AGivenTimeIsKept) {
    waiting_ = Waiting(kLeastNs, kLeastNs, Waiting::Trials::no);
    for (int i = 0; i < kManyWaits; ++i) {
        wait_for_neighbour(9'000);
        ASSERT_EQ(waiting_.spin_ns(), kLeastNs);
    }
}

}  // namespace
}  // namespace armci::base::test
