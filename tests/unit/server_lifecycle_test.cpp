// SPDX-License-Identifier: BSD-3-Clause
// Data servers start and stop, with and without a thread, with and without inline progress, and
// report what the system or the provider has refused.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "fabric/faults.h"
#include "pipeline/origin/request_task.h"
#include "raw_client.h"
#include "server_fixture.h"
#include "stderr_capture.h"
#include "test_heap.h"

namespace armci::test {
namespace {

using wire::FrameKind;

constexpr size_t kLifeMemoryBytes = 128 << 10;
constexpr size_t kLifeWindowBytes = 64 << 10;

size_t times_said(const std::string& text, const std::string& what) {
    size_t count = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
        ++count;
    }
    return count;
}

class ServerLifecycle : public ::testing::Test {
  protected:
    void SetUp() override {
        heap_ = std::make_unique<TestHeap>(4 << 20);
        memory_ = static_cast<char*>((*heap_)->allocate(kLifeMemoryBytes).data);
        ASSERT_NE(memory_, nullptr);
        base_ = reinterpret_cast<uint64_t>(memory_);
        domain_ = std::make_unique<fabric::Domain>();
        std::string error;
        ASSERT_TRUE(open_default_domain(domain_.get(), 16, &error)) << error;
    }
    void TearDown() override { fabric::set_faults(fabric::Faults{}); }

    datasrv::ServerOptions options() const {
        datasrv::ServerOptions options;
        options.rank_count = 4;
        options.rank_tokens = rank_tokens_.data();
        options.buffer_count = 4;
        options.buffer_bytes = 32 << 10;
        options.receive_bytes = kLifeWindowBytes;
        options.client_window_bytes = kLifeWindowBytes;
        options.recv_buffer_count = 4;
        options.write_chunks = domain_->notifies_writes();
        return options;
    }
    // Whether the network wakes servers that sleep that long between two polls.
    bool is_woken_by_network(int64_t poll_sleep_us) {
        datasrv::ServerOptions options = this->options();
        options.poll_sleep_us = poll_sleep_us;
        datasrv::Server server;
        std::string error;
        EXPECT_TRUE(server.open(*domain_, **heap_, options, &error)) << error;
        return server.is_woken_by_network();
    }
    bool open(datasrv::Server& server, std::string* error) {
        return server.open(*domain_, **heap_, options(), error);
    }
    std::unique_ptr<datasrv::Server> make_server() {
        auto server = std::make_unique<datasrv::Server>();
        std::string error;
        EXPECT_TRUE(open(*server, &error)) << error;
        return server;
    }

    // Drives both, but not a server that has a thread. Fails and returns false when it takes longer
    // than a busy machine explains.
    template <class Condition>
    bool drive_until(RawClient& client, datasrv::Server& server, bool has_thread,
                     Condition&& condition) {
        const int64_t start_ns = base::now_ns();
        while (!condition()) {
            bool moved = client.progress();
            if (!has_thread) {
                moved |= server.progress_inline();
            }
            if (!moved) {
                sched_yield();
            }
            if (base::now_ns() - start_ns > 1'000'000'000'000) {
                ADD_FAILURE() << "nothing moves";
                return false;
            }
        }
        return true;
    }
    // The client makes the handshake and adds the segment.
    void begin(RawClient& client, datasrv::Server& server, bool has_thread) {
        ASSERT_EQ(client.error(), "");
        client.send(client.next(client.hello()));
        Frame add = make_frame(FrameKind::add_segment, wire::SegmentBody{base_, kLifeMemoryBytes});
        header_of(add).request_id = 1;
        client.send(client.next(add));
        ASSERT_TRUE(drive_until(client, server, has_thread,
                                [&] { return client.find(FrameKind::segment, 1) != nullptr; }));
    }
    void expect_service(datasrv::Server& server, bool has_thread) {
        RawClient client(2, server);
        ASSERT_NO_FATAL_FAILURE(begin(client, server, has_thread));
        int64_t before = 0;
        std::memcpy(&before, memory_, sizeof before);
        Frame rmw = make_frame(FrameKind::rmw, wire::RmwBody{base_, 3, /*fetch_add_long*/ 1});
        header_of(rmw).request_id = 2;
        client.send(client.next(rmw));
        ASSERT_TRUE(drive_until(client, server, has_thread,
                                [&] { return client.find(FrameKind::value, 2) != nullptr; }));
        EXPECT_EQ(client.find(FrameKind::value, 2)->body<wire::ValueBody>().value, before);
        EXPECT_EQ(client.acknowledged_frames(), 3u);
        server.stop();
        int64_t after = 0;
        std::memcpy(&after, memory_, sizeof after);
        EXPECT_EQ(after, before + 3);
    }

    std::unique_ptr<TestHeap> heap_;
    std::vector<uint64_t> rank_tokens_ = {token_of_rank(0), token_of_rank(1), token_of_rank(2),
                                          token_of_rank(3)};
    std::unique_ptr<fabric::Domain> domain_;
    char* memory_ = nullptr;
    uint64_t base_ = 0;
};

// A rank may sleep then while it waits. If the server only polls from time to time the rank has to
// make inline progress.
TEST_F(ServerLifecycle, ReportsWhetherTheNetworkWakesIt) {
    EXPECT_EQ(is_woken_by_network(0), domain_->row().wait != fabric::WaitMode::nap);
    EXPECT_FALSE(is_woken_by_network(100));
}

TEST_F(ServerLifecycle, StopsThoughItWasNeverOpened) {
    datasrv::Server server;
    server.stop();
    server.stop();
    EXPECT_TRUE(server.address().empty());
    EXPECT_EQ(server.recv_area().recv_buffer_count, 0u);
}

// All use the same heap. Nothing of an earlier server may remain.
TEST_F(ServerLifecycle, ServesAgainAfterOthersWereStopped) {
    for (const bool has_thread : {true, false, true}) {
        SCOPED_TRACE(has_thread);
        const std::unique_ptr<datasrv::Server> server = make_server();
        ASSERT_TRUE(!has_thread || server->start_thread());
        expect_service(*server, has_thread);
        server->stop();
    }
}

TEST_F(ServerLifecycle, StopsAtOnce) {
    for (int i = 0; i < 3; ++i) {
        const std::unique_ptr<datasrv::Server> server = make_server();
        ASSERT_TRUE(server->start_thread());
        if (i % 2 == 1) {
            server->end_inline_progress();
        }
        if (i < 2) {
            server->stop();
        }
    }
}

// The client does not read the answers, some of which cannot even be sent. Stopping does not wait
// for that.
TEST_F(ServerLifecycle, StopsBeforeItsAnswersAreRead) {
    for (const bool has_thread : {false, true}) {
        SCOPED_TRACE(has_thread);
        const std::unique_ptr<datasrv::Server> server = make_server();
        RawClient client(1, *server);
        ASSERT_NO_FATAL_FAILURE(begin(client, *server, false));
        client.clear_answers();
        const auto get_all = [&](uint64_t request_id) {
            wire::TransferBody body;
            body.data_bytes = kLifeMemoryBytes;
            body.window_bytes = kLifeMemoryBytes;
            Frame frame = make_strided_transfer(FrameKind::get, body, base_,
                                                block_layout(kLifeMemoryBytes), {});
            header_of(frame).request_id = request_id;
            return frame;
        };
        for (uint64_t i = 0; i < 20; ++i) {
            client.send(client.next(get_all(10 + i)));
        }
        const uint64_t word = base_ + 64;
        auto* counter = reinterpret_cast<int*>(word);
        const int before = *counter;
        client.send(client.next(make_frame(FrameKind::increment, wire::StoreBody{word, 1})));
        // The server stands still, so nothing is answered meanwhile.
        while (!client.has_left()) {
            client.progress();
        }
        ASSERT_TRUE(client.answers().empty());
        if (has_thread) {
            ASSERT_TRUE(server->start_thread());
        }
        while (__atomic_load_n(counter, __ATOMIC_ACQUIRE) == before) {
            if (!has_thread) {
                server->progress_inline();
            }
            sched_yield();
        }
        server->stop();
    }
    const std::unique_ptr<datasrv::Server> server = make_server();
    expect_service(*server, false);
}

// The server's thread and two threads with inline progress serve two origins together.
TEST_F(ServerLifecycle, ServesDuringInlineProgressOfOtherThreads) {
    NetworkOptions options;
    options.origin_count = 2;
    options.memory_bytes = 4096;
    options.server_threads = true;
    TestNetwork network(options);
    ASSERT_EQ(network.error(), "");
    std::atomic<bool> is_over{false};
    const auto help = [&](bool stops_often) {
        for (uint64_t i = 0; !is_over.load(); ++i) {
            network.server(0).progress_inline();
            if (stops_often && i % 8 == 0) {
                network.server(0).end_inline_progress();
            }
            sched_yield();
        }
        network.server(0).end_inline_progress();
    };
    std::thread first(help, true);
    std::thread second(help, false);
    const auto word = reinterpret_cast<uint64_t>(network.memory(0));
    constexpr int kRounds = 150;
    for (int i = 0; i < kRounds; ++i) {
        std::vector<std::unique_ptr<pipeline::RequestTask>> tasks;
        for (int rank = 0; rank < 2; ++rank) {
            tasks.push_back(std::make_unique<pipeline::RequestTask>(
                "rmw", FrameKind::rmw, wire::RmwBody{word, 1, /*fetch_add_long*/ 1},
                pipeline::RequestTask::Answer::expected));
            network.submit(rank, 0, *tasks.back());
        }
        network.wait(*tasks[0]);
        network.wait(*tasks[1]);
        EXPECT_EQ(tasks[0]->value() + tasks[1]->value(), 4 * i + 1);
        EXPECT_EQ(std::min(tasks[0]->value(), tasks[1]->value()), 2 * i);
    }
    is_over.store(true);
    first.join();
    second.join();
    // The thread continues alone.
    pipeline::RequestTask last("rmw", FrameKind::rmw, wire::RmwBody{word, 0, 1},
                               pipeline::RequestTask::Answer::expected);
    network.submit(0, 0, last);
    network.wait(last);
    EXPECT_EQ(last.value(), 2 * kRounds);
    EXPECT_GT(network.server(0).busy_ns(), 0);
}

// Whenever inline progress ends the thread continues, however often that happens.
TEST_F(ServerLifecycle, ThreadServesAfterInlineProgressEnds) {
    NetworkOptions options;
    options.memory_bytes = 4096;
    options.server_threads = true;
    TestNetwork network(options);
    ASSERT_EQ(network.error(), "");
    const auto word = reinterpret_cast<uint64_t>(network.memory(0));
    for (int i = 0; i < 60; ++i) {
        for (int helps = 0; helps < i % 4; ++helps) {
            network.server(0).progress_inline();
        }
        pipeline::RequestTask rmw("rmw", FrameKind::rmw, wire::RmwBody{word, 1, 1},
                                  pipeline::RequestTask::Answer::expected);
        network.submit(0, 0, rmw);
        if (i % 3 != 0) {
            network.server(0).end_inline_progress();
        }
        network.wait(rmw);
        EXPECT_EQ(rmw.value(), i);
    }
}

// A server without a thread serves during inline progress.
TEST_F(ServerLifecycle, ServesByInlineProgressWithoutAThread) {
    const std::unique_ptr<datasrv::Server> server = make_server();
    pthread_attr_t before;
    ASSERT_EQ(pthread_getattr_default_np(&before), 0);
    pthread_attr_t huge;
    ASSERT_EQ(pthread_attr_init(&huge), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&huge, size_t{1} << 50),
              0);  // more than the address space
    ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
    const bool started = server->start_thread();
    ASSERT_EQ(pthread_setattr_default_np(&before), 0);
    pthread_attr_destroy(&huge);
    pthread_attr_destroy(&before);
    EXPECT_FALSE(started);
    expect_service(*server, false);
    const std::unique_ptr<datasrv::Server> next = make_server();
    ASSERT_TRUE(next->start_thread());
    expect_service(*next, true);
}

TEST_F(ServerLifecycle, GrantsNoReceiveBuffersWithoutRegistration) {
    if (!options().write_chunks) {
        GTEST_SKIP() << "the provider has no immediate data";
    }
    fabric::Faults faults;
    faults.registrations = 0;
    fabric::set_faults(faults);
    const StderrCapture captured;
    const std::unique_ptr<datasrv::Server> server = make_server();
    EXPECT_EQ(times_said(captured.text(), "receive buffers are not available"), 1u)
        << captured.text();
    EXPECT_EQ(server->recv_area().recv_buffer_count, 0u);

    // Segments are not registered either, with one warning. Requests are served all the same.
    RawClient client(1, *server);
    ASSERT_NO_FATAL_FAILURE(begin(client, *server, false));
    EXPECT_EQ(client.find(FrameKind::segment, 1)->body<wire::SegmentReply>().registered, 0u);
    Frame add =
        make_frame(FrameKind::add_segment, wire::SegmentBody{base_ + kLifeMemoryBytes, 4096});
    header_of(add).request_id = 2;
    client.send(client.next(add));
    Frame want = make_frame(FrameKind::want);
    header_of(want).flow = 4;
    header_of(want).flags = wire::kAcknowledgeNow;
    client.send(client.next(want));
    ASSERT_TRUE(
        drive_until(client, *server, false, [&] { return client.acknowledged_frames() == 4; }));
    ASSERT_NE(client.find(FrameKind::segment, 2), nullptr);
    EXPECT_EQ(client.find(FrameKind::segment, 2)->body<wire::SegmentReply>().registered, 0u);
    EXPECT_TRUE(client.granted_recv_buffers().empty());
    EXPECT_EQ(times_said(captured.text(), "cannot be registered for direct access"), 1u)
        << captured.text();
}

TEST_F(ServerLifecycle, OpenFailsWithoutRegistrationOrDescriptors) {
    // Where local memory must be registered it cannot receive anything.
    fabric::Faults faults;
    faults.local_registration_needed = true;
    faults.registrations = 0;
    fabric::set_faults(faults);
    auto domain = std::make_unique<fabric::Domain>();
    std::string error;
    ASSERT_TRUE(open_default_domain(domain.get(), 4, &error)) << error;
    {
        datasrv::Server server;
        EXPECT_FALSE(server.open(*domain, **heap_, options(), &error));
        EXPECT_NE(error, "");
    }
    fabric::set_faults(fabric::Faults{});
    domain.reset();

    // Without a free descriptor it could not be woken.
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{0, before.rlim_max};
    {
        datasrv::Server server;
        error.clear();
        ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
        const bool opened = open(server, &error);
        ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
        EXPECT_FALSE(opened);
        EXPECT_NE(error.find("eventfd for the data server"), std::string::npos) << error;
    }
    const std::unique_ptr<datasrv::Server> server = make_server();
    expect_service(*server, false);
}

}  // namespace
}  // namespace armci::test
