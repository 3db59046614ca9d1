// SPDX-License-Identifier: BSD-3-Clause
#include "lifecycle/stats_triggers.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <string>

namespace armci::lifecycle::test {
namespace {

TEST(StatsTriggers, ReadsAList) {
    StatsTriggers triggers;
    std::string error;
    ASSERT_TRUE(parse_stats_triggers("", &triggers, &error));
    EXPECT_FALSE(triggers.are_set());
    ASSERT_TRUE(parse_stats_triggers("exit,signal:USR1,timer:0.5", &triggers, &error));
    EXPECT_TRUE(triggers.are_set());
    EXPECT_TRUE(triggers.at_exit);
    EXPECT_EQ(triggers.signal, SIGUSR1);
    EXPECT_EQ(triggers.timer_ns, 500'000'000);
    ASSERT_TRUE(parse_stats_triggers("timer:86400", &triggers, &error));
    EXPECT_FALSE(triggers.at_exit);
    EXPECT_EQ(triggers.signal, 0);
}

TEST(StatsTriggers, KnowsSignalsByNameAndNumber) {
    for (const std::string& text :
         {std::string("USR2"), std::string("SIGUSR2"), std::to_string(SIGUSR2)}) {
        StatsTriggers triggers;
        std::string error;
        ASSERT_TRUE(parse_stats_triggers("signal:" + text, &triggers, &error)) << error;
        EXPECT_EQ(triggers.signal, SIGUSR2);
    }
    StatsTriggers triggers;
    std::string error;
    ASSERT_TRUE(parse_stats_triggers("signal:" + std::to_string(SIGRTMIN + 1), &triggers, &error));
    EXPECT_EQ(triggers.signal, SIGRTMIN + 1);
}

TEST(StatsTriggers, RefusesWhatItCannotDo) {
    for (const char* text :
         {"never", ",exit", "exit,,", "signal", "signal:", "signal:KILL", "signal:9", "signal:TERM",
          "signal:USR1x", "timer", "timer:", "timer:0", "timer:-1", "timer:5s", "timer:nan",
          "timer:100000", "EXIT", " exit"}) {
        StatsTriggers triggers;
        std::string error;
        EXPECT_FALSE(parse_stats_triggers(text, &triggers, &error)) << text;
        EXPECT_NE(error.find("\" is no"), std::string::npos) << text << ": " << error;
    }
}

}  // namespace
}  // namespace armci::lifecycle::test
