// SPDX-License-Identifier: BSD-3-Clause
// Puts that a data server gives to a copy engine: they are executed when their copies are complete,
// keep their origin's order, and delay no other origin.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "held_engine.h"
#include "pipeline/origin/request_task.h"
#include "server_fixture.h"
#include "transfer_pattern.h"

namespace armci::test {
namespace {

using base::OpKind;
using base::Route;

class ServerOffload : public ::testing::Test {
  protected:
    static constexpr int64_t kBytes = 24 << 10;  // one chunk

    void SetUp() override {
        NetworkOptions options;
        options.origin_count = 2;
        options.receive_buffer_count = 16;
        network_ = std::make_unique<TestNetwork>(options);
        ASSERT_EQ(network_->error(), "");
        if (!network_->writes_chunks()) {
            GTEST_SKIP() << "no granted receive buffers with this provider";
        }
        auto engine = std::make_unique<HeldEngine>();
        engine_ = engine.get();
        network_->server(0).use_engine(std::move(engine), 8 << 10);
        // Receive buffers that an origin has used once stay granted to it: it does not begin with
        // messages again.
        for (int rank = 0; rank < 2; ++rank) {
            for (int i = 0; i < 3; ++i) {
                put(rank, contiguous_pattern(4 * kBytes, 0, 0));
            }
        }
        network_->fence_all();
        std::fill_n(network_->memory(0), 1 << 20, 0);
        engine_->hold();
    }

    std::unique_ptr<pipeline::Task> put(int rank, const Pattern& pattern) {
        auto task = network_->start(
            rank, 0, Route::server,
            make_transfer({OpKind::put}, pattern, local_.data(), network_->memory(0)));
        while (!task->is_complete()) {
            drive();
        }
        return task;
    }
    void drive() {
        for (int i = 0; i < 200; ++i) {
            network_->progress();
        }
    }
    void finish() {
        while (engine_->waiting() > 0) {
            engine_->copy_one();
        }
        drive();
    }

    std::vector<char> local_ = std::vector<char>(1 << 20, 'x');
    std::unique_ptr<TestNetwork> network_;
    HeldEngine* engine_ = nullptr;
};

TEST_F(ServerOffload, FrameIsExecutedWhenItsCopyIsComplete) {
    put(0, contiguous_pattern(kBytes, 0, 0));
    EXPECT_EQ(engine_->waiting(), 1U);
    EXPECT_EQ(network_->server(0).load().copies, 1);
    pipeline::Fence fence = network_->origin(0).fences().start(0);
    drive();
    EXPECT_FALSE(network_->origin(0).fences().is_done(&fence));
    EXPECT_EQ(network_->memory(0)[0], 0);
    finish();
    network_->wait_until([&] { return network_->origin(0).fences().is_done(&fence); });
    EXPECT_EQ(network_->memory(0)[kBytes - 1], 'x');
    EXPECT_EQ(network_->server(0).load().copies, 0);
}

TEST_F(ServerOffload, CopyDelaysOnlyItsOrigin) {
    put(0, contiguous_pattern(kBytes, 0, 0));
    const auto add_one = [&](int rank) {
        auto task = std::make_unique<pipeline::RequestTask>(
            "rmw", wire::FrameKind::rmw,
            wire::RmwBody{reinterpret_cast<uint64_t>(network_->memory(0) + (512 << 10)), 1,
                          /*fetch_add_long*/ 1},
            pipeline::RequestTask::Answer::expected);
        network_->submit(rank, 0, *task);
        return task;
    };
    const auto mine = add_one(0);
    const auto another = add_one(1);
    network_->wait(*another);
    drive();
    EXPECT_FALSE(mine->is_complete());
    EXPECT_EQ(another->value(), 0);
    finish();
    network_->wait(*mine);
    EXPECT_EQ(mine->value(), 1);
}

TEST_F(ServerOffload, CopiesRowsOfSeveralOriginsAtATime) {
    Random random(1);
    const Pattern pattern = strided_pattern(random, 1, 512, kBytes, 8);
    put(0, pattern);
    put(1, pattern.shifted(0, 512 << 10));
    EXPECT_EQ(network_->server(0).load().copies, 2);
    finish();
    network_->fence_all();
    for (const test::Block& block : pattern.blocks) {
        for (const int64_t at : {block.remote, block.remote + (int64_t{512} << 10)}) {
            EXPECT_EQ(network_->memory(0)[at], 'x');
            EXPECT_EQ(network_->memory(0)[at + 511], 'x');
        }
    }
}

TEST_F(ServerOffload, CopiesAtOnceWhenTheEngineIsFull) {
    engine_->set_room(0);
    put(0, contiguous_pattern(kBytes, 0, 0));
    EXPECT_EQ(engine_->waiting(), 0U);
    network_->fence_all();
    EXPECT_EQ(network_->memory(0)[kBytes - 1], 'x');
}

// The engine copies as many rows as it has room for, and the server the others at once.
TEST_F(ServerOffload, CopiesTheRestAtOnceWhenTheEngineFillsDuringAPut) {
    engine_->set_room(3);
    Random random(1);
    Pattern pattern;
    do {
        pattern = strided_pattern(random, 2, 512, kBytes, 8);
    } while (pattern.count[2] < 4 || pattern.count[2] > 8 ||  // rows
             pattern.remote_stride[0] == 512 ||               // that are not one
             pattern.remote_stride[1] == pattern.count[1] * pattern.remote_stride[0]);
    put(0, pattern);
    EXPECT_EQ(engine_->waiting(), 3U);
    finish();
    network_->fence_all();
    for (const test::Block& block : pattern.blocks) {
        EXPECT_EQ(network_->memory(0)[block.remote], 'x');
        EXPECT_EQ(network_->memory(0)[block.remote + 511], 'x');
    }
}

// Stopping comes after the submitted copies, and before the memory is freed.
TEST_F(ServerOffload, StopWaitsForTheCopyThread) {
    network_->server(0).use_engine(node::make_copy_thread(), 8 << 10);
    for (int i = 0; i < 8; ++i) {
        const auto task =
            network_->start(0, 0, Route::server,
                            make_transfer({OpKind::put}, contiguous_pattern(kBytes, 0, 0),
                                          local_.data(), network_->memory(0)));
        while (!task->is_complete()) {
            network_->progress();
        }
    }
    network_->server(0).stop();
    EXPECT_EQ(network_->memory(0)[kBytes - 1], 'x');
}

}  // namespace
}  // namespace armci::test
