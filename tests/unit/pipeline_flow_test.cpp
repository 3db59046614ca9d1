// SPDX-License-Identifier: BSD-3-Clause
// How transfers share buffers and granted receive buffers: what one uses becomes free for another.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "fabric/faults.h"
#include "pipeline/origin/put_task.h"
#include "pipeline/origin/request_task.h"
#include "server_fixture.h"
#include "transfer_pattern.h"

namespace armci::test {
namespace {

using base::OpKind;
using base::Route;

// Blocks that are apart in local memory, so that they are packed into buffers.
Pattern packed_pattern(int64_t bytes) {
    constexpr int64_t kBlock = 4 << 10;
    return spaced_pattern(kBlock, bytes / kBlock, 2 * kBlock, kBlock);
}

// Puts that follow each other each find a receive buffer, though each uses one up: the buffers that
// an origin may keep between transfers are granted again. Without one a put is sent in many short
// messages.
TEST(PipelineFlow, ReceiveBuffersAreGrantedAgainAfterUse) {
    constexpr int64_t kBytes = 32 << 10;
    constexpr uint64_t kPuts = 20;
    NetworkOptions options;
    options.receive_buffer_count = 16;
    TestNetwork network(options);
    ASSERT_EQ(network.error(), "");
    if (!network.writes_chunks()) {
        GTEST_SKIP() << "this provider has no granted receive buffers";
    }
    std::vector<char> local(256 << 10, 'x');
    const auto put = [&](int64_t bytes) {
        network.wait(*network.start(0, 0, Route::server,
                                    make_transfer({OpKind::put}, contiguous_pattern(bytes, 0, 0),
                                                  local.data(), network.memory(0))));
        network.fence_all();
        for (int i = 0; i < 200; ++i) {  // the grant may arrive after the acknowledgement
            network.progress();
        }
    };
    put(static_cast<int64_t>(local.size()));
    const uint64_t before = network.stats(0).chunks_sent;
    for (uint64_t i = 0; i < kPuts; ++i) {
        put(kBytes);
    }
    EXPECT_EQ(network.stats(0).chunks_sent - before, kPuts);
}

// The call returns before everything is sent, and must not read the caller's arrays afterwards.
TEST(PipelineFlow, NonBlockingVectorOutlivesItsArrays) {
    constexpr int64_t kSegments = 100;
    constexpr int64_t kSegmentBytes = 8 << 10;
    NetworkOptions options;
    options.buffer_count = 1;
    options.memory_bytes = kSegments * kSegmentBytes;
    TestNetwork network(options);
    ASSERT_EQ(network.error(), "");
    std::vector<char> local(options.memory_bytes);
    std::vector<uint64_t> from;
    std::vector<uint64_t> to;
    for (int64_t i = 0; i < kSegments; ++i) {
        const int64_t other = (i * 37) % kSegments * kSegmentBytes;
        from.push_back(reinterpret_cast<uint64_t>(local.data() + i * kSegmentBytes));
        to.push_back(reinterpret_cast<uint64_t>(network.memory(0) + other));
    }
    for (size_t i = 0; i < local.size(); ++i) {
        local[i] = static_cast<char>(i * 11 + i / 251);
    }
    pipeline::Transfer transfer;
    transfer.total_bytes = kSegments * kSegmentBytes;
    strided::VectorSides& sides = transfer.sides.make_vector();
    sides.local = from.data();
    sides.remote = to.data();
    sides.block_count = kSegments;
    sides.block_bytes = kSegmentBytes;
    sides.remote_extent = strided::enclose(to.data(), kSegments, kSegmentBytes);
    pipeline::PutTask task(std::move(transfer));
    bool is_complete = false;
    task.call_when_complete([](pipeline::Task*, void* flag) { *static_cast<bool*>(flag) = true; },
                            &is_complete);
    network.submit(0, 0, task);
    ASSERT_FALSE(is_complete);
    std::fill(from.begin(), from.end(), uint64_t{0});
    std::fill(to.begin(), to.end(), uint64_t{0});
    network.wait_until([&] { return is_complete; });
    network.fence_all();
    for (int64_t i = 0; i < kSegments; ++i) {
        EXPECT_EQ(std::memcmp(network.memory(0) + (i * 37) % kSegments * kSegmentBytes,
                              local.data() + i * kSegmentBytes, kSegmentBytes),
                  0)
            << "segment " << i;
    }
}

// A short transfer to one server does not wait for the buffers of a long one to another.
TEST(PipelineFlow, ShortTransferOvertakesALongOneToAnotherServer) {
    constexpr int64_t kLong = 8 << 20;
    constexpr int64_t kShort = 48 << 10;
    NetworkOptions options;
    options.node_count = 2;
    options.buffer_count = 1;
    options.receive_buffer_count = 64;  // the long one does not wait for receive buffers
    options.memory_bytes = kLong;
    TestNetwork network(options);
    ASSERT_EQ(network.error(), "");
    std::vector<char> local(2 * kLong, 'x');
    const auto start = [&](int node, int64_t bytes) {
        return network.start(0, node, Route::server,
                             make_transfer({OpKind::put}, packed_pattern(bytes), local.data(),
                                           network.memory(node)));
    };
    for (const int node : {0, 1}) {  // connected, with receive buffers
        network.wait(*start(node, kShort));
    }
    network.fence_all();
    const auto long_one = start(0, kLong);
    const auto short_one = start(1, kShort);
    network.wait(*short_one);
    EXPECT_GE(network.origin(0).channel(0).recv_buffers.queued_bytes, kLong / 2);
    network.wait(*long_one);
    network.fence_all();
}

// How many buffers a long put takes of eight, if it may take `depth`.
size_t buffers_of_long_put(int32_t depth) {
    constexpr int64_t kLong = 1 << 20;
    NetworkOptions options;
    options.buffer_count = 8;
    options.buffer_bytes = 32 << 10;  // so short that none is free again while others are packed
    options.depth = depth;
    options.receive_buffer_count = 64;
    options.memory_bytes = kLong;
    TestNetwork network(options);
    EXPECT_EQ(network.error(), "");
    std::vector<char> local(kLong, 'x');
    network.wait(*network.start(0, 0, Route::server,
                                make_transfer({OpKind::put}, contiguous_pattern(kLong, 0, 0),
                                              local.data(), network.memory(0))));
    network.fence_all();
    EXPECT_EQ(std::memcmp(network.memory(0), local.data(), kLong), 0);
    return network.origin(0).buffers().ready_count();
}

// What is not of use to one transfer stays free for others, and is not registered.
TEST(PipelineFlow, OneTransferTakesNoMoreBuffersThanItsDepth) {
    EXPECT_EQ(buffers_of_long_put(1), 1U);
    EXPECT_EQ(buffers_of_long_put(3), 3U);
    EXPECT_EQ(buffers_of_long_put(INT32_MAX), 8U);
}

// Gets wait until there is room for their answers besides those that earlier gets still expect.
TEST(PipelineFlow, AnswersUnderWayFitIntoReceiveMemory) {
    constexpr int64_t kBytes = 48 << 10;
    NetworkOptions options;
    options.write_chunks = false;  // answers are messages
    TestNetwork network(options);
    ASSERT_EQ(network.error(), "");
    std::vector<char> local(8 * kBytes);
    std::vector<std::unique_ptr<pipeline::Task>> gets;
    for (int64_t i = 0; i < 8; ++i) {
        gets.push_back(network.start(0, 0, Route::server,
                                     make_transfer({OpKind::get}, contiguous_pattern(kBytes, 0, 0),
                                                   local.data() + i * kBytes, network.memory(0))));
    }
    const auto max = static_cast<int64_t>(options.receive_buffer_count * options.buffer_bytes);
    EXPECT_GE(network.origin(0).load().reserved_bytes, kBytes);
    EXPECT_LE(network.origin(0).load().reserved_bytes, max);
    for (const auto& get : gets) {
        network.wait(*get);
        EXPECT_LE(network.origin(0).load().reserved_bytes, max);
    }
    EXPECT_EQ(network.origin(0).load().reserved_bytes, 0);
}

// How many credits a get of many chunks took. With several buffers the next credit makes up for a
// missing one. With one buffer the server would wait for it without end.
uint64_t credits_of_long_get(bool write_chunks, int depth) {
    constexpr int64_t kBytes = 2 << 20;
    constexpr int kMaxRoundTrips = 20000;  // far more than the get takes
    NetworkOptions options;
    options.buffer_count = 8;
    options.buffer_bytes = 16 << 10;
    options.memory_bytes = kBytes + 8;
    options.write_chunks = write_chunks;
    TestNetwork network(options);
    EXPECT_EQ(network.error(), "");
    pipeline::Origin& origin = network.origin(0);
    origin.frames().depth().set(depth);
    for (int64_t i = 0; i < kBytes; ++i) {
        network.memory(0)[i] = static_cast<char>(i * 7 + i / 256);
    }
    std::vector<char> local(kBytes);
    uint64_t others = network.stats(0).messages_sent + 1;  // with the get's request
    const auto get = network.start(0, 0, Route::server,
                                   make_transfer({OpKind::get}, contiguous_pattern(kBytes, 0, 0),
                                                 local.data(), network.memory(0)));
    for (int i = 0; !get->is_complete() || origin.load() != pipeline::Origin::Load(); ++i) {
        if (i == kMaxRoundTrips) {
            ADD_FAILURE() << "the get stands still, or something of it is left; " << depth
                          << " buffers";
            std::abort();  // operations under way cannot be removed
        }
        pipeline::RequestTask rmw(
            "rmw", wire::FrameKind::rmw,
            wire::RmwBody{reinterpret_cast<uint64_t>(network.memory(0)) + kBytes, 1,
                          /*fetch_add_int*/ 0},
            pipeline::RequestTask::Answer::expected);
        network.submit(0, 0, rmw);
        network.wait(rmw);
        ++others;
    }
    EXPECT_EQ(std::memcmp(local.data(), network.memory(0), kBytes), 0);
    EXPECT_EQ(network.server(0).load().streams, 0);
    return network.stats(0).messages_sent - others;
}

// With one buffer for data at the server, gets that have waited for it come before later ones.
TEST(PipelineFlow, LaterGetsDoNotOvertakeThoseThatWaitForABuffer) {
    constexpr size_t kUnderWay = 64;
    constexpr int kGets = 4000;
    constexpr int64_t kBytes = 4 << 10;
    NetworkOptions options;
    options.origin_count = 2;
    options.buffer_count = 1;
    options.buffer_bytes = 16 << 10;
    TestNetwork network(options);
    ASSERT_EQ(network.error(), "");
    struct Get {
        std::unique_ptr<pipeline::Task> task;
        std::vector<char> local = std::vector<char>(kBytes);
        int started = 0;  // how many gets before it
        bool is_complete = false;
    };
    std::vector<Get> gets(kUnderWay);
    int started = 0;
    const auto start = [&](Get& get) {
        get.is_complete = false;
        get.started = started;
        get.task = network.start(started++ % options.origin_count, 0, Route::server,
                                 make_transfer({OpKind::get}, contiguous_pattern(kBytes, 0, 0),
                                               get.local.data(), network.memory(0)));
        get.task->call_when_complete(
            [](pipeline::Task*, void* flag) { *static_cast<bool*>(flag) = true; },
            &get.is_complete);
    };
    for (Get& get : gets) {
        start(get);
    }
    int oldest = 0;  // when one ends: how many have been started since it was
    while (started < kGets) {
        network.progress();
        for (Get& get : gets) {
            if (get.is_complete) {
                oldest = std::max(oldest, started - get.started);
                start(get);
            }
        }
    }
    for (Get& get : gets) {
        oldest = std::max(oldest, started - get.started);
        network.wait_until([&] { return get.is_complete; });
    }
    EXPECT_LE(oldest, static_cast<int>(4 * kUnderWay));
}

// Each chunk except the last is credited: one by one where there are one or two buffers, else half
// of the buffers at a time.
TEST(PipelineFlow, CreditsEveryChunkOfALongGet) {
    if (!TestNetwork(NetworkOptions{}).writes_chunks()) {
        GTEST_SKIP() << "this provider has no granted receive buffers";
    }
    const uint64_t single = credits_of_long_get(true, 1);
    EXPECT_GE(single, 127U);
    EXPECT_EQ(credits_of_long_get(true, 2), single);
    EXPECT_EQ(credits_of_long_get(true, 4), single / 2);
}

// Where the network refuses posts there are other messages, too.
TEST(PipelineFlow, SendsRefusedCreditsLater) {
    fabric::Faults faults;
    faults.refused_posts = 1;
    faults.of_posts = 2;
    fabric::set_faults(faults);
    if (TestNetwork(NetworkOptions{}).writes_chunks()) {
        EXPECT_GE(credits_of_long_get(true, 2), 127U);
        EXPECT_GE(credits_of_long_get(true, 1), 127U);
    }
    EXPECT_GT(credits_of_long_get(false, 0), 0U);
    fabric::set_faults(fabric::Faults{});
}

// The same where chunks are messages.
TEST(PipelineFlow, CreditsALongGetByMessages) {
    EXPECT_GT(credits_of_long_get(false, 0), 0U);
}

// An origin sends no more messages than a server that executes nothing has room for.
TEST(PipelineFlow, MessagesUnderWayFitIntoTheWindow) {
    TestNetwork network{NetworkOptions{}};
    ASSERT_EQ(network.error(), "");
    pipeline::Origin& origin = network.origin(0);
    pipeline::Channel& channel = origin.channel(0);
    std::vector<char> local(1024, 'x');
    const pipeline::SmallBlock block{local.data(), reinterpret_cast<uint64_t>(network.memory(0))};
    const auto window = static_cast<uint64_t>(channel.flow.window_bytes);
    int appended = 0;
    for (uint64_t tried = 0; tried < 4 * window; tried += local.size()) {
        appended += origin.append(channel,
                                  {.blocks = &block, .block_count = 1, .block_bytes = local.size()},
                                  pipeline::Batches::Leaving::when_due)
                        ? 1
                        : 0;
        origin.progress();
        ASSERT_LE(channel.flow.sent_bytes - channel.flow.acknowledged_bytes, window);
    }
    EXPECT_GT(appended, 0);
    EXPECT_LT(static_cast<uint64_t>(appended) * local.size(), 2 * window);
    network.fence_all();
    EXPECT_EQ(std::memcmp(network.memory(0), local.data(), local.size()), 0);
}

// Batched operations are sent before any operation that is started later.
TEST(PipelineFlow, SendsBatchedPutsBeforeLaterOperations) {
    constexpr int64_t kLong = 100 << 10;
    TestNetwork network{NetworkOptions{}};
    ASSERT_EQ(network.error(), "");
    pipeline::Origin& origin = network.origin(0);
    pipeline::Channel& channel = origin.channel(0);
    uint64_t number = 0;
    // The last of them stays: puts that follow each other closely are batched.
    const auto put_small = [&] {
        do {
            ++number;
            const pipeline::SmallBlock block{reinterpret_cast<char*>(&number),
                                             reinterpret_cast<uint64_t>(network.memory(0))};
            network.wait_until([&] {
                return origin.append(
                    channel, {.blocks = &block, .block_count = 1, .block_bytes = sizeof number},
                    pipeline::Batches::Leaving::when_due);
            });
        } while (channel.batch == nullptr);
    };
    put_small();
    network.fence_all();
    for (int round = 0; round < 20; ++round) {
        const auto round_bytes = static_cast<int64_t>(round % 2 == 0 ? sizeof number : kLong);
        std::vector<uint64_t> local(kLong / sizeof number, 0);
        put_small();
        network.wait(*network.start(
            0, 0, Route::server,
            make_transfer({OpKind::get}, contiguous_pattern(round_bytes, 0, 0),
                          reinterpret_cast<char*>(local.data()), network.memory(0))));
        EXPECT_EQ(local[0], number);
        put_small();
        std::fill(local.begin(), local.end(), ~number);
        network.wait(*network.start(
            0, 0, Route::server,
            make_transfer({OpKind::put}, contiguous_pattern(round_bytes, 0, 0),
                          reinterpret_cast<char*>(local.data()), network.memory(0))));
        network.fence_all();
        uint64_t found = 0;
        std::memcpy(&found, network.memory(0), sizeof found);
        EXPECT_EQ(found, ~number);
    }
}

// A put that travels alone asks for no granted receive buffer, which would cost two messages more.
TEST(PipelineFlow, SingleShortPutIsOneFrame) {
    TestNetwork network{NetworkOptions{}};
    ASSERT_EQ(network.error(), "");
    pipeline::Origin& origin = network.origin(0);
    pipeline::Channel& channel = origin.channel(0);
    std::vector<char> data(1024, 'd');
    const pipeline::SmallBlock block{data.data(), reinterpret_cast<uint64_t>(network.memory(0))};
    const pipeline::SmallTransfer put{
        .blocks = &block, .block_count = 1, .block_bytes = data.size()};
    uint64_t sent = channel.flow.sent_frames;  // when the memory was registered
    ASSERT_GT(sent, 0U);
    network.wait_until(
        [&] { return origin.append(channel, put, pipeline::Batches::Leaving::by_caller); });
    origin.batches().flush_blocking(0);
    EXPECT_EQ(channel.flow.sent_frames, sent + 1);
    network.fence_all();
    // A put is isolated 20 us after the one before. Then one that could share a frame travels alone
    // as well.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    sent = channel.flow.sent_frames;
    network.wait_until(
        [&] { return origin.append(channel, put, pipeline::Batches::Leaving::when_due); });
    EXPECT_EQ(channel.flow.sent_frames, sent + 1);
    network.fence_all();
    EXPECT_EQ(std::memcmp(network.memory(0), data.data(), data.size()), 0);
}

// The first gets of a row leave at once: their origin may compute until it needs the data, and call
// nothing that would send them.
TEST(PipelineFlow, FirstGetsLeaveAtOnce) {
    TestNetwork network{NetworkOptions{}};
    ASSERT_EQ(network.error(), "");
    pipeline::Origin& origin = network.origin(0);
    pipeline::Channel& channel = origin.channel(0);
    for (int round = 0; round < 20; ++round) {
        uint64_t values[4] = {};
        int done = 0;
        for (uint64_t& value : values) {
            const pipeline::SmallBlock block{reinterpret_cast<char*>(&value),
                                             reinterpret_cast<uint64_t>(network.memory(0))};
            const pipeline::SmallTransfer get{
                .op = OpKind::get,
                .blocks = &block,
                .block_count = 1,
                .block_bytes = sizeof value,
                .end = {[](void* count) { ++*static_cast<int*>(count); }, &done}};
            network.wait_until(
                [&] { return origin.append(channel, get, pipeline::Batches::Leaving::when_due); });
            EXPECT_EQ(channel.batch, nullptr) << "round " << round;
        }
        network.wait_until([&] { return done == 4; });
    }
}

// Where many gets were under way together, a message for each of the first ones would cost more
// than it gains.
TEST(PipelineFlow, OnlyTheFirstGetLeavesAtOnceAfterManyTogether) {
    TestNetwork network{NetworkOptions{}};
    ASSERT_EQ(network.error(), "");
    pipeline::Origin& origin = network.origin(0);
    pipeline::Channel& channel = origin.channel(0);
    constexpr int64_t kSoonNs = 1'000'000'000;
    // Of the first row four leave at once and eight together. The next ones have few.
    const struct {
        int gets;
        int prompt;
    } rows[] = {{12, 4}, {12, 1}, {2, 1}, {4, 4}, {11, 4}, {4, 4}};
    for (const auto& row : rows) {
        const int gets = row.gets;
        constexpr int kBlocks = 8;
        std::vector<uint64_t> values(static_cast<size_t>(gets * kBlocks));
        int done = 0;
        for (int i = 0; i < gets; ++i) {
            pipeline::SmallBlock blocks[kBlocks];
            for (int block = 0; block < kBlocks; ++block) {
                const auto place = static_cast<size_t>(i * kBlocks + block);
                blocks[block] = {reinterpret_cast<char*>(&values[place]),
                                 reinterpret_cast<uint64_t>(network.memory(0))};
            }
            const pipeline::SmallTransfer get{
                .op = OpKind::get,
                .blocks = blocks,
                .block_count = kBlocks,
                .block_bytes = sizeof values[0],
                .end = {[](void* count) { ++*static_cast<int*>(count); }, &done}};
            channel.last_batch_ns = base::now_ns() + kSoonNs;  // so no pause makes it isolated
            network.wait_until(
                [&] { return origin.append(channel, get, pipeline::Batches::Leaving::when_due); });
            EXPECT_EQ(channel.batch == nullptr, i < row.prompt) << "get " << i << " of " << gets;
        }
        origin.batches().flush_all();
        network.wait_until([&] { return done == gets; });
    }
}

// Where a fence follows each operation, the operation itself requests the acknowledgement, which
// arrives though fence is not called. A stand-still ends the program.
TEST(PipelineFlow, OperationsRequestAcknowledgementWhenAFenceIsExpected) {
    TestNetwork network{NetworkOptions{}};
    ASSERT_EQ(network.error(), "");
    pipeline::Origin& origin = network.origin(0);
    pipeline::Channel& channel = origin.channel(0);
    std::vector<char> local(100 << 10, 'x');
    const auto put = [&](Route route, int64_t bytes) {
        network.wait(*network.start(0, 0, route,
                                    make_transfer({OpKind::put}, contiguous_pattern(bytes, 0, 0),
                                                  local.data(), network.memory(0))));
    };
    const auto small = [&] {
        const pipeline::SmallBlock block{local.data(),
                                         reinterpret_cast<uint64_t>(network.memory(0))};
        network.wait_until([&] {
            return origin.append(channel, {.blocks = &block, .block_count = 1, .block_bytes = 8},
                                 pipeline::Batches::Leaving::by_caller);
        });
        origin.batches().flush_blocking(0);
    };
    const bool can_write = network.is_registered(0);
    for (int round = 0; round < 3; ++round) {
        for (int kind = 0; kind < 4; ++kind) {
            switch (kind) {
                case 0:
                    small();
                    break;
                case 1:
                    put(Route::server, 1000);
                    break;
                case 2:
                    put(Route::server, 100 << 10);
                    break;
                default:
                    put(can_write ? Route::rma : Route::server, 1000);
                    break;
            }
            if (round > 0) {
                network.wait_until([&] { return !channel.remote_work_pending(); });
            }
            network.fence_all();
        }
    }
}

// What a chunk finds complete while it is sent counts for the next turn: another thread may be
// asleep until it hears of that.
TEST(PipelineFlow, WhatEndsBetweenChunksCountsForTheNextTurn) {
    constexpr int64_t kLongBytes = 1 << 20;
    NetworkOptions options;
    options.buffer_count = 1;  // a second chunk shows that the first has been completed
    options.buffer_bytes = 256 << 10;
    options.receive_buffer_count = 16;
    options.memory_bytes = kLongBytes;
    TestNetwork network(options);
    ASSERT_EQ(network.error(), "");
    if (!network.writes_chunks()) {
        GTEST_SKIP() << "this provider has no granted receive buffers";
    }
    std::vector<char> local(2 * kLongBytes, 'x');
    const auto settle = [&] {
        network.fence_all();
        for (int i = 0; i < 200; ++i) {
            network.progress();
        }
    };
    const auto start = [&](int64_t bytes) {
        return network.start(
            0, 0, Route::server,
            make_transfer({OpKind::put}, packed_pattern(bytes), local.data(), network.memory(0)));
    };
    network.wait(*start(kLongBytes));
    settle();
    bool was_seen = false;
    for (int tries = 0; tries < 100 && !was_seen; ++tries) {
        const uint64_t before = network.stats(0).chunks_sent;
        const auto put = start(kLongBytes);
        was_seen = network.stats(0).chunks_sent - before >= 2;
        if (was_seen) {
            EXPECT_TRUE(network.origin(0).progress());
        }
        network.wait(*put);
        settle();
    }
    if (!was_seen) {
        GTEST_SKIP() << "this provider has not completed a chunk at once";
    }
}

}  // namespace
}  // namespace armci::test
