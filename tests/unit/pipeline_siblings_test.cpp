// SPDX-License-Identifier: BSD-3-Clause
// The data servers of one node are independent: fences and waits are for one of them. Servers here
// do nothing without inline progress, so whatever waits for one of them stops.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "fabric/faults.h"
#include "pipeline/origin/request_task.h"
#include "server_fixture.h"
#include "transfer_pattern.h"

namespace armci::test {
namespace {

using base::OpKind;
using base::Route;

class PipelineSiblings : public ::testing::TestWithParam<bool> {
  protected:
    static constexpr int32_t kChunksOfTransfer = 3;

    void SetUp() override {
        NetworkOptions options;
        options.node_count = 4;
        options.servers_per_node = 2;  // so there are two nodes
        options.use_ordering = GetParam();
        options.depth = kChunksOfTransfer;
        network_ = std::make_unique<TestNetwork>(options);
        ASSERT_EQ(network_->error(), "");
        for (const int server : {0, 1}) {  // connected
            const auto task = rmw(server);
            network_->wait(*task);
        }
        network_->fence_all();
    }

    pipeline::Origin& origin() { return network_->origin(0); }
    uint64_t address(int server) { return reinterpret_cast<uint64_t>(network_->memory(server)); }

    std::unique_ptr<pipeline::RequestTask> rmw(int server) {
        auto task = std::make_unique<pipeline::RequestTask>(
            "rmw", wire::FrameKind::rmw, wire::RmwBody{address(server), 1, /*fetch_add_long*/ 1},
            pipeline::RequestTask::Answer::expected);
        network_->submit(0, server, *task);
        return task;
    }
    bool append(int server) {
        const pipeline::SmallBlock block{local_.data(), address(server) + 64};
        return origin().append(origin().channel(server),
                               {.blocks = &block, .block_count = 1, .block_bytes = 8},
                               pipeline::Batches::Leaving::by_caller);
    }
    std::unique_ptr<pipeline::Task> put(int server, Route route, int64_t bytes) {
        return network_->start(0, server, route,
                               make_transfer({OpKind::put}, contiguous_pattern(bytes, 64, 64),
                                             local_.data(), network_->memory(server)));
    }
    std::vector<char> local_ = std::vector<char>(256 << 10, 'x');
    std::unique_ptr<TestNetwork> network_;
};

// The frame has its own memory, and no poll is needed before it leaves.
TEST_P(PipelineSiblings, ARequestWithoutAnswerEndsWhenItIsPosted) {
    if (!origin().frames().sends_alone()) {
        GTEST_SKIP() << "frames of this provider leave while their sender polls";
    }
    pipeline::RequestTask store("store", wire::FrameKind::store, wire::StoreBody{address(0), 7, 0},
                                pipeline::RequestTask::Answer::none);
    network_->submit(0, 0, store);
    EXPECT_TRUE(store.is_complete());
    network_->fence_all();
    EXPECT_EQ(*reinterpret_cast<int*>(network_->memory(0)), 7);
}

TEST_P(PipelineSiblings, NothingLeavesAloneBehindWhatMayNotHaveLeft) {
    pipeline::Channel& channel = origin().channel(0);
    const auto leaves_alone = [&](size_t bytes = 8) {
        return origin().frames().leaves_alone(channel, bytes);
    };
    if (!origin().frames().sends_alone()) {
        GTEST_SKIP() << "frames of this provider leave while their sender polls";
    }
    const pipeline::Channel at_rest = channel;
    channel.flow.last_delayed = channel.flow.sent_frames + 1;
    EXPECT_FALSE(leaves_alone());
    channel = at_rest;
    channel.recv_buffers.last_frame = channel.flow.acknowledged_frames + 1;
    EXPECT_FALSE(leaves_alone());
    channel = at_rest;
    channel.write_mark = channel.flow.acknowledged_frames + 1;
    EXPECT_FALSE(leaves_alone());
    channel = at_rest;
    channel.writes_in_flight = 1;
    EXPECT_FALSE(leaves_alone());
    channel = at_rest;
    channel.reads_in_flight = 1;
    EXPECT_FALSE(leaves_alone());
    channel = at_rest;
    EXPECT_FALSE(leaves_alone((4 << 10) + 1));
    channel.flow.sent_bytes = channel.flow.acknowledged_bytes + (4 << 10) - 8;
    EXPECT_TRUE(leaves_alone());
    EXPECT_FALSE(leaves_alone(9));
    channel = at_rest;
    EXPECT_TRUE(leaves_alone());
}

// Short frames of blocking calls would otherwise wait until they have left, each of them.
TEST_P(PipelineSiblings, ShortFramesAskBeforeMoreThanSurelyFitsIsUnderWay) {
    const pipeline::FrameFlow& flow = origin().channel(0).flow;
    network_->fence_all();
    const auto unanswered = [&] { return flow.sent_bytes - flow.acknowledged_bytes; };
    const auto send = [&] {
        pipeline::RequestTask store("store", wire::FrameKind::store,
                                    wire::StoreBody{address(0), 7, 0},
                                    pipeline::RequestTask::Answer::none);
        network_->submit(0, 0, store);
        network_->wait(store);
    };
    if (!origin().frames().sends_alone()) {
        GTEST_SKIP() << "frames of this provider leave while their sender polls";
    }
    for (int round = 0; round < 3; ++round) {
        const uint64_t asked_before = flow.asked_frame;
        while (unanswered() <= pipeline::FrameSender::kAskedFor) {
            EXPECT_EQ(flow.asked_frame, asked_before);
            send();
        }
        send();
        const uint64_t asked = flow.asked_frame;
        EXPECT_EQ(asked, flow.sent_frames);
        send();
        EXPECT_EQ(flow.asked_frame, asked) << "one is under way";
        EXPECT_LE(unanswered(), pipeline::FrameSender::kSurelyTaken);
        network_->wait_until([&] { return flow.acknowledged_frames >= asked; });
    }
    network_->fence_all();
}

// The frame before it may be on a slower rail.
TEST_P(PipelineSiblings, AChunkThatIsCompleteLeavesItsBufferToTheNext) {
    pipeline::Channel& channel = origin().channel(0);
    const pipeline::Channel at_rest = channel;
    pipeline::FrameSender& frames = origin().frames();
    pipeline::RequestTask task("task", wire::FrameKind::store, wire::StoreBody{address(0), 7, 0},
                               pipeline::RequestTask::Answer::none);
    for (int32_t chunk = 0; chunk < kChunksOfTransfer; ++chunk) {
        EXPECT_TRUE(frames.has_chunk_for(task));
        task.add_pending();
    }
    EXPECT_FALSE(frames.has_chunk_for(task));
    frames.note_left(channel, channel.flow.left_frames + 2, &task);
    EXPECT_TRUE(frames.has_chunk_for(task));
    task.add_pending();
    EXPECT_FALSE(frames.has_chunk_for(task));
    frames.note_left(channel, channel.flow.left_frames + 1, nullptr);
    EXPECT_EQ(task.pending(), kChunksOfTransfer);
    channel = at_rest;
}

TEST_P(PipelineSiblings, ReadsAreCountedWhileTheyAreUnderWay) {
    std::vector<std::unique_ptr<pipeline::Task>> gets;
    for (int i = 0; i < 3; ++i) {
        gets.push_back(
            network_->start(0, 0, Route::rma,
                            make_transfer({OpKind::get}, contiguous_pattern(64, 64 * i, 64 * i),
                                          local_.data(), network_->memory(0))));
    }
    EXPECT_EQ(origin().channel(0).reads_in_flight, 3);
    EXPECT_EQ(origin().channel(1).reads_in_flight, 0);
    for (const auto& get : gets) {
        network_->wait(*get);
    }
    EXPECT_EQ(origin().channel(0).reads_in_flight, 0);
}

// A request that follows the put on its channel, and asks to be acknowledged, is its fence.
TEST_P(PipelineSiblings, AFenceBeforeARequestLeavesOutItsServer) {
    for (const int server : {0, 1}) {
        ASSERT_TRUE(append(server));
    }
    origin().batches().flush_all();
    bool is_left_out = false;
    pipeline::Fence fence = origin().fences().start_all_before(0, &is_left_out);
    EXPECT_EQ(is_left_out, GetParam());
    EXPECT_EQ(fence.points.size(), GetParam() ? 1U : 2U);
    pipeline::RequestTask store("store", wire::FrameKind::store, wire::StoreBody{address(0), 7, 0},
                                pipeline::RequestTask::Answer::none);
    store.ask_acknowledge();
    network_->submit(0, 0, store);
    const uint64_t sent = network_->stats(0).messages_sent;
    pipeline::Fence last = origin().fences().start(0);
    EXPECT_FALSE(origin().fences().is_done(&last));
    EXPECT_EQ(network_->stats(0).messages_sent, sent);
    network_->fence_all();
}

// No event tells when the provider takes what it has refused, so the wait sleeps for a short time.
TEST_P(PipelineSiblings, ARefusedFenceIsAPostToRepeat) {
    pipeline::RequestTask store("store", wire::FrameKind::store, wire::StoreBody{address(0), 7, 0},
                                pipeline::RequestTask::Answer::none);
    network_->submit(0, 0, store);
    network_->wait(store);
    pipeline::Fence fence = origin().fences().start(0);
    EXPECT_FALSE(origin().has_posts_to_repeat());
    fabric::Faults faults{.refused_posts = 1, .of_posts = 2, .posts_in_burst = 1000};
    do {
        ++faults.seed;
        fabric::set_faults(faults);
    } while (!fabric::post_is_refused());
    EXPECT_FALSE(origin().fences().is_done(&fence));
    EXPECT_TRUE(origin().has_posts_to_repeat());
    fabric::set_faults({});
    EXPECT_FALSE(origin().fences().is_done(&fence));
    EXPECT_FALSE(origin().has_posts_to_repeat());
    network_->fence_all();
}

// The first server cannot be asked at first, and the second one can.
TEST_P(PipelineSiblings, AFenceAsksTheOthersWhenOneIsRefused) {
    for (const int server : {0, 1}) {
        ASSERT_TRUE(append(server));
    }
    origin().batches().flush_all();
    pipeline::Fence fence = origin().fences().start_all();
    ASSERT_EQ(fence.points.size(), 2U);
    const pipeline::Channel* const first = fence.points[0].channel;
    fabric::Faults faults{.refused_posts = 1, .of_posts = 2, .posts_in_burst = 1};
    const auto refuses_first_only = [] {
        return fabric::post_is_refused() && !fabric::post_is_refused();
    };
    do {
        ++faults.seed;
        fabric::set_faults(faults);
    } while (!refuses_first_only());
    fabric::set_faults(faults);
    EXPECT_FALSE(origin().fences().is_done(&fence));
    fabric::set_faults({});
    EXPECT_TRUE(origin().has_posts_to_repeat());
    EXPECT_EQ(fence.asked, 1U);
    EXPECT_EQ(fence.points[1].channel, first);
    EXPECT_FALSE(origin().fences().is_done(&fence));
    EXPECT_FALSE(origin().has_posts_to_repeat());
    EXPECT_EQ(fence.asked, 2U);
    network_->wait_until([&] { return origin().fences().is_done(&fence); });
    for (const int server : {0, 1}) {
        EXPECT_FALSE(origin().channel(server).remote_work_pending());
    }
}

// One of several threads may wait for its batches while the others open new ones.
TEST_P(PipelineSiblings, DoesNotWaitForLaterBatches) {
    ASSERT_TRUE(append(0));
    const uint64_t last = origin().batches().last();
    EXPECT_FALSE(origin().batches().have_left(last));
    origin().batches().flush_all();
    ASSERT_TRUE(append(0));
    EXPECT_TRUE(origin().batches().have_left(last));
    EXPECT_TRUE(origin().batches().has_left(0, last));
    EXPECT_FALSE(origin().batches().have_left());
    EXPECT_FALSE(origin().batches().have_left(origin().batches().last()));
    EXPECT_FALSE(origin().batches().has_left(0, origin().batches().last()));
    origin().batches().flush_all();
    network_->fence_all();
}

TEST_P(PipelineSiblings, FenceCoversItsServerOnly) {
    EXPECT_TRUE(origin().fences().start(0).empty());
    for (const int server : {0, 1}) {
        ASSERT_TRUE(append(server));
        origin().batches().flush_blocking(server);
    }
    pipeline::Fence fence = origin().fences().start(1);
    for (int i = 0; i < 1'000'000 && !origin().fences().is_done(&fence); ++i) {
        origin().progress();
        network_->server(1).progress_inline();
        sched_yield();
    }
    EXPECT_TRUE(fence.empty());
    EXPECT_EQ(network_->memory(1)[64], 'x');
    EXPECT_TRUE(origin().channel(0).remote_work_pending());
    fence = origin().fences().start(0);
    network_->wait_until([&] { return origin().fences().is_done(&fence); });
    EXPECT_FALSE(origin().channel(0).remote_work_pending());
    EXPECT_EQ(network_->memory(0)[64], 'x');
    EXPECT_TRUE(origin().fences().start(0).empty());
}

// All servers are asked at once. What has not answered keeps a fence from looking further, so many
// servers cost no more than one look each.
TEST_P(PipelineSiblings, FenceOfAllAsksAtOnceAndWaitsInTurn) {
    for (const int server : {0, 1}) {
        ASSERT_TRUE(append(server));
    }
    pipeline::Fence fence = origin().fences().start_all();
    ASSERT_EQ(fence.points.size(), 2U);
    for (int i = 0; i < 1'000'000 && origin().channel(1).remote_work_pending(); ++i) {
        EXPECT_FALSE(origin().fences().is_done(&fence));
        origin().progress();
        network_->server(1).progress_inline();
        sched_yield();
    }
    EXPECT_FALSE(origin().channel(1).remote_work_pending());
    EXPECT_FALSE(origin().fences().is_done(&fence));
    EXPECT_EQ(fence.asked, 2U);
    EXPECT_EQ(fence.over, 0U);
    EXPECT_EQ(fence.points[0].channel->server, 0);
    network_->wait_until([&] { return origin().fences().is_done(&fence); });
    EXPECT_FALSE(origin().channel(0).remote_work_pending());
    EXPECT_EQ(network_->memory(0)[64], 'x');
    EXPECT_EQ(network_->memory(1)[64], 'x');
}

// Operations that other threads start meanwhile are not waited for: the fence ends though more
// operations are always under way.
TEST_P(PipelineSiblings, FenceCoversOnlyEarlierOperations) {
    constexpr int kFences = 20;
    for (const Route route : {Route::server, Route::rma}) {
        int ended_before_the_rest = 0;
        for (int i = 0; i < kFences; ++i) {
            const auto before = put(0, route, 60 << 10);
            pipeline::Fence fence = origin().fences().start(0);
            std::vector<std::unique_ptr<pipeline::Task>> more;
            while (!origin().fences().is_done(&fence)) {
                more.push_back(put(0, route, 1024));
                origin().progress();
                network_->server(0).progress_inline();
            }
            EXPECT_TRUE(before->is_complete());
            ended_before_the_rest += origin().channel(0).remote_work_pending() ? 1 : 0;
            for (const auto& task : more) {
                network_->wait(*task);
            }
            network_->fence_all();
        }
        EXPECT_GT(ended_before_the_rest, 0);
    }
}

TEST_P(PipelineSiblings, WaitCoversNonBlockingOperationsToItsServer) {
    const auto start = [&](int server) {
        auto task = std::make_unique<pipeline::RequestTask>(
            "rmw", wire::FrameKind::rmw, wire::RmwBody{address(server), 1, /*fetch_add_long*/ 1},
            pipeline::RequestTask::Answer::expected);
        task->call_when_complete([](pipeline::Task*, void*) {}, nullptr);
        network_->submit(0, server, *task);
        return task;
    };
    EXPECT_TRUE(origin().tasks().have_ended(origin().tasks().last_submitted()));
    const auto blocking = rmw(0);
    EXPECT_TRUE(origin().tasks().have_ended(origin().tasks().last_submitted()));
    const auto here = start(1);
    const uint64_t first = origin().tasks().last_submitted();
    const auto there = start(2);
    const uint64_t second = origin().tasks().last_submitted();
    EXPECT_TRUE(origin().tasks().have_ended(first, 0));
    EXPECT_FALSE(origin().tasks().have_ended(first, 1));
    EXPECT_TRUE(origin().tasks().have_ended(first, 2));
    EXPECT_FALSE(origin().tasks().have_ended(second, 2));
    network_->wait(*here);
    EXPECT_TRUE(origin().tasks().have_ended(first));
    EXPECT_TRUE(origin().tasks().have_ended(second, 1));
    network_->wait(*there);
    EXPECT_TRUE(origin().tasks().have_ended(second));
    network_->wait(*blocking);
}

INSTANTIATE_TEST_SUITE_P(Orderings, PipelineSiblings, ::testing::Bool(), [](const auto& ordering) {
    return std::string(ordering.param ? "ordered" : "delivered");
});

TEST(ServerNumbers, AreCountedNodeByNode) {
    const pipeline::ServerNumbers one{3, 1};
    EXPECT_EQ(one.count(), 3);
    EXPECT_EQ(one.name_of(2), "the data server of node 2");
    const pipeline::ServerNumbers two{3, 2};
    EXPECT_EQ(two.count(), 6);
    EXPECT_EQ(two.first_of(2), 4);
    EXPECT_EQ(two.node_of(5), 2);
    EXPECT_EQ(two.name_of(5), "data server 1 of node 2");
}

}  // namespace
}  // namespace armci::test
