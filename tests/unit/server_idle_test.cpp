// What an idle data server costs, as the kernel counts it: wake-ups and processor time of its
// thread, under each policy.
#include <dirent.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "base/clock.h"
#include "pipeline/request_task.h"
#include "server_fixture.h"

namespace armci::test {
namespace {

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

struct ThreadCosts {
    bool found = false;
    long wake_ups = 0;    // sleeps that ended
    int64_t time_ns = 0;  // on a processor
};

// Of the only thread with that name in this process.
ThreadCosts costs_of(const std::string& name) {
    ThreadCosts costs;
    DIR* tasks = opendir("/proc/self/task");
    while (const dirent* entry = tasks != nullptr ? readdir(tasks) : nullptr) {
        const std::string path = std::string("/proc/self/task/") + entry->d_name;
        if (entry->d_name[0] == '.' || first_line(path + "/comm") != name) {
            continue;
        }
        costs.found = true;
        std::ifstream status(path + "/status");
        for (std::string line; std::getline(status, line);) {
            std::sscanf(line.c_str(), "voluntary_ctxt_switches: %ld", &costs.wake_ups);
        }
        costs.time_ns = std::atoll(first_line(path + "/schedstat").c_str());
    }
    if (tasks != nullptr) {
        closedir(tasks);
    }
    return costs;
}

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
    static ThreadCosts costs() { return costs_of(datasrv::Server::kThreadName); }

    std::unique_ptr<TestNetwork> network_;
};

TEST_P(ServerIdle, Serves) {
    ASSERT_NO_FATAL_FAILURE(open());
    for (int i = 0; i < 200; ++i) {
        EXPECT_EQ(fetch_and_add(), i);
        if (i % 50 == 49) {
            const timespec pause{0, 5'000'000};
            nanosleep(&pause, nullptr);
        }
    }
}

TEST_P(ServerIdle, Costs) {
    constexpr int kSeconds = 2;
    ASSERT_NO_FATAL_FAILURE(open());
    for (int i = 0; i < 20; ++i) {
        fetch_and_add();
    }
    const ThreadCosts before = costs();
    ASSERT_TRUE(before.found);
    if (GetParam() == base::ServerPoll::spin) {
        // Until it has used a quarter of a second, however little of the processor it gets.
        const int64_t start_ns = base::now_ns();
        while (costs().time_ns - before.time_ns < 250'000'000) {
            ASSERT_LT(base::now_ns() - start_ns, 60'000'000'000) << "it does not poll";
            sched_yield();
        }
        return;
    }
    const timespec pause{kSeconds, 0};
    nanosleep(&pause, nullptr);
    const ThreadCosts after = costs();
    // The first sleeps are shorter, and whatever the last answers leave behind wakes it, too.
    if (network_->server_sleeps_long()) {
        EXPECT_LE(after.wake_ups - before.wake_ups, 2 * kSeconds + 6);
    }
    EXPECT_LT(after.time_ns - before.time_ns, kSeconds * 10'000'000) << "one per cent";
    EXPECT_EQ(fetch_and_add(), 20);
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
