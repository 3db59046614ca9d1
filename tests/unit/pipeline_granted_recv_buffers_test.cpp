// SPDX-License-Identifier: BSD-3-Clause
// Where frames go in granted receive buffers, how many of these an origin asks for, and which it
// returns.
#include "pipeline/origin/granted_recv_buffers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace armci::pipeline::test {
namespace {

constexpr uint32_t kKiB = 1 << 10;
constexpr uint32_t kBufferBytes = 256 * kKiB;

RecvAreaAddress area_of_32() {
    RecvAreaAddress area;
    area.recv_buffer_count = 32;
    area.recv_buffer_bytes = kBufferBytes;
    return area;
}
const RecvAreaAddress g_area = area_of_32();

// Returns so many buffers, numbered from 0, of which the origin may keep 8. The last one is taken
// first.
GrantedRecvBuffers with_granted(uint32_t count, bool are_shared = true) {
    GrantedRecvBuffers buffers;
    buffers.area = &g_area;
    buffers.are_shared = are_shared;
    buffers.keep = 8;
    for (uint32_t i = 0; i < count; ++i) {
        buffers.granted.push_back(i);
    }
    return buffers;
}

// Takes the place for a frame that nothing has been executed of.
RecvPlace take(GrantedRecvBuffers& buffers, size_t bytes, uint64_t frame) {
    RecvPlace place;
    EXPECT_TRUE(buffers.find_place(bytes, 0, &place));
    buffers.take(place, frame);
    return place;
}

TEST(GrantedRecvBuffers, AsksForWhatItKeepsWhileThereIsSome) {
    EXPECT_EQ(with_granted(6).wanted(1, 8192), 0U);
    EXPECT_EQ(with_granted(5).wanted(1, 8192), 4U);
    EXPECT_EQ(with_granted(0).wanted(0, 8192), 0U);
}

// Four short frames close a buffer, however long it is.
TEST(GrantedRecvBuffers, AsksForAsManyLongBuffersAsShortFramesClose) {
    for (const uint32_t buffer_bytes : {kBufferBytes, 2 * kBufferBytes}) {
        RecvAreaAddress area = g_area;
        area.recv_buffer_bytes = buffer_bytes;
        GrantedRecvBuffers buffers = with_granted(0);
        buffers.area = &area;
        buffers.queued_bytes = 64 * 32 * kKiB;
        EXPECT_EQ(buffers.wanted(0, 8192), 64U / 4 + 1) << buffer_bytes;
    }
}

TEST(GrantedRecvBuffers, KeepsTwiceAsManyWhereTheyRanOut) {
    GrantedRecvBuffers buffers = with_granted(9);
    EXPECT_EQ(buffers.kept(), 8U);
    EXPECT_EQ(buffers.wanted(1, 8192), 0U);
    buffers.ran_out = true;
    EXPECT_EQ(buffers.kept(), 16U);
    EXPECT_EQ(buffers.wanted(1, 8192), 8U);
    EXPECT_EQ(buffers.wanted(0, 8192), 0U) << "a frame that closes none asks for nothing";
    buffers.granted.push_back(9);
    EXPECT_EQ(buffers.wanted(1, 8192), 0U);
}

TEST(GrantedRecvBuffers, ExpectsALongStreamToRunOutAgain) {
    GrantedRecvBuffers buffers = with_granted(12);
    buffers.note_empty(kBufferBytes);
    for (uint64_t frame = 1; frame <= 9; ++frame) {
        take(buffers, kBufferBytes, frame);
    }
    for (int fences = 0; fences < 2; ++fences) {
        buffers.note_fence();
        EXPECT_EQ(buffers.kept(), 8U);
    }
    take(buffers, kBufferBytes, 10);
    EXPECT_EQ(buffers.kept(), 16U);
    buffers.note_fence();
    take(buffers, kBufferBytes, 11);
    EXPECT_EQ(buffers.kept(), 8U) << "the stream before was short";
}

// It asks for what it needs while it is queued.
TEST(GrantedRecvBuffers, ALongTransferIsNoStream) {
    GrantedRecvBuffers buffers = with_granted(0);
    buffers.note_empty(8 * int64_t{kBufferBytes} + 1);
    EXPECT_EQ(buffers.kept(), 8U);
    buffers.note_empty(8 * int64_t{kBufferBytes});
    EXPECT_EQ(buffers.kept(), 16U);
}

TEST(GrantedRecvBuffers, ShortFramesFollowEachOtherInABuffer) {
    GrantedRecvBuffers buffers = with_granted(2);
    for (uint32_t i = 0; i < 3; ++i) {
        const RecvPlace place = take(buffers, 65 * kKiB, 1 + i);
        EXPECT_EQ(place.recv_buffer, 1U);
        EXPECT_EQ(place.offset, i * 65 * kKiB);
        EXPECT_EQ(place.closes, 0U);
        EXPECT_EQ(buffers.held(), 2U);
    }
    EXPECT_EQ(buffers.last_frame, 3U);
    // The next one does not fit behind them, and leaves more room behind itself.
    const RecvPlace next = take(buffers, 65 * kKiB, 4);
    EXPECT_EQ(next.recv_buffer, 0U);
    EXPECT_EQ(next.closes, 2U);
    EXPECT_EQ(buffers.held(), 1U);
}

TEST(GrantedRecvBuffers, ALongFrameLeavesTheOpenBufferOpen) {
    GrantedRecvBuffers buffers = with_granted(2);
    EXPECT_EQ(take(buffers, 64 * kKiB, 1).closes, 0U);
    const RecvPlace longer = take(buffers, kBufferBytes, 2);
    EXPECT_EQ(longer.recv_buffer, 0U);
    EXPECT_EQ(longer.closes, 1U);
    EXPECT_EQ(buffers.room(0), 192 * kKiB);
    const RecvPlace last = take(buffers, 192 * kKiB, 3);
    EXPECT_EQ(last.recv_buffer, 1U);
    EXPECT_EQ(last.offset, 64 * kKiB);
    EXPECT_EQ(last.closes, 2U);
    EXPECT_EQ(buffers.held(), 0U);
    EXPECT_EQ(buffers.room(0), 0U);
    RecvPlace none;
    EXPECT_FALSE(buffers.find_place(9 * kKiB, 0, &none));
}

TEST(GrantedRecvBuffers, AFrameThatLeavesLittleRoomClosesItsBuffer) {
    GrantedRecvBuffers buffers = with_granted(1);
    EXPECT_EQ(take(buffers, 240 * kKiB + 1, 1).closes, 1U);
    buffers = with_granted(1);
    EXPECT_EQ(take(buffers, 240 * kKiB, 1).closes, 0U);
    EXPECT_EQ(buffers.room(0), 16 * kKiB);
}

TEST(GrantedRecvBuffers, OnlySoManyFramesFitABuffer) {
    GrantedRecvBuffers buffers = with_granted(1);
    for (uint32_t i = 1; i <= kMaxFramesInRecvBuffer; ++i) {
        EXPECT_EQ(take(buffers, 9 * kKiB, i).closes, i == kMaxFramesInRecvBuffer ? 1U : 0U);
    }
}

TEST(GrantedRecvBuffers, TheOpenBufferIsEmptyWhenAllItsFramesAreExecuted) {
    GrantedRecvBuffers buffers = with_granted(1);
    take(buffers, 200 * kKiB, 6);
    take(buffers, 20 * kKiB, 7);
    EXPECT_EQ(buffers.room(6), 36 * kKiB);
    EXPECT_EQ(buffers.room(7), kBufferBytes);
    RecvPlace place;
    ASSERT_TRUE(buffers.find_place(200 * kKiB, 7, &place));
    EXPECT_EQ(place.offset, 0U);
    buffers.take(place, 8);
    EXPECT_EQ(buffers.room(7), 56 * kKiB);
}

TEST(GrantedRecvBuffers, MessagesTakeABufferEach) {
    GrantedRecvBuffers buffers = with_granted(2, false);
    EXPECT_EQ(take(buffers, 9 * kKiB, 1).closes, 2U);
    EXPECT_EQ(take(buffers, 9 * kKiB, 2).closes, 1U);
    EXPECT_EQ(buffers.held(), 0U);
}

TEST(GrantedRecvBuffers, KnowsTheLastPlace) {
    GrantedRecvBuffers buffers = with_granted(2);
    RecvPlace place;
    ASSERT_TRUE(buffers.find_place(64 * kKiB, 0, &place));
    EXPECT_FALSE(buffers.is_last(place));
    buffers.take(place, 1);
    ASSERT_TRUE(buffers.find_place(kBufferBytes, 0, &place));
    EXPECT_FALSE(buffers.is_last(place)) << "there is room behind the frame before";
    buffers.take(place, 2);
    ASSERT_TRUE(buffers.find_place(170 * kKiB, 0, &place));
    EXPECT_FALSE(buffers.is_last(place));
    ASSERT_TRUE(buffers.find_place(180 * kKiB, 0, &place));
    EXPECT_TRUE(buffers.is_last(place));
}

TEST(GrantedRecvBuffers, ReturnsTheOpenBufferLast) {
    GrantedRecvBuffers buffers = with_granted(3);
    take(buffers, 64 * kKiB, 1);
    uint32_t listed[3] = {};
    ASSERT_EQ(buffers.list_unneeded(1, listed), 1U);
    EXPECT_EQ(listed[0], 1U);
    buffers.drop(1);
    ASSERT_EQ(buffers.list_unneeded(2, listed), 2U);
    EXPECT_EQ(listed[0], 0U);
    EXPECT_EQ(listed[1], 2U);
    buffers.drop(2);
    EXPECT_EQ(buffers.held(), 0U);
    EXPECT_EQ(buffers.room(1), 0U);
    EXPECT_EQ(buffers.list_unneeded(1, listed), 0U);
}

// No frame is written over one that has not been executed, and a buffer is closed once, by a frame
// that no other of that buffer follows.
TEST(GrantedRecvBuffers, RandomFramesNeverOverlap) {
    struct Written {
        uint64_t frame;
        uint32_t recv_buffer, begin, end;
    };
    std::mt19937 random(1);
    const auto draw = [&](uint32_t from, uint32_t to) {
        return std::uniform_int_distribution<uint32_t>(from, to)(random);
    };
    for (int round = 0; round < 200; ++round) {
        GrantedRecvBuffers buffers = with_granted(4);
        std::set<uint32_t> held = {0, 1, 2, 3};
        std::vector<Written> written;
        uint64_t executed = 0;
        for (uint64_t frame = 1; frame <= 60; ++frame) {
            executed += draw(0, 3) == 0 ? draw(0, static_cast<uint32_t>(frame - 1 - executed)) : 0;
            const uint32_t bytes =
                draw(1, 6) == 1 ? draw(9 * kKiB, kBufferBytes) : draw(9 * kKiB, 70 * kKiB);
            RecvPlace place;
            const bool has_place = buffers.find_place(bytes, executed, &place);
            EXPECT_EQ(has_place || buffers.room(executed) < bytes, true);
            if (!has_place) {
                for (uint32_t i = 0; i < 4; ++i) {  // the server grants again what was closed
                    const bool is_read =
                        std::any_of(written.begin(), written.end(), [&](const Written& other) {
                            return other.recv_buffer == i && other.frame > executed;
                        });
                    if (!is_read && held.insert(i).second) {
                        buffers.granted.push_back(i);
                    }
                }
                executed = frame - 1;
                --frame;
                continue;
            }
            ASSERT_TRUE(held.contains(place.recv_buffer));
            ASSERT_LE(place.offset + bytes, kBufferBytes);
            for (const Written& other : written) {
                ASSERT_TRUE(other.frame <= executed || other.recv_buffer != place.recv_buffer ||
                            place.offset + bytes <= other.begin || other.end <= place.offset);
            }
            written.push_back({frame, place.recv_buffer, place.offset, place.offset + bytes});
            buffers.take(place, frame);
            if (place.closes != 0) {
                ASSERT_EQ(held.erase(place.closes - 1), 1U);
            }
            ASSERT_EQ(buffers.held(), held.size());
        }
    }
}

}  // namespace
}  // namespace armci::pipeline::test
