// SPDX-License-Identifier: BSD-3-Clause
#include "base/log.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "base/backtrace.h"
#include "base/thread.h"
#include "read_late.h"
#include "stderr_capture.h"
#include "task_state.h"

namespace armci::base::test {
namespace {

using armci::test::ReadLate;
using armci::test::StderrCapture;

// Leaves the process-wide settings as they are by default.
class Log : public testing::Test {
  protected:
    Log() { set_backtrace(false); }
    ~Log() override {
        set_backtrace(true);
        set_log_level(LogLevel::warn);
        set_log_rank(-1);
    }
};

TEST_F(Log, LinesHaveNoRankBeforeItIsSet) {
    const StderrCapture capture;
    log(LogLevel::warn, "value %d of %s", 3, "x");
    EXPECT_EQ(capture.text(), "ARMCI Warning: value 3 of x\n");
}

TEST_F(Log, LinesBeginWithTheRank) {
    set_log_rank(12);
    set_log_level(LogLevel::debug);
    const StderrCapture capture;
    log(LogLevel::error, "a");
    log(LogLevel::warn, "b");
    log(LogLevel::info, "c");
    log(LogLevel::debug, "d");
    EXPECT_EQ(capture.text(),
              "[12] ARMCI Error: a\n[12] ARMCI Warning: b\n[12] ARMCI Info: c\n"
              "[12] ARMCI Debug: d\n");
}

TEST_F(Log, WritesOnlyUpToItsLevel) {
    constexpr LogLevel kLevels[] = {LogLevel::error, LogLevel::warn, LogLevel::info,
                                    LogLevel::debug};
    for (const LogLevel limit : kLevels) {
        set_log_level(limit);
        for (const LogLevel level : kLevels) {
            const StderrCapture capture;
            log(level, "x");
            EXPECT_EQ(log_enabled(level), level <= limit);
            EXPECT_EQ(capture.text().empty(), level > limit);
        }
    }
}

TEST_F(Log, MacrosDoNotEvaluateArgumentsBelowTheLevel) {
    int evaluated = 0;
    const StderrCapture capture;
    ARMCI_LOG_INFO("%d", ++evaluated);
    ARMCI_LOG_DEBUG("%d", ++evaluated);
    EXPECT_EQ(evaluated, 0);
    ARMCI_LOG_WARN("%d", ++evaluated);
    EXPECT_EQ(evaluated, 1);
    EXPECT_EQ(capture.text(), "ARMCI Warning: 1\n");
}

TEST_F(Log, LongMessagesAreCutToOneLine) {
    set_log_rank(7);
    const std::string message(100'000, 'x');
    const StderrCapture capture;
    log(LogLevel::warn, "%s", message.c_str());
    const std::string line = capture.text();
    EXPECT_TRUE(line.starts_with("[7] ARMCI Warning: xxx"));
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
    EXPECT_EQ(line.back(), '\n');
    EXPECT_LT(line.size(), 4096U);
}

// A call that returns an error is often followed by MPI_Abort, after which launchers lose what they
// have not read.
TEST_F(Log, ErrorsAreReadBeforeTheCallReturns) {
    using Clock = std::chrono::steady_clock;
    // The library waits for half a second at most. On a busy machine the reader may take longer,
    // which tells nothing.
    constexpr std::chrono::milliseconds kSurelyAwaited{400};
    const std::string caller = armci::test::task_of(gettid());
    for (bool is_in_time = false; !is_in_time;) {
        const ReadLate standard_error;
        std::atomic<bool> has_returned{false};
        const Clock::time_point begin = Clock::now();
        // It reads when the call waits for that, or has not waited.
        std::thread reader([&] {
            while (!has_returned &&
                   !(standard_error.has_unread() && armci::test::is_asleep(caller))) {
                sched_yield();
            }
            standard_error.read();
            is_in_time = Clock::now() - begin < kSurelyAwaited;
        });
        log_before_return("no global memory");
        const bool is_unread = standard_error.has_unread();
        has_returned = true;
        reader.join();
        EXPECT_FALSE(is_in_time && is_unread);
    }
}

TEST_F(Log, OtherMessagesDoNotWaitForTheirReader) {
    const ReadLate standard_error;
    log(LogLevel::error, "a message");
    EXPECT_TRUE(standard_error.has_unread());
}

using LogDeathTest = Log;

TEST_F(LogDeathTest, FatalPrintsTheFunctionAndEndsTheProcess) {
    EXPECT_EXIT(fatal("ARMCI_Put", "argument bytes = %d: must not be negative", -3),
                testing::ExitedWithCode(1),
                "^ARMCI Error: ARMCI_Put: argument bytes = -3: must not be negative\n$");
    EXPECT_EXIT(
        {
            set_log_rank(5);
            fatal(nullptr, "no %s", "luck");
        },
        testing::ExitedWithCode(1), "^\\[5\\] ARMCI Error: no luck\n$");
    EXPECT_EXIT(
        {
            set_log_level(LogLevel::error);
            fatal(nullptr, "always heard");
        },
        testing::ExitedWithCode(1), "always heard");
}

TEST_F(LogDeathTest, BacktraceFollowsTheMessage) {
    set_backtrace(true);
    // This program calls the library's insides, so that there is no call of its interface.
    EXPECT_EXIT(fatal("ARMCI_Put", "no luck"), testing::ExitedWithCode(1),
                "^ARMCI Error: ARMCI_Put: no luck\n  in thread \".*\"\n    #0  .*\n    #1 (.*\n)*"
                "  \\(without these lines: ARMCI_BACKTRACE=0\\)\n$");
    EXPECT_EXIT(
        {
            Thread thread;
            thread.start(
                "a-thread", [](void*) { fatal(nullptr, "no luck"); }, nullptr);
            thread.join();
        },
        testing::ExitedWithCode(1),
        "no luck\n  in thread \".*\"\n.*\n.*armci::base::Thread::enter");
}

TEST_F(LogDeathTest, FatalKeepsTheCallersCode) {
    EXPECT_EXIT(fatal_with_code(42, "100% given up"), testing::ExitedWithCode(42),
                "^ARMCI Error: 100% given up\n$");
    EXPECT_EXIT(fatal_with_code(0, "x"), testing::ExitedWithCode(1), "ARMCI Error: x");
    EXPECT_EXIT(fatal_with_code(-1, "x"), testing::ExitedWithCode(255), "ARMCI Error: x");
}

// The system keeps eight bits of a status, and a failed job must not look like a good one.
TEST_F(LogDeathTest, ExitCodesAboveAByteStayNonZero) {
    const auto failed = [](int status) { return WIFEXITED(status) && WEXITSTATUS(status) != 0; };
    EXPECT_EXIT(fatal_with_code(256, "x"), failed, "ARMCI Error: x");
    EXPECT_EXIT(fatal_with_code(-65536, "x"), failed, "ARMCI Error: x");
    EXPECT_EXIT(fatal_with_code(257, "x"), failed, "ARMCI Error: x");
}

TEST_F(LogDeathTest, HookReceivesTheCodeAfterTheMessage) {
    EXPECT_EXIT(
        {
            set_abort_hook([](int code) { _exit(100 + code); });
            fatal_with_code(7, "last words");
        },
        testing::ExitedWithCode(107), "last words");
    EXPECT_EXIT(
        {
            set_abort_hook([](int code) { _exit(100 + code); });
            fatal("ARMCI_Get", "x");
        },
        testing::ExitedWithCode(101), "ARMCI_Get: x");
}

}  // namespace
}  // namespace armci::base::test
