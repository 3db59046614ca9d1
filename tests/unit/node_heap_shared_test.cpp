// SPDX-License-Identifier: BSD-3-Clause
// The node heap under several processes or threads at a time.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include "base/backoff.h"
#include "child_process.h"
#include "node/heap.h"
#include "test_heap.h"

namespace armci::node::test {
namespace {

using armci::test::ChildProcess;
using armci::test::TestHeap;

constexpr size_t kDataBytes = 48 << 20;

// Allocates, fills, checks and frees at random, and frees all at the end. Returns a description of
// the first error.
enum Outcome { ok = 0, overwritten = 1, outside = 2, misaligned = 3, never_served = 4 };

int use_heap(NodeHeap heap, unsigned seed, int steps) {
    struct Kept {
        NodeHeap::Range range;
        size_t bytes;
    };
    std::mt19937_64 random(seed);
    std::vector<Kept> blocks;
    int served = 0;
    const auto all_bytes_are = [seed](const Kept& block) {
        const char* data = static_cast<const char*>(block.range.data);
        for (size_t i = 0; i < block.bytes; i += 512) {
            if (data[i] != static_cast<char>(seed)) {
                return false;
            }
        }
        return data[block.bytes - 1] == static_cast<char>(seed);
    };
    for (int step = 0; step < steps || !blocks.empty(); ++step) {
        if (step < steps && (blocks.empty() || random() % 16 < 9)) {
            const size_t bytes = 1 + random() % (random() % 16 == 0 ? 4 << 20 : 16 << 10);
            const NodeHeap::Range range = heap.allocate(bytes);
            if (range.data == nullptr) {
                continue;
            }
            ++served;
            if (!heap.contains(range.data) ||
                !heap.contains(static_cast<char*>(range.data) + bytes - 1)) {
                return outside;
            }
            const size_t unit = bytes >= kHugePageBytes ? kHugePageBytes : kPageBytes;
            if (reinterpret_cast<uintptr_t>(range.data) % unit != 0) {
                return misaligned;
            }
            std::memset(range.data, static_cast<int>(seed), bytes);
            blocks.push_back({range, bytes});
        } else {
            std::swap(blocks[random() % blocks.size()], blocks.back());
            if (!all_bytes_are(blocks.back())) {
                return overwritten;
            }
            heap.release(blocks.back().range.record,
                         random() % 2 == 0 ? NodeHeap::Pages::keep : NodeHeap::Pages::release);
            blocks.pop_back();
            if (random() % 8 == 0) {
                heap.give_back(random() % kDataBytes);
            }
        }
    }
    return served > 0 ? ok : never_served;
}

void expect_shared_whole(NodeHeap& heap) {
    EXPECT_EQ(heap.used_bytes(), 0U);
    const NodeHeap::Range all = heap.allocate(heap.data_bytes());
    EXPECT_NE(all.data, nullptr);
    heap.release(all.record);
}

TEST(NodeHeapShared, ProcessesNeverShareAllocations) {
    constexpr int kSteps = 400;
    TestHeap heap(kDataBytes);
    std::vector<ChildProcess> children;
    for (unsigned seed = 1; seed <= 3; ++seed) {
        children.emplace_back([&] {
            return use_heap(NodeHeap::attach(heap.base(), {heap.memory().get()}), seed, kSteps);
        });
    }
    EXPECT_EQ(use_heap(*heap, 4, kSteps), ok);
    for (ChildProcess& child : children) {
        EXPECT_EQ(child.wait(), ok);
    }
    expect_shared_whole(*heap);
}

TEST(NodeHeapShared, ThreadsNeverShareAllocations) {
    constexpr int kSteps = 300;
    TestHeap heap(kDataBytes);
    int outcomes[4] = {-1, -1, -1, -1};
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 4; ++i) {
        threads.emplace_back([&, i] { outcomes[i] = use_heap(*heap, i + 1, kSteps); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const int outcome : outcomes) {
        EXPECT_EQ(outcome, ok);
    }
    expect_shared_whole(*heap);
}

// Two processes have the whole heap in turn. Each still gives memory back while it is the other's
// turn.
class HeapInTurns : public testing::Test {
  protected:
    static constexpr int kRounds = 30;
    // Calls use() for each turn of process 0 or 1, and gives back afterwards. Returns 0, or the
    // first other result of use().
    template <class Use>
    int take_turns(int process, Use&& use) {
        NodeHeap heap = NodeHeap::attach(heap_.base(), {heap_.memory().get()});
        std::mt19937_64 random(static_cast<unsigned>(process));
        int result = 0;
        for (int round = 0; round < kRounds; ++round) {
            base::Backoff backoff;
            while (turn_->load() != 2 * round + process) {
                backoff.pause();
            }
            if (result == 0) {
                result = use(heap);
            }
            turn_->fetch_add(1);
            heap.give_back(random() % 4 == 0 ? random() % heap.data_bytes() : 0);
        }
        return result;
    }
    template <class Use>
    void run(Use&& use) {
        ChildProcess other([&] { return take_turns(1, use); });
        EXPECT_EQ(take_turns(0, use), 0);
        EXPECT_EQ(other.wait(), 0);
    }

    TestHeap heap_{8 << 20};
    TestHeap turn_memory_{1};
    std::atomic<int>* turn_ = new (turn_memory_->allocate(sizeof *turn_).data) std::atomic<int>(0);
};

TEST_F(HeapInTurns, AllMemoryThatIsNotUsedCanBeAllocated) {
    run([](NodeHeap& heap) {
        const NodeHeap::Range all = heap.allocate(heap.data_bytes());
        if (all.data == nullptr) {
            return 1;
        }
        std::memset(all.data, 1, all.bytes);
        heap.release(all.record, NodeHeap::Pages::keep);
        return 0;
    });
}

TEST_F(HeapInTurns, GivesBackAllWaitsForOthers) {
    const size_t resident = heap_->resident_bytes() + 16 * kPageBytes;  // with allocator records
    run([resident](NodeHeap& heap) {
        heap.give_back_all();
        if (heap.kept_bytes() > 0 || heap.resident_bytes() > resident) {
            return 1;
        }
        const NodeHeap::Range all = heap.allocate(heap.data_bytes());
        if (all.data == nullptr) {
            return 2;
        }
        std::memset(all.data, 1, all.bytes);
        heap.release(all.record, NodeHeap::Pages::keep);
        return 0;
    });
}

// One process frees what another has allocated: the records live in the mapping.
TEST(NodeHeapShared, OneProcessFreesAllocationsOfAnother) {
    TestHeap heap(kDataBytes);
    const NodeHeap::Range given = heap->allocate(kPageBytes);
    ASSERT_NE(given.data, nullptr);
    auto* taken = static_cast<NodeHeap::Range*>(given.data);
    ChildProcess child([&] {
        NodeHeap attached = NodeHeap::attach(heap.base(), {heap.memory().get()});
        const NodeHeap::Range range = attached.allocate(3 << 20);
        if (range.data == nullptr) {
            return 1;
        }
        std::memcpy(range.data, "child", 6);
        *taken = range;
        return 0;
    });
    ASSERT_EQ(child.wait(), 0);
    const NodeHeap::Range range = *taken;
    EXPECT_STREQ(static_cast<const char*>(range.data), "child");
    EXPECT_EQ(heap->used_bytes(), kPageBytes + (3 << 20));
    heap->release(range.record);
    heap->release(given.record);
    expect_shared_whole(*heap);
}

}  // namespace
}  // namespace armci::node::test
