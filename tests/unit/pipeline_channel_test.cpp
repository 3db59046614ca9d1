// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/channel.h"

#include <gtest/gtest.h>

#include <vector>

#include "pipeline/origin/left_frames.h"

namespace armci::pipeline::test {
namespace {

TEST(Channel, WindowBoundsBytesNotYetExecuted) {
    Channel channel;
    channel.flow.window_bytes = 1000;
    EXPECT_TRUE(channel.flow.has_room(1000));
    EXPECT_FALSE(channel.flow.has_room(1001));
    channel.flow.sent_bytes = 600;
    EXPECT_TRUE(channel.flow.has_room(400));
    EXPECT_FALSE(channel.flow.has_room(401));
    channel.flow.record_answer(3, 250);
    EXPECT_TRUE(channel.flow.has_room(650));
    EXPECT_FALSE(channel.flow.has_room(651));
    channel.flow.record_answer(4, 600);
    EXPECT_TRUE(channel.flow.has_room(1000));
}

TEST(Channel, LateAnswersDoNotLowerAcknowledgedNumbers) {
    Channel channel;
    channel.flow.record_answer(10, 1000);
    channel.flow.record_answer(9, 900);
    EXPECT_EQ(channel.flow.acknowledged_frames, 10U);
    EXPECT_EQ(channel.flow.acknowledged_bytes, 1000U);
}

TEST(Channel, MutationsArePendingUntilTheirFrameIsExecuted) {
    Channel channel;
    EXPECT_FALSE(channel.mutations_pending());
    EXPECT_FALSE(channel.remote_work_pending());
    channel.flow.sent_frames = 5;
    channel.last_mutation = 5;
    EXPECT_TRUE(channel.mutations_pending());
    channel.flow.record_answer(4, 0);
    EXPECT_TRUE(channel.mutations_pending());
    channel.flow.sent_frames = 6;  // a fence, say
    channel.flow.record_answer(5, 0);
    EXPECT_FALSE(channel.mutations_pending());
    EXPECT_FALSE(channel.remote_work_pending());
}

TEST(Channel, OrderedWritesArePendingUntilALaterFrameIsExecuted) {
    Channel channel;
    channel.flow.sent_frames = 5;
    channel.write_mark = 6;
    channel.flow.record_answer(5, 0);
    EXPECT_TRUE(channel.writes_pending());
    EXPECT_TRUE(channel.remote_work_pending());
    channel.flow.record_answer(6, 0);
    EXPECT_FALSE(channel.writes_pending());
}

TEST(Channel, ACopyHasArrivedWhenNoneIsInFlightOrTheNextIsWritten) {
    Channel channel;
    channel.last_copy = 1;
    channel.writes_in_flight = 1;
    EXPECT_FALSE(channel.has_arrived(1));
    EXPECT_TRUE(channel.remote_work_pending());
    channel.writes_in_flight = 0;
    EXPECT_TRUE(channel.has_arrived(1));
    EXPECT_FALSE(channel.remote_work_pending());
    channel.last_copy = 2;
    channel.writes_in_flight = 1;
    EXPECT_TRUE(channel.has_arrived(1));
    EXPECT_FALSE(channel.has_arrived(2));
}

TEST(Channel, DeliveredWritesArePendingUntilTheirCompletion) {
    Channel channel;
    channel.writes_in_flight = 2;
    channel.flow.record_answer(100, 0);
    EXPECT_TRUE(channel.writes_pending());
    channel.writes_in_flight = 0;
    EXPECT_FALSE(channel.writes_pending());
}

// The server executes frames in order, so a frame is of no use there before the earlier ones.
TEST(LeftFrames, AFrameHasLeftWhenAllBeforeItHave) {
    Channel channel;
    Channel other;
    LeftFrames left;
    std::vector<Task*> ended;
    Task* const tasks[] = {reinterpret_cast<Task*>(8), reinterpret_cast<Task*>(16)};
    const auto end = [&](Task* task) { ended.push_back(task); };
    left.add(channel, 1, nullptr, end);
    EXPECT_TRUE(channel.flow.has_left(1));
    EXPECT_FALSE(channel.flow.has_left(2));
    left.add(channel, 4, tasks[1], end);
    left.add(channel, 3, tasks[0], end);
    left.add(other, 1, nullptr, end);
    left.add(other, 2, nullptr, end);
    EXPECT_EQ(ended, std::vector<Task*>(3, nullptr));
    EXPECT_FALSE(channel.flow.has_left(3));
    EXPECT_TRUE(other.flow.has_left(2));
    for (Task* const task : tasks) {
        EXPECT_EQ(left.early_of(*task), 1);
    }
    left.add(channel, 2, nullptr, end);
    EXPECT_EQ(ended, (std::vector<Task*>{nullptr, nullptr, nullptr, nullptr, tasks[0], tasks[1]}));
    EXPECT_TRUE(channel.flow.has_left(4));
    EXPECT_FALSE(channel.flow.has_left(5));
    EXPECT_EQ(left.early_of(*tasks[0]), 0);
}

TEST(Channel, ChunksArePendingUntilTheirFrameIsExecuted) {
    Channel channel;
    EXPECT_FALSE(channel.chunks_pending());
    channel.recv_buffers.last_frame = 3;
    channel.flow.record_answer(2, 0);
    EXPECT_TRUE(channel.chunks_pending());
    channel.flow.record_answer(3, 0);
    EXPECT_FALSE(channel.chunks_pending());
}

TEST(Channel, ReleasesWhatItMayNotKeepWithoutWork) {
    RecvAreaAddress area;
    area.recv_buffer_count = 32;
    area.recv_buffer_bytes = 256 << 10;
    Channel channel;
    channel.recv_buffers.area = &area;
    channel.recv_buffers.keep = 8;
    channel.recv_buffers.granted.resize(8);
    EXPECT_FALSE(channel.has_recv_buffers_to_release());
    channel.recv_buffers.open.is_open = true;
    EXPECT_TRUE(channel.has_recv_buffers_to_release());
    channel.recv_buffers.queued_bytes = 1;
    EXPECT_FALSE(channel.has_recv_buffers_to_release());
    channel.recv_buffers.queued_bytes = 0;
    channel.tasks.count = 1;
    EXPECT_FALSE(channel.has_recv_buffers_to_release());
    channel.tasks.count = 0;
    channel.recv_buffers.ran_out = true;
    EXPECT_FALSE(channel.has_recv_buffers_to_release());
    channel.recv_buffers.granted.resize(16);
    EXPECT_TRUE(channel.has_recv_buffers_to_release());
}

// One put and one fence alternate: from the second put on a fence is expected.
TEST(Channel, ExpectsFencesAfterRepeatedFences) {
    Channel channel;
    EXPECT_FALSE(channel.fence_habit.fence_follows());
    for (int round = 0; round < 3; ++round) {
        channel.fence_habit.note_fence();
        channel.fence_habit.note_fence();
        EXPECT_TRUE(channel.fence_habit.fence_follows());
    }
    EXPECT_FALSE(channel.fence_habit.fence_follows());
    EXPECT_FALSE(channel.fence_habit.fence_follows());
}

// The first of several operations before a fence is not taken for a single one.
TEST(Channel, ExpectsASingleOperationBeforeAFenceAfterOne) {
    FenceHabit habit;
    EXPECT_FALSE(habit.will_be_fenced_alone());
    habit.fence_follows();
    EXPECT_FALSE(habit.will_be_fenced_alone());
    habit.note_fence();
    EXPECT_TRUE(habit.will_be_fenced_alone());
    habit.note_fence();  // with nothing to wait for, as in a barrier behind the fence
    EXPECT_TRUE(habit.will_be_fenced_alone());
    for (const int operations : {2, 3, 4}) {
        for (int i = 0; i < operations; ++i) {
            habit.fence_follows();
            EXPECT_FALSE(habit.will_be_fenced_alone());
        }
        habit.note_fence();
        EXPECT_FALSE(habit.will_be_fenced_alone());
    }
    habit.fence_follows();
    habit.note_fence();
    EXPECT_TRUE(habit.will_be_fenced_alone());
}

}  // namespace
}  // namespace armci::pipeline::test
