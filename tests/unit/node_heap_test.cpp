// SPDX-License-Identifier: BSD-3-Clause
#include "node/heap.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "base/clock.h"
#include "test_heap.h"

namespace armci::node::test {
namespace {

using armci::test::TestHeap;

constexpr size_t kMiB = 1 << 20;

size_t in_pages(size_t bytes) {
    return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

uintptr_t number(const void* address) {
    return reinterpret_cast<uintptr_t>(address);
}

// The ranges in use, in the simplest way.
class ReferenceHeap {
  public:
    explicit ReferenceHeap(const NodeHeap& heap, const char* mapping_end)
        : begin_(number(mapping_end) - heap.data_bytes()), end_(number(mapping_end)) {}

    void add(const NodeHeap::Range& range, size_t bytes) {
        const uintptr_t begin = number(range.data);
        const uintptr_t end = begin + in_pages(bytes);
        ASSERT_GE(begin, begin_);
        ASSERT_LE(end, end_);
        ASSERT_EQ(begin % (in_pages(bytes) >= kHugePageBytes ? kHugePageBytes : kPageBytes), 0U);
        const auto after = used_.lower_bound(begin);
        ASSERT_TRUE(after == used_.end() || end <= after->first) << "overlaps the next range";
        ASSERT_TRUE(after == used_.begin() || std::prev(after)->second <= begin)
            << "overlaps the range before";
        used_[begin] = end;
        used_bytes_ += end - begin;
    }
    void remove(const NodeHeap::Range& range) {
        const auto found = used_.find(number(range.data));
        ASSERT_NE(found, used_.end());
        used_bytes_ -= found->second - found->first;
        used_.erase(found);
    }
    // Whether some gap can hold `bytes` at their alignment.
    bool fits(size_t bytes) const {
        const size_t unit = in_pages(bytes) >= kHugePageBytes ? kHugePageBytes : kPageBytes;
        uintptr_t gap = begin_;
        const auto fits_before = [&](uintptr_t gap_end) {
            return (gap + unit - 1) / unit * unit + in_pages(bytes) <= gap_end;
        };
        for (const auto& [begin, end] : used_) {
            if (fits_before(begin)) {
                return true;
            }
            gap = end;
        }
        return fits_before(end_);
    }
    size_t used_bytes() const { return used_bytes_; }

  private:
    uintptr_t begin_;
    uintptr_t end_;
    std::map<uintptr_t, uintptr_t> used_;
    size_t used_bytes_ = 0;
};

struct Block {
    NodeHeap::Range range;
    size_t bytes;
    uint64_t tag;
};

void write_tag(const Block& block) {
    std::memcpy(block.range.data, &block.tag, sizeof block.tag);
    std::memcpy(static_cast<char*>(block.range.data) + block.bytes - sizeof block.tag, &block.tag,
                sizeof block.tag);
}

bool tag_is_intact(const Block& block) {
    return std::memcmp(block.range.data, &block.tag, sizeof block.tag) == 0 &&
           std::memcmp(static_cast<char*>(block.range.data) + block.bytes - sizeof block.tag,
                       &block.tag, sizeof block.tag) == 0;
}

// Mostly small blocks, and some of several huge pages; each has room for two tags.
size_t random_size(std::mt19937_64& random) {
    switch (random() % 8) {
        case 0:
            return 16 + random() % (6 * kMiB);
        case 1:
            return kHugePageBytes + (random() % 3 - 1) * kPageBytes;
        case 2:
            return 16 + random() % (256 << 10);
        default:
            return 16 + random() % (8 * kPageBytes);
    }
}

// Everything is one free extent again if the whole heap can be allocated in one piece.
void expect_whole(NodeHeap& heap) {
    EXPECT_EQ(heap.used_bytes(), 0U);
    const NodeHeap::Range all = heap.allocate(heap.data_bytes());
    EXPECT_NE(all.data, nullptr);
    EXPECT_EQ(heap.used_bytes(), heap.data_bytes());
    EXPECT_EQ(heap.allocate(1).data, nullptr);
    heap.release(all.record);
    EXPECT_EQ(heap.used_bytes(), 0U);
}

TEST(NodeHeap, MappingHoldsTheRequestedBytes) {
    for (const size_t bytes : {size_t{0}, size_t{1}, kHugePageBytes, kHugePageBytes + 1,
                               size_t{100} * kMiB, size_t{1} << 40}) {
        const size_t mapping = NodeHeap::mapping_bytes(bytes);
        EXPECT_GE(mapping, bytes + sizeof(HeapControl));
        EXPECT_EQ(mapping % kHugePageBytes, 0U);
    }
    TestHeap heap(3 * kMiB);
    EXPECT_GE(heap->data_bytes(), 3 * kMiB);
    EXPECT_LT(heap->data_bytes(), 3 * kMiB + kHugePageBytes);
}

TEST(NodeHeap, AttachesOnlyToACreatedHeap) {
    EXPECT_FALSE(NodeHeap().valid());
    const size_t bytes = NodeHeap::mapping_bytes(1);
    const base::Descriptor memory = create_node_memory(bytes);
    void* base = TestHeap::free_range(bytes);
    ASSERT_TRUE(map_shared(memory, base, bytes));
    EXPECT_FALSE(NodeHeap::attach(base, {memory.get()}).valid());
    NodeHeap created = NodeHeap::create(base, bytes, {memory.get()});
    EXPECT_TRUE(created.valid());
    NodeHeap attached = NodeHeap::attach(base, {memory.get()});
    EXPECT_TRUE(attached.valid());
    const NodeHeap::Range range = created.allocate(5 * kPageBytes);
    EXPECT_EQ(attached.used_bytes(), 5 * kPageBytes);
    attached.release(range.record);
    EXPECT_EQ(created.used_bytes(), 0U);
    unmap_shared(base, bytes);
}

TEST(NodeHeap, NodesOfOneFileShareTheAccount) {
    const size_t bytes = NodeHeap::mapping_bytes(8 * kMiB);
    const base::Descriptor memory = create_node_memory(HostAccount::kBytes + 2 * bytes);
    HostAccount* account = map_account(memory);
    ASSERT_NE(account, nullptr);
    std::vector<NodeHeap> heaps;
    std::vector<void*> bases;
    for (size_t i = 0; i < 2; ++i) {
        const uint64_t offset = HostAccount::kBytes + i * bytes;
        bases.push_back(TestHeap::free_range(bytes));
        ASSERT_TRUE(map_shared(memory, bases[i], bytes, offset));
        heaps.push_back(NodeHeap::create(bases[i], bytes, {memory.get(), offset, account}));
    }
    const NodeHeap::Range first = heaps[0].allocate(2 * kMiB);
    const NodeHeap::Range second = heaps[1].allocate(4 * kMiB);
    EXPECT_EQ(heaps[0].used_bytes(), 2 * kMiB);
    EXPECT_EQ(heaps[0].given_out_bytes(), 6 * kMiB);
    EXPECT_EQ(heaps[1].given_out_bytes(), 6 * kMiB);
    const size_t before = heaps[0].resident_bytes();
    std::memset(first.data, 1, first.bytes);
    std::memset(second.data, 2, second.bytes);
    EXPECT_EQ(heaps[0].resident_bytes(), before + 6 * kMiB);
    heaps[1].release(second.record, NodeHeap::Pages::keep);
    EXPECT_EQ(heaps[0].given_out_bytes(), 2 * kMiB);
    EXPECT_EQ(heaps[0].kept_bytes(), 0U);
    EXPECT_EQ(heaps[0].kept_on_host_bytes(), 4 * kMiB);
    heaps[1].give_back(0);
    EXPECT_EQ(heaps[0].kept_on_host_bytes(), 0U);
    EXPECT_EQ(heaps[0].resident_bytes(), before + 2 * kMiB);
    EXPECT_EQ(static_cast<char*>(first.data)[first.bytes - 1], 1) << "another node's page went";
    for (void* base : bases) {
        unmap_shared(base, bytes);
    }
    unmap_account(account);
}

TEST(NodeHeap, RefusesSizesThatDoNotFit) {
    TestHeap heap(4 * kMiB);
    for (const size_t bytes :
         {size_t{0}, heap->data_bytes() + 1, size_t{1} << 62, std::numeric_limits<size_t>::max()}) {
        const NodeHeap::Range range = heap->allocate(bytes);
        EXPECT_EQ(range.data, nullptr) << bytes;
        EXPECT_EQ(range.record, 0U) << bytes;
    }
    expect_whole(*heap);
}

TEST(NodeHeap, ContainsOnlyItsData) {
    TestHeap heap(4 * kMiB);
    const char* end = heap.base() + heap.mapping_bytes();
    const char* data = end - heap->data_bytes();
    EXPECT_TRUE(heap->contains(data));
    EXPECT_TRUE(heap->contains(end - 1));
    EXPECT_FALSE(heap->contains(data - 1));
    EXPECT_FALSE(heap->contains(end));
    EXPECT_FALSE(heap->contains(heap.base()));
    EXPECT_FALSE(heap->contains(heap.base() - 1));
    EXPECT_FALSE(heap->contains(nullptr));
    EXPECT_FALSE(heap->contains(reinterpret_cast<void*>(std::numeric_limits<uintptr_t>::max())));
    EXPECT_FALSE(NodeHeap().contains(data));
    const NodeHeap::Range range = heap->allocate(1);
    EXPECT_TRUE(heap->contains(range.data));
}

TEST(NodeHeap, RandomUseAgreesWithTheReference) {
    for (const unsigned seed : {1U, 2U, 3U}) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        TestHeap heap(64 * kMiB);
        ReferenceHeap reference(*heap, heap.base() + heap.mapping_bytes());
        std::vector<Block> blocks;
        int refused = 0;
        for (int step = 0; step < 3000; ++step) {
            // Phases that fill the heap to its limit and phases that drain it.
            const bool filling = step / 500 % 2 == 0;
            if (blocks.empty() || random() % 8 < (filling ? 6U : 2U)) {
                Block block{{}, random_size(random), random()};
                const bool fits = reference.fits(block.bytes);
                block.range = heap->allocate(block.bytes);
                ASSERT_EQ(block.range.data != nullptr, fits) << block.bytes << " bytes";
                if (fits) {
                    ASSERT_NO_FATAL_FAILURE(reference.add(block.range, block.bytes));
                    write_tag(block);
                    blocks.push_back(block);
                } else {
                    ++refused;
                }
            } else {
                std::swap(blocks[random() % blocks.size()], blocks.back());
                ASSERT_TRUE(tag_is_intact(blocks.back()));
                ASSERT_NO_FATAL_FAILURE(reference.remove(blocks.back().range));
                heap->release(blocks.back().range.record,
                              random() % 4 == 0 ? NodeHeap::Pages::release : NodeHeap::Pages::keep);
                blocks.pop_back();
                if (random() % 8 == 0) {
                    const size_t limit = random() % (16 * kMiB);
                    heap->give_back(limit);
                    ASSERT_LE(heap->kept_bytes(), limit);
                }
            }
            ASSERT_EQ(heap->used_bytes(), reference.used_bytes());
            ASSERT_LE(heap->used_bytes() + heap->kept_bytes(), heap->data_bytes());
        }
        EXPECT_GT(refused, 0) << "the heap was never full";
        std::shuffle(blocks.begin(), blocks.end(), random);
        for (const Block& block : blocks) {
            ASSERT_TRUE(tag_is_intact(block));
            heap->release(block.range.record);
        }
        expect_whole(*heap);
    }
}

TEST(NodeHeap, RecoversFromExhaustion) {
    std::mt19937_64 random(9);
    TestHeap heap(8 * kMiB);
    for (const size_t bytes : {kPageBytes, 3 * kPageBytes, kHugePageBytes}) {
        for (int round = 0; round < 3; ++round) {
            std::vector<uint32_t> records;
            for (NodeHeap::Range range = heap->allocate(bytes); range.data != nullptr;
                 range = heap->allocate(bytes)) {
                records.push_back(range.record);
            }
            EXPECT_EQ(records.size(), heap->data_bytes() / bytes);
            // One freed block is enough for one more.
            heap->release(records.back());
            const NodeHeap::Range again = heap->allocate(bytes);
            ASSERT_NE(again.data, nullptr);
            records.back() = again.record;
            EXPECT_EQ(heap->allocate(bytes).data, nullptr);
            std::shuffle(records.begin(), records.end(), random);
            for (const uint32_t record : records) {
                heap->release(record);
            }
            expect_whole(*heap);
        }
    }
}

TEST(NodeHeap, ReusesRecords) {
    std::mt19937_64 random(11);
    TestHeap heap(16 * kMiB);
    constexpr size_t kBlocks = 100;
    for (int round = 0; round < 200; ++round) {
        std::vector<uint32_t> records;
        for (size_t i = 0; i < kBlocks; ++i) {
            const NodeHeap::Range range = heap->allocate(1 + random() % (4 * kPageBytes));
            ASSERT_NE(range.data, nullptr);
            EXPECT_NE(range.record, 0U);
            records.push_back(range.record);
        }
        std::shuffle(records.begin(), records.end(), random);
        for (const uint32_t record : records) {
            heap->release(record);
        }
    }
    // Each block and each gap between two needs one.
    EXPECT_LE(heap->control().allocator.record_count, 2 * kBlocks + 1);
}

TEST(NodeHeap, RunningOutOfRecordsLosesNoMemory) {
    for (const uint32_t limit : {1U, 2U, 3U, 10U}) {
        SCOPED_TRACE(limit);
        std::mt19937_64 random(limit);
        TestHeap heap(16 * kMiB);
        heap->control().allocator.record_limit = limit;
        ReferenceHeap reference(*heap, heap.base() + heap.mapping_bytes());
        std::vector<Block> blocks;
        for (int step = 0; step < 500; ++step) {
            if (blocks.empty() || random() % 2 == 0) {
                Block block{{}, 16 + random() % (3 * kMiB), random()};
                block.range = heap->allocate(block.bytes);
                if (block.range.data != nullptr) {
                    ASSERT_NO_FATAL_FAILURE(reference.add(block.range, block.bytes));
                    write_tag(block);
                    blocks.push_back(block);
                }
            } else {
                std::swap(blocks[random() % blocks.size()], blocks.back());
                ASSERT_TRUE(tag_is_intact(blocks.back()));
                ASSERT_NO_FATAL_FAILURE(reference.remove(blocks.back().range));
                heap->release(blocks.back().range.record);
                blocks.pop_back();
            }
            ASSERT_LE(heap->control().allocator.record_count, limit);
            ASSERT_LE(blocks.size(), limit);
        }
        for (const Block& block : blocks) {
            ASSERT_TRUE(tag_is_intact(block));
            heap->release(block.range.record);
        }
        expect_whole(*heap);
    }
}

TEST(NodeHeap, ReturnsReleasedPagesToTheSystem) {
    TestHeap heap(64 * kMiB);
    const size_t before = heap->resident_bytes();
    std::vector<NodeHeap::Range> ranges;
    constexpr size_t kBytes = 4 * kMiB;
    for (int i = 0; i < 8; ++i) {
        ranges.push_back(heap->allocate(kBytes));
        ASSERT_NE(ranges.back().data, nullptr);
    }
    EXPECT_LT(heap->resident_bytes(), before + kBytes) << "memory used before it is touched";
    for (const NodeHeap::Range& range : ranges) {
        std::memset(range.data, 1, kBytes);
    }
    const size_t full = heap->resident_bytes();
    EXPECT_GE(full, before + 8 * kBytes);
    for (size_t i = 0; i < ranges.size(); ++i) {
        heap->release(ranges[i].record);
        EXPECT_LE(heap->resident_bytes(), full - (i + 1) * kBytes);
    }
}

// The page faults of this thread that needed no disk.
long minor_faults() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
}

NodeHeap::Range take_and_touch(NodeHeap& heap, size_t bytes) {
    const NodeHeap::Range range = heap.allocate(bytes);
    EXPECT_NE(range.data, nullptr);
    std::memset(range.data, 1, bytes);
    return range;
}

TEST(NodeHeap, KeptMemoryIsUsedAgainWithoutPageFaults) {
    constexpr size_t kPages = 256;
    TestHeap heap(64 * kMiB);
    const NodeHeap::Range first = take_and_touch(*heap, kPages * kPageBytes);
    EXPECT_FALSE(first.was_kept);
    heap->release(first.record, NodeHeap::Pages::keep);
    EXPECT_EQ(heap->kept_bytes(), kPages * kPageBytes);
    EXPECT_EQ(heap->used_bytes(), 0U);
    for (int round = 0; round < 4; ++round) {
        const long faults = minor_faults();
        const NodeHeap::Range again = take_and_touch(*heap, kPages * kPageBytes);
        EXPECT_TRUE(again.was_kept);
        EXPECT_EQ(heap->kept_bytes(), 0U);
        EXPECT_LT(minor_faults() - faults, static_cast<long>(kPages) / 8);
        heap->release(again.record, NodeHeap::Pages::keep);
    }
}

TEST(NodeHeap, NeighboursThatAreKeptAreUsedAgainInTheirSizes) {
    TestHeap heap(64 * kMiB);
    std::vector<NodeHeap::Range> ranges;
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 16; ++i) {
            ranges.push_back(take_and_touch(*heap, kMiB));
            EXPECT_EQ(ranges.back().was_kept, round > 0) << "round " << round << ", piece " << i;
        }
        for (const NodeHeap::Range& range : ranges) {
            heap->release(range.record, NodeHeap::Pages::keep);
        }
        ranges.clear();
        EXPECT_EQ(heap->kept_bytes(), 16 * kMiB);
    }
}

TEST(NodeHeap, KeptMemoryIsDivided) {
    TestHeap heap(64 * kMiB);
    heap->release(take_and_touch(*heap, kMiB).record, NodeHeap::Pages::keep);
    EXPECT_TRUE(heap->allocate(kMiB * 5 / 8).was_kept);
    EXPECT_EQ(heap->kept_bytes(), kMiB * 3 / 8);
    EXPECT_TRUE(heap->allocate(kMiB * 3 / 8).was_kept);
    EXPECT_EQ(heap->kept_bytes(), 0U);
}

TEST(NodeHeap, SmallPiecesLeaveALargeKeptOneWhole) {
    TestHeap heap(64 * kMiB);
    heap->release(take_and_touch(*heap, 16 * kMiB).record, NodeHeap::Pages::keep);
    EXPECT_FALSE(heap->allocate(64 << 10).was_kept);
    EXPECT_TRUE(heap->allocate(16 * kMiB).was_kept);
}

TEST(NodeHeap, SmallPiecesTakeALargeKeptOneInAFullHeap) {
    TestHeap heap(64 * kMiB);
    const NodeHeap::Range kept = take_and_touch(*heap, 16 * kMiB);
    ASSERT_NE(heap->allocate(heap->data_bytes() - 16 * kMiB).data, nullptr);
    heap->release(kept.record, NodeHeap::Pages::keep);
    EXPECT_TRUE(heap->allocate(64 << 10).was_kept);
    EXPECT_EQ(heap->kept_bytes(), 16 * kMiB - (64 << 10));
}

// A program that uses a part of it again and again does not keep all of it.
TEST(NodeHeap, RestOfAKeptPieceIsAsOld) {
    TestHeap heap(64 * kMiB);
    heap->release(take_and_touch(*heap, 4 * kMiB).record, NodeHeap::Pages::keep);
    const int64_t since_ns = base::now_ns();
    const NodeHeap::Range part = heap->allocate(3 * kMiB);
    ASSERT_TRUE(part.was_kept);
    heap->release(part.record, NodeHeap::Pages::keep);
    heap->give_back(64 * kMiB, since_ns);
    EXPECT_EQ(heap->kept_bytes(), 3 * kMiB);
}

TEST(NodeHeap, PieceThatIsGivenBackInPartStaysTheEarliest) {
    TestHeap heap(64 * kMiB);
    const NodeHeap::Range early = take_and_touch(*heap, 4 * kMiB);
    const NodeHeap::Range late = take_and_touch(*heap, 2 * kMiB);
    heap->release(early.record, NodeHeap::Pages::keep);
    const int64_t between_ns = base::now_ns();
    heap->release(late.record, NodeHeap::Pages::keep);
    heap->give_back(6 * kMiB - kPageBytes);
    EXPECT_EQ(heap->kept_bytes(), 6 * kMiB - kPageBytes);
    heap->give_back(64 * kMiB, between_ns);
    EXPECT_EQ(heap->kept_bytes(), 2 * kMiB);
    EXPECT_EQ(static_cast<char*>(late.data)[0], 1);
}

TEST(NodeHeap, GivesBackWhatWasKeptLongest) {
    constexpr size_t kBytes = 4 * kMiB;
    TestHeap heap(64 * kMiB);
    std::vector<NodeHeap::Range> ranges;
    for (int i = 0; i < 6; ++i) {
        ranges.push_back(take_and_touch(*heap, kBytes));
    }
    for (const size_t i : {2, 0, 4}) {
        heap->release(ranges[i].record, NodeHeap::Pages::keep);
    }
    const size_t resident = heap->resident_bytes();
    heap->give_back(3 * kBytes);
    EXPECT_EQ(heap->resident_bytes(), resident);
    heap->give_back(2 * kBytes);
    EXPECT_EQ(heap->kept_bytes(), 2 * kBytes);
    EXPECT_EQ(heap->resident_bytes(), resident - kBytes);
    EXPECT_EQ(static_cast<char*>(ranges[2].data)[0], 0);
    EXPECT_EQ(static_cast<char*>(ranges[0].data)[0], 1);
    EXPECT_EQ(static_cast<char*>(ranges[4].data)[0], 1);
}

TEST(NodeHeap, GivesBackNoMoreThanTheExcess) {
    TestHeap heap(64 * kMiB);
    const NodeHeap::Range range = take_and_touch(*heap, 8 * kMiB);
    heap->release(range.record, NodeHeap::Pages::keep);
    heap->give_back(8 * kMiB - 3 * kPageBytes);
    EXPECT_EQ(heap->kept_bytes(), 8 * kMiB - 3 * kPageBytes);
    const char* bytes = static_cast<char*>(range.data);
    EXPECT_EQ(std::count(bytes, bytes + 8 * kMiB, 0), static_cast<long>(3 * kPageBytes));
}

TEST(NodeHeap, GivesBackWhatWasNotUsedSince) {
    TestHeap heap(64 * kMiB);
    std::vector<NodeHeap::Range> ranges;
    for (int i = 0; i < 3; ++i) {
        ranges.push_back(take_and_touch(*heap, kMiB));
    }
    heap->release(ranges[0].record, NodeHeap::Pages::keep);
    const int64_t between_ns = base::now_ns();
    heap->release(ranges[2].record, NodeHeap::Pages::keep);
    heap->give_back(64 * kMiB, between_ns);
    EXPECT_EQ(heap->kept_bytes(), kMiB);
    EXPECT_EQ(static_cast<char*>(ranges[0].data)[0], 0);
    EXPECT_EQ(static_cast<char*>(ranges[2].data)[0], 1);
}

TEST(NodeHeap, KeptMemoryGivesWayToALargerAllocation) {
    TestHeap heap(64 * kMiB);
    std::vector<NodeHeap::Range> ranges;
    for (int i = 0; i < 8; ++i) {
        ranges.push_back(take_and_touch(*heap, heap->data_bytes() / 8));
    }
    for (const NodeHeap::Range& range : ranges) {
        heap->release(range.record, NodeHeap::Pages::keep);
    }
    const NodeHeap::Range all = heap->allocate(heap->data_bytes());
    EXPECT_NE(all.data, nullptr);
    heap->release(all.record, NodeHeap::Pages::keep);
    heap->give_back(kMiB);
    // There is room in neither part alone.
    EXPECT_NE(heap->allocate(heap->data_bytes()).data, nullptr);
    EXPECT_EQ(heap->kept_bytes(), 0U);
}

TEST(NodeHeap, ReturnsPagesThatWereLeft) {
    TestHeap heap(64 * kMiB);
    const size_t before = heap->resident_bytes();
    const NodeHeap::Range range = heap->allocate(2 * kMiB);
    char* bytes = static_cast<char*>(range.data);
    std::memset(bytes, 1, 2 * kMiB);
    heap->release(range.record, NodeHeap::Pages::leave);
    EXPECT_GE(heap->resident_bytes(), before + 2 * kMiB);
    const auto begin = reinterpret_cast<uint64_t>(bytes);
    heap->release_pages(begin + 100, begin + 2 * kMiB);
    EXPECT_LE(heap->resident_bytes(), before + kPageBytes);
    EXPECT_EQ(bytes[99], 1);
    EXPECT_EQ(bytes[100], 0);
}

// Allocates pieces of a megabyte. Returns how often that needs a check of the host's memory.
int take_small_pieces(NodeHeap& heap, int count) {
    int checks = 0;
    size_t unchecked = 0;
    for (int i = 0; i < count; ++i) {
        if (heap.check_is_due(kMiB)) {
            heap.note_check(kMiB);
            ++checks;
            unchecked = 0;
        }
        EXPECT_NE(heap.allocate(kMiB).data, nullptr);
        unchecked += kMiB;
        EXPECT_LE(unchecked, NodeHeap::kUncheckedBytes);
    }
    return checks;
}

TEST(NodeHeap, SmallAllocationsTogetherMakeACheckDue) {
    TestHeap heap(128 * kMiB);
    EXPECT_TRUE(heap->check_is_due(NodeHeap::kUncheckedBytes));
    EXPECT_EQ(take_small_pieces(*heap, 64), 8);
}

TEST(NodeHeap, ReallocatedMemoryMakesACheckDue) {
    TestHeap heap(64 * kMiB);
    heap->note_check(32 * kMiB);
    const NodeHeap::Range range = heap->allocate(32 * kMiB);
    EXPECT_FALSE(heap->check_is_due(kMiB));
    heap->release(range.record);
    EXPECT_EQ(take_small_pieces(*heap, 32), 4);
}

// After one small piece was refused, the next one must not be allocated without a check.
TEST(NodeHeap, FailedCheckStaysDue) {
    TestHeap heap(64 * kMiB);
    ASSERT_NE(heap->allocate(7 * kMiB).data, nullptr);
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(heap->check_is_due(7 * kMiB));
    }
}

}  // namespace
}  // namespace armci::node::test
