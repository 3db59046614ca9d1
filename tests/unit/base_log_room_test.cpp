// SPDX-License-Identifier: BSD-3-Clause
// Messages where standard error has no room. In a process of its own: with the other tests of the
// log before it, GCC 12's leak sanitizer crashes at the end.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>

#include "base/backtrace.h"
#include "base/log.h"
#include "read_late.h"
#include "task_state.h"

namespace armci::base::test {
namespace {

using armci::test::ReadLate;

std::atomic<int> g_signals{0};

// Writes where there is no room, while signals come. Returns what has arrived behind the dots that
// took the room.
template <class Write>
std::string written_late(bool may_block, Write&& write) {
    struct sigaction count {};
    struct sigaction before {};
    count.sa_handler = [](int) { ++g_signals; };  // system calls are not started again
    sigaction(SIGUSR1, &count, &before);
    g_signals = 0;
    const ReadLate standard_error;
    standard_error.fill(may_block);
    std::string arrived;
    std::atomic<bool> has_returned{false};
    const std::string caller = armci::test::task_of(gettid());
    std::thread reader([&, writer = pthread_self()] {
        for (int sent = 0; sent < 3; ++sent) {
            while (!has_returned && !armci::test::is_asleep(caller)) {
                sched_yield();
            }
            pthread_kill(writer, SIGUSR1);
            while (g_signals == sent) {
                sched_yield();
            }
        }
        while (!has_returned || standard_error.has_unread()) {
            if (standard_error.has_unread()) {
                arrived += standard_error.read();
            }
        }
    });
    write();
    has_returned = true;
    reader.join();
    sigaction(SIGUSR1, &before, nullptr);
    return arrived.substr(std::min(arrived.find_first_not_of('.'), arrived.size()));
}

TEST(LogWithoutRoom, MessagesWaitForRoomInSpiteOfSignals) {
    set_backtrace(false);
    for (const bool may_block : {true, false}) {
        EXPECT_EQ(written_late(may_block, [] { log(LogLevel::error, "a message"); }),
                  "ARMCI Error: a message\n");
        set_backtrace(true);
        EXPECT_TRUE(written_late(may_block, [] {
                        write_backtrace(-1);
                    }).ends_with("(without these lines: ARMCI_BACKTRACE=0)\n"));
        set_backtrace(false);
    }
    set_backtrace(true);
}

}  // namespace
}  // namespace armci::base::test
