// SPDX-License-Identifier: BSD-3-Clause
// An operation that has left arrives although its origin never polls again. While the network is
// full, no operation counts as having left.
//
// The data server makes no progress by itself, so the network is full after some megabytes. A send
// then meets a socket that has room for a part of it. In the last test it has room for nothing.
#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "fabric/environment.h"
#include "full_sockets.h"
#include "pipeline/origin/request_task.h"
#include "server_fixture.h"
#include "transfer_pattern.h"

namespace armci::test {
namespace {

using base::OpKind;
using base::Route;

constexpr int64_t kMemory = 1 << 20;
constexpr int64_t kFillBytes = 4096;  // of one put
constexpr int64_t kAtEnd = kMemory - 8;
constexpr int64_t kForConnection = kMemory - 16;

class PipelineDeparture : public ::testing::Test {
  protected:
    void SetUp() override {
        NetworkOptions options;
        options.memory_bytes = kMemory;
        network_ = std::make_unique<TestNetwork>(options);
        ASSERT_EQ(network_->error(), "");
        network_->wait(*put(small_, 8, kForConnection));
        network_->fence_all();
        if (!origin().frames().sends_alone() || !origin().fences().take_messages()) {
            GTEST_SKIP() << "this provider sends while it is polled, or writes in no order";
        }
        const std::string delaying = fabric::variables_that_delay(provider());
        if (!delaying.empty()) {
            GTEST_SKIP() << "messages may be delayed by " << delaying;
        }
    }

    std::string provider() const { return network_->domain(0).provider_name(); }
    pipeline::Origin& origin() { return network_->origin(0); }
    pipeline::Channel& channel() { return origin().channel(0); }
    char at(int64_t place) const { return static_cast<volatile char*>(network_->memory(0))[place]; }

    std::unique_ptr<pipeline::Task> put(char* from, int64_t bytes, int64_t place) {
        return network_->start(0, 0, Route::rma,
                               make_transfer({OpKind::put}, contiguous_pattern(bytes, 0, place),
                                             from, network_->memory(0)));
    }
    // Polls the origin alone, so long that the kernel has moved all that it has room for.
    template <class Condition>
    bool happens(Condition&& condition) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
        while (!condition() && std::chrono::steady_clock::now() < end) {
            origin().progress();
        }
        return condition();
    }
    // The condition should not be true yet, because the network is full. But TCP may find room
    // later, when its timers run or when the kernel was busy with other things. So only those tests
    // whose sockets refuse everything demand that nothing has left.
    template <class Condition>
    void poll_origin_alone_until(Condition&& condition) {
        static_cast<void>(happens(condition));
    }
    // Puts until one does not end. Returns the number of the last one that has. The source of each
    // stays as it is. Returns -1 where the network is never full, because it needs no server.
    int64_t fill() {
        constexpr int64_t kMost = (64 << 20) / kFillBytes;
        for (int64_t number = 0; number < kMost; ++number) {
            sources_.emplace_back(kFillBytes, value_of(number));
            tasks_.push_back(put(sources_.back().data(), kFillBytes, place_of(number)));
            if (!happens([&] { return tasks_.back()->is_complete(); })) {
                return number - 1;
            }
        }
        return -1;
    }
    static char value_of(int64_t number) { return static_cast<char>(1 + number % 100); }
    static int64_t place_of(int64_t number) { return number % kPlaces * kFillBytes; }
    // Lets the server poll, and the origin not.
    template <class Condition>
    void expect_arrival(Condition&& has_arrived) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(15);
        while (!has_arrived() && std::chrono::steady_clock::now() < end) {
            network_->server(0).progress_inline();
            sched_yield();
        }
        EXPECT_TRUE(has_arrived());
    }
    // A small put that shares a frame. Returns the number of its batch.
    uint64_t append_small() {
        const pipeline::SmallBlock block{small_,
                                         reinterpret_cast<uint64_t>(network_->memory(0)) + kAtEnd};
        EXPECT_TRUE(origin().append(channel(),
                                    {.blocks = &block, .block_count = 1, .block_bytes = 8},
                                    pipeline::Batches::Leaving::by_caller));
        return origin().batches().last();
    }
    bool has_left(uint64_t last) {
        origin().batches().flush_all();
        return origin().batches().has_left(0, last);
    }
    pipeline::RequestTask make_store() {
        return {"store", wire::FrameKind::store,
                wire::StoreBody{reinterpret_cast<uint64_t>(network_->memory(0)) + kAtEnd, 7, 0},
                pipeline::RequestTask::Answer::none};
    }
    void end_all() {
        for (const auto& task : tasks_) {
            network_->wait(*task);
        }
        network_->fence_all();
    }

    static constexpr int64_t kPlaces = kMemory / kFillBytes / 2;
    char small_[8] = {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'};
    std::vector<std::vector<char>> sources_;
    std::vector<std::unique_ptr<pipeline::Task>> tasks_;
    std::unique_ptr<TestNetwork> network_;
};

class PipelineDepartureIntoFullNetwork : public PipelineDeparture {
  protected:
    void SetUp() override {
        PipelineDeparture::SetUp();
        if (IsSkipped()) {
            return;
        }
        last_ = fill();
        if (last_ < 0) {
            GTEST_SKIP() << "writes of this provider need no server";
        }
    }
    int64_t last_ = 0;  // the last put that is complete
};

TEST_F(PipelineDepartureIntoFullNetwork, WhatIsCompleteArrives) {
    expect_arrival([&] { return at(place_of(last_) + kFillBytes - 1) == value_of(last_); });
    end_all();
}

TEST_F(PipelineDepartureIntoFullNetwork, ASmallPutThatHasLeftArrives) {
    const uint64_t last = append_small();
    poll_origin_alone_until([&] { return has_left(last); });
    network_->wait_until([&] { return has_left(last); });
    expect_arrival([&] { return at(kAtEnd) == 'a'; });
    end_all();
}

TEST_F(PipelineDepartureIntoFullNetwork, ARequestThatIsCompleteArrives) {
    pipeline::RequestTask store = make_store();
    network_->submit(0, 0, store);
    poll_origin_alone_until([&] { return store.is_complete(); });
    network_->wait(store);
    expect_arrival([&] { return at(kAtEnd) == 7; });
    end_all();
}

// A put that ends with its copy must find room in a socket that sends nothing.
TEST_F(PipelineDeparture, APutThatMayFindNoRoomIsNotCopied) {
    constexpr int64_t kLongest = 16 << 10;
    if (!origin().copies_puts(1)) {
        GTEST_SKIP() << "this provider does not say when a write has arrived";
    }
    EXPECT_TRUE(origin().may_write_copy(0, kLongest));
    EXPECT_FALSE(origin().may_write_copy(0, kLongest + 1));
}

// By default, the provider tcp copies a message for which a socket has no room. It then reports the
// message as complete, and those behind it.
TEST_F(PipelineDeparture, NothingIsCompleteBehindAPutThatFoundNoRoom) {
    pipeline::RequestTask store = make_store();
    bool is_tested = false;
    {
        const FullSockets full;
        tasks_.push_back(put(small_, 8, 0));
        const uint64_t last = append_small();
        network_->submit(0, 0, store);
        const bool put_ended = happens([&] { return tasks_.back()->is_complete(); });
        const bool batch_left = happens([&] { return has_left(last); });
        const bool store_ended = happens([&] { return store.is_complete(); });
        is_tested = full.refused() > 0;
        EXPECT_FALSE(is_tested && (put_ended || batch_left || store_ended))
            << put_ended << batch_left << store_ended;
    }
    network_->wait(store);
    end_all();
    EXPECT_EQ(at(0), 'a');
    EXPECT_EQ(at(kAtEnd), 7);
    const bool sends_by_sockets = provider().starts_with("tcp") || provider().starts_with("net");
    EXPECT_TRUE(is_tested || !sends_by_sockets) << "the sends of this provider are not replaced";
    if (!is_tested) {
        GTEST_SKIP() << "this provider sends otherwise than by send, sendto or sendmsg";
    }
}

}  // namespace
}  // namespace armci::test
