// SPDX-License-Identifier: BSD-3-Clause
#include "node/shared_barrier.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "base/backoff.h"
#include "child_process.h"
#include "test_heap.h"

namespace armci::node::test {
namespace {

SharedBarrier make(NodeHeap& heap, int rank_count) {
    return SharedBarrier::make(heap, heap.allocate(SharedBarrier::bytes(rank_count)), rank_count);
}

using armci::test::ChildProcess;
using armci::test::TestHeap;

TEST(SharedBarrier, LastRankToLeaveReleasesTheMemory) {
    TestHeap heap(1 << 20);
    const size_t before = heap->used_bytes();
    SharedBarrier first = make(*heap, 3);
    ASSERT_TRUE(first.is_valid());
    SharedBarrier second = SharedBarrier::join(*heap, first.address());
    SharedBarrier third = SharedBarrier::join(*heap, first.address());
    EXPECT_GT(heap->used_bytes(), before);
    first = {};
    third = {};
    EXPECT_GT(heap->used_bytes(), before);
    second = {};
    EXPECT_EQ(heap->used_bytes(), before);
}

TEST(SharedBarrier, StartsAnewInMemoryThatWasInUse) {
    TestHeap heap(1 << 20);
    const NodeHeap::Range range = heap->allocate(kPageBytes);
    std::memset(range.data, 0x7f, kPageBytes);
    heap->release(range.record, NodeHeap::Pages::keep);
    SharedBarrier first = make(*heap, 2);
    ASSERT_EQ(first.address(), reinterpret_cast<uint64_t>(range.data));
    const SharedBarrier second = SharedBarrier::join(*heap, first.address());
    NodeBarrier mine = first.barrier(0);
    NodeBarrier other = second.barrier(1);
    mine.arrive(1);
    EXPECT_FALSE(mine.all_arrived());
    other.arrive(1);
    EXPECT_TRUE(mine.all_arrived());
    EXPECT_FALSE(other.released());
    mine.release();
    EXPECT_TRUE(other.released());
}

TEST(SharedBarrier, HeapWithoutRoomGivesNone) {
    TestHeap heap(1 << 20);
    std::vector<SharedBarrier> barriers;
    for (;;) {
        SharedBarrier next = make(*heap, 1);
        if (!next.is_valid()) {
            break;
        }
        barriers.push_back(std::move(next));
    }
    EXPECT_GE(barriers.size(), heap->data_bytes() / kPageBytes / 2);
    barriers.pop_back();
    EXPECT_TRUE(make(*heap, 1).is_valid());
}

// Two barriers of the same processes do not mix, and their memory is used again afterwards.
TEST(SharedBarrier, ProcessesUseSeveral) {
    constexpr int kRanks = 2;
    constexpr int kRounds = 200;
    TestHeap heap(1 << 20);
    struct Board {
        std::atomic<uint64_t> addresses[2];
        std::atomic<int> arrived[2][kRanks];
    };
    auto* board = new (heap->allocate(sizeof(Board)).data) Board{};
    const size_t before = heap->used_bytes();
    const auto pass = [](NodeBarrier& barrier) {
        barrier.arrive(1);
        base::Backoff backoff;
        while (!barrier.all_arrived()) {
            backoff.pause();
        }
    };
    const auto run = [&](int rank, SharedBarrier* barriers) {
        NodeBarrier parts[2] = {barriers[0].barrier(rank), barriers[1].barrier(rank)};
        for (int round = 1; round <= kRounds; ++round) {
            const int which = round % 3 == 0 ? 1 : 0;
            const int count = ++board->arrived[which][rank];
            pass(parts[which]);
            if (board->arrived[which][1 - rank] < count) {
                return 1;
            }
        }
        return 0;
    };
    SharedBarrier mine[2] = {make(*heap, kRanks), make(*heap, kRanks)};
    board->addresses[0] = mine[0].address();
    board->addresses[1] = mine[1].address();
    ChildProcess child([&] {
        // What the fork has copied is the parent's.
        SharedBarrier joined[2] = {SharedBarrier::join(*heap, board->addresses[0]),
                                   SharedBarrier::join(*heap, board->addresses[1])};
        return run(1, joined);
    });
    EXPECT_EQ(run(0, mine), 0);
    mine[0] = {};
    mine[1] = {};
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(heap->used_bytes(), before);
}

}  // namespace
}  // namespace armci::node::test
