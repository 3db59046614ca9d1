// SPDX-License-Identifier: BSD-3-Clause
// Small puts and accumulates that wait for room: they share frames, keep the order of the program,
// and fences see them.
#include "pipeline/origin/small_task.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "server_fixture.h"
#include "transfer_pattern.h"

namespace armci::test {
namespace {

using base::OpKind;

class SmallTask : public ::testing::Test {
  protected:
    void SetUp() override { ASSERT_EQ(network_.error(), ""); }

    pipeline::Origin& origin() { return network_.origin(0); }
    pipeline::Channel& channel() { return origin().channel(0); }

    // Sends messages until no further one fits the window. The server executes none meanwhile.
    void fill_window() {
        const pipeline::SmallBlock block{filling_.data(),
                                         reinterpret_cast<uint64_t>(network_.memory(0))};
        while (origin().append(channel(),
                               {.blocks = &block, .block_count = 1, .block_bytes = filling_.size()},
                               pipeline::Batches::Leaving::when_due)) {
            origin().batches().flush_all();
        }
    }
    // Puts so many bytes of that value there.
    void start_put(int64_t offset, int64_t bytes, char value) {
        data_.push_back(std::make_unique<std::vector<char>>(bytes, value));
        tasks_.push_back(std::make_unique<pipeline::SmallTask>(
            make_transfer({OpKind::put}, contiguous_pattern(bytes, 0, offset), data_.back()->data(),
                          network_.memory(0))));
        network_.submit(0, 0, *tasks_.back());
    }
    void wait_for_tasks() {
        for (const auto& task : tasks_) {
            network_.wait(*task);
        }
    }

    TestNetwork network_{NetworkOptions{}};
    std::vector<char> filling_ = std::vector<char>(1024, 'f');
    std::vector<std::unique_ptr<std::vector<char>>> data_;
    std::vector<std::unique_ptr<pipeline::SmallTask>> tasks_;
};

TEST_F(SmallTask, ThoseThatWaitShareFrames) {
    constexpr int kPuts = 70;
    fill_window();
    for (int i = 0; i < kPuts; ++i) {
        start_put(4096 + 8 * i, 8, static_cast<char>('a' + i % 26));
    }
    EXPECT_NE(channel().tasks.first, nullptr);
    const uint64_t before = network_.stats(0).messages_sent;
    wait_for_tasks();
    network_.fence_all();
    EXPECT_LT(network_.stats(0).messages_sent - before, kPuts / 4);
    for (int i = 0; i < kPuts; ++i) {
        EXPECT_EQ(network_.memory(0)[4096 + 8 * i + 7], 'a' + i % 26);
    }
    EXPECT_EQ(channel().recv_buffers.queued_bytes, 0);
}

// The last one is in no frame yet when the fence finds that all have been posted.
TEST_F(SmallTask, FencesWaitForThem) {
    for (int round = 0; round < 20; ++round) {
        fill_window();
        start_put(4096, 1000, 'o');
        start_put(4096, 1000, static_cast<char>('a' + round));
        pipeline::Fence fence = origin().fences().start_all();
        network_.wait_until([&] { return origin().fences().is_done(&fence); });
        EXPECT_FALSE(channel().batch_changes_memory);
        EXPECT_FALSE(channel().remote_work_pending());
        EXPECT_EQ(network_.memory(0)[4096 + 999], 'a' + round);
        wait_for_tasks();
    }
}

// A task that needs a frame of its own follows those in the batch.
TEST_F(SmallTask, KeepsTheOrderOfTheProgram) {
    constexpr int64_t kLong = 20000;
    for (int round = 0; round < 20; ++round) {
        fill_window();
        std::vector<char> longer(kLong, static_cast<char>('A' + round));
        start_put(4096, 100, 'o');
        const auto second =
            network_.start(0, 0, base::Route::server,
                           make_transfer({OpKind::put}, contiguous_pattern(kLong, 0, 4096),
                                         longer.data(), network_.memory(0)));
        start_put(4096 + 50, 100, static_cast<char>('a' + round));
        wait_for_tasks();
        network_.wait(*second);
        network_.fence_all();
        EXPECT_EQ(network_.memory(0)[4096 + 49], 'A' + round);
        EXPECT_EQ(network_.memory(0)[4096 + 50], 'a' + round);
        EXPECT_EQ(network_.memory(0)[4096 + 149], 'a' + round);
        EXPECT_EQ(network_.memory(0)[4096 + 150], 'A' + round);
    }
}

// One that does not fit a message would never be sent.
TEST_F(SmallTask, MayOnlyBeWhatFitsAMessage) {
    std::vector<char> local(8192);
    pipeline::SmallBlock block{local.data(), reinterpret_cast<uint64_t>(network_.memory(0))};
    pipeline::SmallTransfer small{.blocks = &block, .block_count = 1, .block_bytes = 4096};
    const pipeline::Batches& batches = origin().batches();
    EXPECT_TRUE(batches.may_wait(small));
    small.owner = UINT16_MAX + 1;
    EXPECT_FALSE(batches.may_wait(small));
    small.owner = 1;
    small.block_bytes = 8192;
    EXPECT_FALSE(batches.may_wait(small));
    small.block_bytes = 8;
    small.op = OpKind::get;
    EXPECT_FALSE(batches.may_wait(small));
}

}  // namespace
}  // namespace armci::test
