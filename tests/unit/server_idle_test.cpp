// SPDX-License-Identifier: BSD-3-Clause
// What the thread of an idle data server does under each policy, as the kernel reports it.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "fabric/faults.h"
#include "pipeline/origin/request_task.h"
#include "server_fixture.h"
#include "task_state.h"
#include "transfer_pattern.h"

namespace {

std::atomic<bool> g_sleeps_have_no_end{false};

}  // namespace

// Replaces the system library's function. Only a server that has something to repeat wakes up
// without an event then: it sleeps for a millisecond.
extern "C" int epoll_wait(int queue, epoll_event* events, int max, int timeout_ms) {
    const bool endless = timeout_ms > 1 && g_sleeps_have_no_end.load();
    return static_cast<int>(syscall(SYS_epoll_pwait, queue, events, max, endless ? -1 : timeout_ms,
                                    nullptr, sizeof(sigset_t)));
}

namespace armci::test {
namespace {

class ServerIdle : public ::testing::TestWithParam<base::ServerPoll> {
  protected:
    void open() {
        NetworkOptions options;
        options.memory_bytes = 4096;
        options.server_threads = true;
        options.server_poll = GetParam();
        network_ = std::make_unique<TestNetwork>(options);
        ASSERT_EQ(network_->error(), "");
    }
    int64_t fetch_and_add() {
        pipeline::RequestTask rmw(
            "rmw", wire::FrameKind::rmw,
            wire::RmwBody{reinterpret_cast<uint64_t>(network_->memory(0)), 1, 1},
            pipeline::RequestTask::Answer::expected);
        network_->submit(0, 0, rmw);
        network_->wait(rmw);
        return rmw.value();
    }

    std::unique_ptr<TestNetwork> network_;
};

// A request wakes a server that sleeps, and then it sleeps again. A server that always polls
// continues to use its processor.
TEST_P(ServerIdle, SleepsOrPollsByPolicyAndServes) {
    ASSERT_NO_FATAL_FAILURE(open());
    const std::string task = task_named(datasrv::Server::kThreadName);
    ASSERT_NE(task, "");
    for (int i = 0; i < 200; ++i) {
        EXPECT_EQ(fetch_and_add(), i);
        if (i % 20 != 19) {
            continue;
        }
        if (GetParam() == base::ServerPoll::spin) {
            const long before = processor_ticks(task);
            while (processor_ticks(task) == before) {
                sched_yield();
            }
        } else {
            wait_until_asleep(task);
        }
    }
}

// Asleep, the thread would be woken for each message, without work, and would not notice the inline
// progress. Here it has no other reason to wake up.
TEST_P(ServerIdle, InlineProgressStopsTheServerThreadFromWaking) {
    if (GetParam() == base::ServerPoll::spin) {
        GTEST_SKIP() << "its data server makes no inline progress";
    }
    ASSERT_NO_FATAL_FAILURE(open());
    const std::string task = task_named(datasrv::Server::kThreadName);
    g_sleeps_have_no_end.store(true);
    EXPECT_EQ(fetch_and_add(), 0);
    while (!is_blocked_in(task, SYS_epoll_pwait)) {
        sched_yield();
    }
    while (!is_blocked_in(task, SYS_ppoll)) {
        network_->server(0).progress_inline();
    }
    network_->server(0).end_inline_progress();
    EXPECT_EQ(fetch_and_add(), 1);
    g_sleeps_have_no_end.store(false);
}

// No event of the network tells when it takes what it has refused. A stand-still ends the program.
TEST_P(ServerIdle, RepeatsRefusedPostsWithoutAnEvent) {
    const struct NoneAfterwards {
        ~NoneAfterwards() { fabric::set_faults({}); }
    } none_afterwards;
    fabric::set_faults({.refused_posts = 1, .of_posts = 2, .posts_in_burst = 8});
    ASSERT_NO_FATAL_FAILURE(open());
    g_sleeps_have_no_end.store(true);
    std::vector<char> local(1024, 'x');
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(fetch_and_add(), i);
        const auto run = [&](base::OpKind kind) {
            network_->wait(*network_->start(0, 0, base::Route::server,
                                            make_transfer({kind}, contiguous_pattern(1024, 0, 1024),
                                                          local.data(), network_->memory(0))));
        };
        run(base::OpKind::put);
        network_->fence_all();
        run(base::OpKind::get);
        if (network_->is_registered(0)) {
            network_->wait(*network_->start_get_by_put(
                0, 0,
                make_transfer({base::OpKind::get}, contiguous_pattern(1024, 0, 1024), local.data(),
                              network_->memory(0))));
        }
    }
    g_sleeps_have_no_end.store(false);
    network_.reset();
}

INSTANTIATE_TEST_SUITE_P(Policies, ServerIdle,
                         ::testing::Values(base::ServerPoll::automatic, base::ServerPoll::spin,
                                           base::ServerPoll::wait),
                         [](const auto& policy) {
                             switch (policy.param) {
                                 case base::ServerPoll::automatic:
                                     return std::string("automatic");
                                 case base::ServerPoll::spin:
                                     return std::string("spin");
                                 case base::ServerPoll::wait:
                                     break;
                             }
                             return std::string("wait");
                         });

}  // namespace
}  // namespace armci::test
