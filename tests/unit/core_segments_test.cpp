// SPDX-License-Identifier: BSD-3-Clause
#include "core/memory/segments.h"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "core/job/world.h"

namespace armci::test {
namespace {

using core::Segment;
using core::Segments;
using core::SegmentTables;

// Two nodes with a rank each. Rank 0 looks at the memory of rank 1.
class SegmentsOfAnotherNode : public testing::Test {
  protected:
    SegmentsOfAnotherNode() {
        world_.size = 2;
        world_.node_count = 2;
        world_.node_of = core::NodeNumbers({0, 1}, 2, 0);
        segments_.start(world_);
    }
    ~SegmentsOfAnotherNode() override { segments_.stop(); }

    Segment* add(uint64_t key, uint64_t begin, uint64_t bytes) {
        auto segment = std::make_unique<Segment>();
        segment->id = key;
        segment->group = core::Groups::single(1);
        segment->owned_tables = std::make_unique<uint64_t[]>(SegmentTables::bytes(1, 1, 0) / 8 + 1);
        segment->tables = new (segment->owned_tables.get()) SegmentTables{1, 1};
        segment->tables->slices()[0] = {begin, bytes};
        segment->tables->parts()[0] = {
            .node = 1, .server = 1, .registered = 1, .begin = begin, .bytes = bytes, .key = key};
        return segments_.add(std::move(segment));
    }
    // The key for 8 bytes at that address of rank 1, 0 for none.
    uint64_t key_of(uint64_t address) {
        const Segments::Found found = segments_.find(1, address, 8);
        return found.part != nullptr ? found.part->key : 0;
    }

  private:
    core::World world_;

  protected:
    Segments segments_;
};

// A thread of rank 0 is still in ARMCI_Free when another allocates, and the other node has left the
// first call. The address is known before.
TEST_F(SegmentsOfAnotherNode, MemoryGivenOutAgainHasTheNewKey) {
    Segment* const freed = add(7, 0x1000, 0x1000);
    EXPECT_EQ(key_of(0x1800), 7U);
    add(8, 0x1000, 0x1000);
    EXPECT_EQ(key_of(0x1800), 8U);
    segments_.remove(freed);
    EXPECT_EQ(key_of(0x1800), 8U);
}

TEST_F(SegmentsOfAnotherNode, AndSoWhereTheAddressIsNotKnownBefore) {
    Segment* const other = add(5, 0x8000, 0x1000);
    Segment* const freed = add(7, 0x1000, 0x1000);
    add(8, 0x1000, 0x1000);
    segments_.remove(other);  // the last one takes its place, before the one that is freed
    EXPECT_EQ(key_of(0x1800), 8U);
    segments_.remove(freed);
    EXPECT_EQ(key_of(0x1800), 8U);
}

// The heap gives out parts of what was freed, or more than that.
TEST_F(SegmentsOfAnotherNode, PartsThatOverlapAreOlder) {
    add(1, 0x1000, 0x1000);
    Segment* const second = add(2, 0x2000, 0x1000);
    add(3, 0x3000, 0x1000);
    add(4, 0x4000, 0x1000);
    EXPECT_EQ(key_of(0x2800), 2U);
    Segment* const across = add(9, 0x2800, 0x1000);
    EXPECT_EQ(key_of(0x1800), 1U);
    EXPECT_EQ(key_of(0x2000), 0U);
    EXPECT_EQ(key_of(0x2800), 9U);
    EXPECT_EQ(key_of(0x37f8), 9U);
    EXPECT_EQ(key_of(0x3800), 0U);
    EXPECT_EQ(key_of(0x4000), 4U);
    segments_.remove(second);
    EXPECT_EQ(key_of(0x2800), 9U);
    segments_.remove(across);
    EXPECT_EQ(key_of(0x2800), 0U);
}

// Neighbours that only touch stay.
TEST_F(SegmentsOfAnotherNode, MemoryBesideOtherMemoryChangesNothingThere) {
    add(1, 0x1000, 0x1000);
    add(3, 0x3000, 0x1000);
    EXPECT_EQ(key_of(0x1ff8), 1U);
    add(2, 0x2000, 0x1000);
    EXPECT_EQ(key_of(0x1ff8), 1U);
    EXPECT_EQ(key_of(0x2000), 2U);
    EXPECT_EQ(key_of(0x3000), 3U);
}

// The parts are those of servers 3 and 5, whose keys were the last and the first of three.
TEST(SegmentTables, PartsHaveTheirKeysOnFurtherRails) {
    constexpr size_t kRails = 2;
    std::vector<uint64_t> memory(SegmentTables::bytes(1, 3, kRails) / 8 + 1);
    auto* tables = new (memory.data()) SegmentTables{1, 2};
    tables->parts()[0] = {.server = 3, .further_keys = 2, .key = 30};
    tables->parts()[1] = {.server = 5, .further_keys = 0, .key = 50};
    const uint64_t keys[] = {51, 52, 0, 0, 31, 32};
    tables->store_further_keys(keys, kRails);
    const pipeline::RemotePlace third = tables->parts()[0].place();
    const pipeline::RemotePlace fifth = tables->parts()[1].place();
    EXPECT_EQ(third.key, 30U);
    EXPECT_EQ(third.further_keys[0], 31U);
    EXPECT_EQ(third.further_keys[1], 32U);
    EXPECT_EQ(fifth.further_keys[0], 51U);
    EXPECT_EQ(fifth.further_keys[1], 52U);
    EXPECT_LE(fifth.further_keys + kRails, memory.data() + memory.size());

    tables->store_further_keys(nullptr, 0);
    EXPECT_EQ(tables->parts()[0].place().further_keys, nullptr);
    EXPECT_EQ(tables->parts()[1].place().further_keys, nullptr);
}

}  // namespace
}  // namespace armci::test
