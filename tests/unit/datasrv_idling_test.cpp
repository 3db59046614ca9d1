// SPDX-License-Identifier: BSD-3-Clause
// When a data server polls and when it sleeps, with a clock that the tests advance.
#include <gtest/gtest.h>

#include "datasrv/idling.h"

namespace armci::datasrv {
namespace {

using base::ServerPoll;

constexpr int64_t kMaxNs = 16'000;

class IdlingTest : public ::testing::Test {
  protected:
    void start(ServerPoll poll, bool sleeps_long = true) {
        idling_ = Idling({poll, kMaxNs, sleeps_long}, now_ns_);
    }
    static constexpr int64_t kQuickPollNs = 300;
    bool finds_work() { return idling_.polls_again(true, kQuickPollNs, now_ns_); }
    bool finds_nothing() { return idling_.polls_again(false, kQuickPollNs, now_ns_); }
    // Nothing completes, but the poll takes long.
    bool serves_rma() { return idling_.polls_again(false, 10 * kQuickPollNs, now_ns_); }
    // Work arrives that long after the last, whether the server polls or sleeps then.
    void work_after(int64_t ns) {
        const int64_t last_ns = now_ns_;
        while (now_ns_ - last_ns < ns && finds_nothing()) {
            now_ns_ += 100;
        }
        if (now_ns_ - last_ns < ns) {
            now_ns_ = last_ns + ns;
            idling_.woke(false);
        }
        finds_work();
    }
    // Sleeps until so many sleeps have timed out; returns the length of the last.
    int sleep_through(int count) {
        int length_ms = 0;
        now_ns_ += kMaxNs;
        for (int i = 0; i < count; ++i) {
            EXPECT_FALSE(finds_nothing());
            length_ms = idling_.sleep_ms();
            now_ns_ += int64_t{1'000'000} * length_ms;
            idling_.woke(true);
            idling_.was_away();
        }
        return length_ms;
    }

    int64_t now_ns_ = 1'000'000'000;
    Idling idling_;
};

TEST_F(IdlingTest, PollsAfterWorkUnderEveryPolicy) {
    for (const ServerPoll poll : {ServerPoll::automatic, ServerPoll::spin, ServerPoll::wait}) {
        start(poll);
        EXPECT_TRUE(finds_work());
    }
}

TEST_F(IdlingTest, WaitPolicySleepsAtOnce) {
    start(ServerPoll::wait);
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(finds_work());
        EXPECT_FALSE(finds_nothing());
        idling_.woke(false);
        now_ns_ += 100;
    }
    EXPECT_EQ(idling_.spin_ns(), 0);
}

TEST_F(IdlingTest, SpinPolicyNeverSleeps) {
    start(ServerPoll::spin);
    finds_work();
    for (int i = 0; i < 100; ++i) {
        now_ns_ += 1'000'000'000;
        EXPECT_TRUE(finds_nothing());
    }
}

TEST_F(IdlingTest, AutoPolicyPollsForItsSpinTimeThenSleeps) {
    start(ServerPoll::automatic);
    finds_work();
    now_ns_ += kMaxNs - 1;
    EXPECT_TRUE(finds_nothing());
    now_ns_ += 1;
    EXPECT_FALSE(finds_nothing());
}

TEST_F(IdlingTest, AutoPolicyAdaptsSpinTimeToSuccess) {
    start(ServerPoll::automatic);
    int64_t before_ns = idling_.spin_ns();
    EXPECT_EQ(before_ns, kMaxNs);
    for (int i = 0; i < 3; ++i) {
        work_after(10 * kMaxNs);
        EXPECT_EQ(idling_.spin_ns(), before_ns / 2);
        before_ns = idling_.spin_ns();
    }
    for (int i = 0; i < 20; ++i) {
        work_after(10 * kMaxNs);
    }
    EXPECT_GT(idling_.spin_ns(), 0);
    EXPECT_LE(idling_.spin_ns(), kMaxNs / 8);
    // It sleeps before this work, but the longest spin time would have covered it.
    work_after(kMaxNs / 2);
    EXPECT_GT(idling_.spin_ns(), kMaxNs / 16);
    for (int i = 0; i < 20; ++i) {
        work_after(kMaxNs / 2);
    }
    EXPECT_EQ(idling_.spin_ns(), kMaxNs);
}

TEST_F(IdlingTest, PollsForLongerWhileTheRankSleeps) {
    constexpr int64_t kGapNs = 3 * kMaxNs;  // too long for a server whose rank is awake
    start(ServerPoll::automatic);
    idling_.see_rank(true);
    for (int i = 0; i < 20; ++i) {
        work_after(kGapNs);
    }
    EXPECT_EQ(idling_.spin_ns(), Idling::kTimesWhileRankSleeps * kMaxNs);
    finds_work();
    now_ns_ += kGapNs;
    EXPECT_TRUE(finds_nothing());
    // The rank wakes up. Success does not shorten what was learned while it slept, but the thread
    // does not poll for as long.
    finds_work();
    idling_.see_rank(false);
    work_after(kMaxNs / 2);
    EXPECT_EQ(idling_.spin_ns(), Idling::kTimesWhileRankSleeps * kMaxNs);
    now_ns_ += kMaxNs;
    EXPECT_FALSE(finds_nothing());
    for (int i = 0; i < 20; ++i) {
        work_after(kGapNs);
    }
    EXPECT_LE(idling_.spin_ns(), kMaxNs / 16);
}

TEST_F(IdlingTest, WorkWithoutAPauseLeavesSpinTimeUnchanged) {
    start(ServerPoll::automatic);
    for (int i = 0; i < 20; ++i) {
        work_after(10 * kMaxNs);
    }
    const int64_t before_ns = idling_.spin_ns();
    for (int i = 0; i < 20; ++i) {
        finds_work();
        now_ns_ += 50;
    }
    EXPECT_EQ(idling_.spin_ns(), before_ns);
}

TEST_F(IdlingTest, LongPollCountsAsServedRma) {
    start(ServerPoll::automatic);
    finds_work();
    finds_nothing();
    for (int i = 0; i < 20; ++i) {
        now_ns_ += kMaxNs - 1;
        EXPECT_TRUE(serves_rma());
        EXPECT_TRUE(finds_nothing());
    }
    now_ns_ += kMaxNs;
    EXPECT_FALSE(finds_nothing());
    idling_.woke(false);
    EXPECT_TRUE(serves_rma());
    EXPECT_TRUE(finds_nothing());
}

// Interruptions make such polls: however long the server may poll after work, it sleeps.
TEST_F(IdlingTest, OccasionalLongPollsDoNotPreventSleep) {
    for (const int64_t max_ns : {kMaxNs, int64_t{20'000'000}}) {
        idling_ = Idling({ServerPoll::automatic, max_ns, true}, now_ns_);
        work_after(10 * max_ns);  // so that the spin time can still change
        const int64_t learned_ns = idling_.spin_ns();
        ASSERT_LT(learned_ns, max_ns);
        const int64_t begin_ns = now_ns_;
        for (int poll = 1; poll % 100 == 0 ? serves_rma() : finds_nothing(); ++poll) {
            now_ns_ += 10'000;
        }
        EXPECT_LT(now_ns_ - begin_ns, max_ns + 1'000'000);
        EXPECT_EQ(idling_.spin_ns(), learned_ns);
    }
}

TEST_F(IdlingTest, IgnoresALongFirstPollAfterATimeAway) {
    start(ServerPoll::automatic);
    finds_work();
    finds_nothing();
    now_ns_ += kMaxNs;
    idling_.was_away();
    EXPECT_FALSE(serves_rma());
    EXPECT_TRUE(serves_rma());
}

TEST_F(IdlingTest, PollsThatAllTakeLongDoNotPreventSleep) {
    start(ServerPoll::automatic);
    finds_work();
    finds_nothing();
    const int64_t begin_ns = now_ns_;
    while (serves_rma()) {
        now_ns_ += 10 * kQuickPollNs;
    }
    EXPECT_LT(now_ns_ - begin_ns, 1'000'000);
}

TEST_F(IdlingTest, IgnoresALongFirstPollAfterATimeOut) {
    start(ServerPoll::automatic);
    finds_work();
    finds_nothing();
    const int length_ms = sleep_through(3);
    EXPECT_FALSE(serves_rma());
    EXPECT_EQ(idling_.sleep_ms(), 2 * length_ms);
}

TEST_F(IdlingTest, SleepsGrowWhileNothingHappens) {
    for (const ServerPoll poll : {ServerPoll::automatic, ServerPoll::wait}) {
        start(poll);
        finds_work();
        EXPECT_EQ(sleep_through(1), Idling::kShortestSleepMs);
        EXPECT_EQ(sleep_through(1), 2 * Idling::kShortestSleepMs);
        EXPECT_EQ(sleep_through(10), Idling::kLongestSleepMs);
        // Ten seconds without work, after some work: at most two sleeps a second.
        start(poll);
        finds_work();
        const int64_t begin_ns = now_ns_;
        int sleeps = 0;
        for (; now_ns_ - begin_ns < 10'000'000'000; ++sleeps) {
            sleep_through(1);
        }
        EXPECT_LE(sleeps, 20);
    }
}

TEST_F(IdlingTest, AnyWakeUpMakesSleepsShortAgain) {
    start(ServerPoll::wait);
    finds_work();
    sleep_through(10);
    EXPECT_FALSE(finds_nothing());
    idling_.woke(false);
    EXPECT_FALSE(finds_nothing());
    EXPECT_EQ(idling_.sleep_ms(), Idling::kShortestSleepMs);
}

TEST_F(IdlingTest, SleepsStayShortAfterALostWakeUp) {
    start(ServerPoll::automatic);
    finds_work();
    sleep_through(10);
    EXPECT_TRUE(finds_work());  // nothing has woken it
    EXPECT_EQ(sleep_through(10), Idling::kShortestSleepMs);
}

TEST_F(IdlingTest, SleepsStayShortWhereWakeUpsAreUnreliable) {
    start(ServerPoll::automatic, false);
    finds_work();
    EXPECT_EQ(sleep_through(10), Idling::kShortestSleepMs);
}

}  // namespace
}  // namespace armci::datasrv
