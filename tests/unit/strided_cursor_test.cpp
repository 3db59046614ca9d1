// SPDX-License-Identifier: BSD-3-Clause
#include "strided/cursor.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "strided_reference.h"

namespace armci::strided::test {
namespace {

// Cursors touch no memory, so the base need not exist.
char* const kBase = reinterpret_cast<char*>(uintptr_t{1} << 40);

int64_t offset_of(const char* data) {
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(data) -
                                reinterpret_cast<uintptr_t>(kBase));
}

// Takes `bytes` bytes by next(), at most piece_bytes at a time, and compares each byte's place.
template <class Cursor>
void expect_bytes(Cursor& cursor, const std::vector<int64_t>& offsets, int64_t bytes,
                  int64_t piece_bytes) {
    const int64_t end = cursor.position() + bytes;
    while (cursor.position() < end) {
        const int64_t position = cursor.position();
        const int64_t max = std::min(piece_bytes, end - position);
        const auto block = cursor.next(max);
        ASSERT_GT(block.bytes, 0) << "at " << position;
        ASSERT_LE(block.bytes, max) << "at " << position;
        ASSERT_EQ(cursor.position(), position + block.bytes);
        ASSERT_EQ(cursor.remaining(), static_cast<int64_t>(offsets.size()) - cursor.position());
        for (int64_t i = 0; i < block.bytes; ++i) {
            ASSERT_EQ(offset_of(block.data) + i, offsets[position + i]) << "at " << position + i;
        }
    }
}

// From every position it takes every number of bytes; then whole walks in pieces of every length.
template <class Cursor>
void expect_every_split(const Cursor& fresh, const std::vector<int64_t>& offsets) {
    const auto total = static_cast<int64_t>(offsets.size());
    EXPECT_EQ(fresh.position(), 0);
    EXPECT_EQ(fresh.remaining(), total);
    for (int64_t position = 0; position <= total; ++position) {
        for (int64_t bytes = 0; position + bytes <= total; ++bytes) {
            Cursor cursor = fresh;
            cursor.seek(position);
            ASSERT_EQ(cursor.position(), position);
            ASSERT_NO_FATAL_FAILURE(expect_bytes(cursor, offsets, bytes, total));
        }
    }
    for (int64_t piece = 1; piece <= total; ++piece) {
        Cursor cursor = fresh;
        ASSERT_NO_FATAL_FAILURE(expect_bytes(cursor, offsets, total, piece));
        EXPECT_EQ(cursor.remaining(), 0);
        EXPECT_EQ(cursor.next(INT64_MAX).bytes, 0);
        EXPECT_EQ(cursor.position(), total);
        cursor.seek(total / 2);
        ASSERT_NO_FATAL_FAILURE(expect_bytes(cursor, offsets, total - total / 2, piece));
    }
}

// visit_blocks() from the start of every block over every number of blocks, then next().
template <class Cursor>
void expect_visits(const Cursor& fresh, const std::vector<int64_t>& offsets) {
    const int64_t block_bytes = fresh.block_bytes();
    const auto blocks = static_cast<int64_t>(offsets.size()) / block_bytes;
    for (int64_t first = 0; first <= blocks; ++first) {
        for (int64_t count = 0; first + count <= blocks; ++count) {
            Cursor cursor = fresh;
            cursor.seek(first * block_bytes);
            ASSERT_TRUE(cursor.is_at_block_start());
            int64_t visited = 0;
            cursor.visit_blocks(count, [&](const char* block) {
                EXPECT_EQ(offset_of(block), offsets[(first + visited) * block_bytes]);
                ++visited;
            });
            ASSERT_EQ(visited, count);
            ASSERT_EQ(cursor.position(), (first + count) * block_bytes);
            ASSERT_NO_FATAL_FAILURE(
                expect_bytes(cursor, offsets, cursor.remaining(), cursor.remaining()));
        }
    }
}

// next_row() from every byte with every limit: the same bytes in the same order, and whole rows
// where there are any.
template <class Cursor>
void expect_rows(const Cursor& fresh, const std::vector<int64_t>& offsets) {
    const auto total = static_cast<int64_t>(offsets.size());
    const int64_t step = std::max<int64_t>(1, total / 40);
    for (int64_t start = 0; start <= total; start += step) {
        for (int64_t limit = 1; limit <= total; limit += step) {
            Cursor cursor = fresh;
            cursor.seek(start);
            int64_t position = start;
            while (cursor.remaining() > 0) {
                const Row row = cursor.next_row(limit);
                ASSERT_GT(row.block_count, 0);
                ASSERT_LE(row.block_count * row.block_bytes, limit);
                for (int64_t block = 0; block < row.block_count; ++block) {
                    for (int64_t i = 0; i < row.block_bytes; ++i) {
                        ASSERT_EQ(offset_of(offset_by(row.data, block * row.stride + i)),
                                  offsets[position++]);
                    }
                }
                ASSERT_EQ(cursor.position(), position);
            }
            ASSERT_EQ(position, total);
            EXPECT_EQ(cursor.next_row(limit).block_count, 0);
        }
    }
}

// A layout as the shape has it, without canonical form.
Layout plain_layout(const Shape& shape) {
    Layout layout;
    layout.levels = shape.levels();
    std::copy(shape.count.begin(), shape.count.end(), layout.count);
    std::copy(shape.local_stride.begin(), shape.local_stride.end(), layout.stride);
    return layout;
}

TEST(StridedCursor, EverySplitPoint) {
    for (const Shape& shape : special_shapes()) {
        SCOPED_TRACE(::testing::PrintToString(shape));
        const PairLayout pair = pair_of(shape);
        for (const Layout& side : {local_side(pair), remote_side(pair), plain_layout(shape)}) {
            ASSERT_NO_FATAL_FAILURE(
                expect_every_split(StridedCursor(kBase, side), offsets_of(side)));
            ASSERT_NO_FATAL_FAILURE(expect_visits(StridedCursor(kBase, side), offsets_of(side)));
            ASSERT_NO_FATAL_FAILURE(expect_rows(StridedCursor(kBase, side), offsets_of(side)));
        }
    }
}

TEST(StridedCursor, RandomWalks) {
    for (unsigned seed = 0; seed < 500 && !HasFailure(); ++seed) {
        std::mt19937_64 random(seed);
        const Shape shape = random_shape(random);
        SCOPED_TRACE(::testing::Message() << "seed " << seed << ": " << shape);
        const Layout layout = local_side(pair_of(shape));
        const std::vector<int64_t> offsets = local_offsets(shape);
        const auto total = static_cast<int>(offsets.size());
        StridedCursor cursor(kBase, layout);
        for (int step = 0; step < 50; ++step) {
            const int64_t whole_blocks = cursor.remaining() / cursor.block_bytes();
            if (cursor.remaining() == 0 || random_between(random, 0, 4) == 0) {
                cursor.seek(random_between(random, 0, total));
            } else if (cursor.is_at_block_start() && random_between(random, 0, 1) == 0) {
                int64_t expected = cursor.position();
                cursor.visit_blocks(random_between(random, 0, static_cast<int>(whole_blocks)),
                                    [&](const char* block) {
                                        EXPECT_EQ(offset_of(block), offsets[expected]);
                                        expected += cursor.block_bytes();
                                    });
                EXPECT_EQ(cursor.position(), expected);
            } else {
                const int bytes = random_between(random, 1, static_cast<int>(cursor.remaining()));
                ASSERT_NO_FATAL_FAILURE(
                    expect_bytes(cursor, offsets, bytes, random_between(random, 1, bytes)));
            }
        }
    }
}

TEST(StridedCursor, ZeroBytesDoNotMoveIt) {
    StridedCursor cursor(kBase, local_side(pair_of({{4, 3}, {8}, {8}})));
    cursor.seek(6);
    EXPECT_EQ(cursor.next(0).bytes, 0);
    EXPECT_EQ(cursor.next(-5).bytes, 0);
    EXPECT_EQ(cursor.next(INT64_MIN).bytes, 0);
    EXPECT_EQ(cursor.position(), 6);
    EXPECT_EQ(cursor.next(INT64_MAX).bytes, 2);
}

TEST(StridedCursor, EmptyLayouts) {
    StridedCursor none;
    StridedCursor empty(kBase, local_side(contiguous_pair(0)));
    for (StridedCursor* cursor : {&none, &empty}) {
        EXPECT_EQ(cursor->remaining(), 0);
        cursor->seek(0);
        EXPECT_EQ(cursor->next(100).bytes, 0);
        EXPECT_EQ(cursor->position(), 0);
    }
}

// Positions, offsets and blocks past 2^31 and up to the ends of int64_t.
TEST(StridedCursor, HugeLayouts) {
    const Shape shapes[] = {
        {{1000003, 4001, 17}, {1999999, INT32_MAX}, {-2000000, INT32_MIN}},
        {{1, INT32_MAX, INT32_MAX, 2},
         {INT32_MAX, INT32_MAX, INT32_MAX},
         {INT32_MIN, INT32_MAX, INT32_MIN}},
        {{INT32_MAX, 1000, 1000}, {INT32_MAX, 1}, {INT32_MAX, -1}},
    };
    for (const Shape& shape : shapes) {
        SCOPED_TRACE(::testing::PrintToString(shape));
        const PairLayout pair = pair_of(shape);
        for (const Layout& side : {local_side(pair), remote_side(pair)}) {
            const int64_t total = total_bytes(side);
            std::mt19937_64 random(1);
            StridedCursor cursor(kBase, side);
            for (int i = 0; i < 1000; ++i) {
                const int64_t position =
                    i < 2 ? (total - 1) * i
                          : std::uniform_int_distribution<int64_t>(0, total - 1)(random);
                cursor.seek(position);
                const auto block = cursor.next(INT64_MAX);
                EXPECT_EQ(offset_of(block.data),
                          reference_offset(position, side.levels, side.count, side.stride));
                EXPECT_EQ(block.bytes, block_bytes(side) - position % block_bytes(side));
                if (cursor.remaining() > 0) {  // the carry into the next block
                    EXPECT_EQ(offset_of(cursor.next(1).data),
                              reference_offset(position + block.bytes, side.levels, side.count,
                                               side.stride));
                }
            }
        }
    }
}

TEST(StridedCursor, WalksTheWidestExtentToItsEnd) {
    Layout layout;
    layout.levels = 2;
    const int64_t half = int64_t{1} << 62;
    layout.count[0] = 8;
    layout.count[1] = 2;
    layout.count[2] = 2;
    layout.stride[0] = half;
    layout.stride[1] = -half + 9;
    int64_t total = 0;
    Extent extent = {};
    ASSERT_TRUE(validate(layout, &total, &extent));
    StridedCursor cursor(kBase, layout);
    expect_bytes(cursor, offsets_of(layout), total, total);
    cursor.seek(0);
    expect_bytes(cursor, offsets_of(layout), total, 3);
}

struct Segments {
    std::vector<uint64_t> addresses;
    std::vector<int64_t> offsets;
};

Segments random_segments(unsigned seed, int segment_count, int segment_bytes) {
    std::mt19937_64 random(seed);
    Segments segments;
    for (int i = 0; i < segment_count; ++i) {
        const int64_t offset = random_between(random, -1000, 1000);
        segments.addresses.push_back(reinterpret_cast<uintptr_t>(kBase) +
                                     static_cast<uint64_t>(offset));
        for (int byte = 0; byte < segment_bytes; ++byte) {
            segments.offsets.push_back(offset + byte);
        }
    }
    return segments;
}

TEST(VectorCursor, EverySplitPoint) {
    for (const int segment_bytes : {1, 3, 8, 13}) {
        for (const int segment_count : {1, 2, 5}) {
            SCOPED_TRACE(::testing::Message() << segment_count << " x " << segment_bytes);
            const Segments segments = random_segments(1, segment_count, segment_bytes);
            const VectorCursor cursor(segments.addresses.data(), segment_count, segment_bytes);
            ASSERT_NO_FATAL_FAILURE(expect_every_split(cursor, segments.offsets));
            ASSERT_NO_FATAL_FAILURE(expect_visits(cursor, segments.offsets));
        }
    }
}

TEST(VectorCursor, BlocksAtEqualDistancesAreARow) {
    const uint64_t addresses[] = {1000, 1016, 1032, 1048, 500, 400, 300, 300};
    VectorCursor cursor(addresses, 8, 8);
    const auto expect_row = [&](int64_t max, uint64_t first, int64_t stride, int64_t count) {
        const Row row = cursor.next_row(max);
        EXPECT_EQ(reinterpret_cast<uint64_t>(row.data), first);
        EXPECT_EQ(row.block_count, count);
        EXPECT_EQ(row.block_bytes, 8);
        EXPECT_TRUE(count < 2 || row.stride == stride) << row.stride;
    };
    expect_row(31, 1000, 16, 3);
    expect_row(100, 1048, -548, 2);
    expect_row(100, 400, -100, 2);
    expect_row(100, 300, 0, 1);
    EXPECT_EQ(cursor.remaining(), 0);
    cursor.seek(0);
    expect_row(40, 1000, 16, 4);  // only the last one of those requested is elsewhere
    cursor.seek(4);
    EXPECT_EQ(cursor.next_row(100).block_bytes, 4);
    expect_row(100, 1016, 16, 3);
}

TEST(VectorCursor, AddressesAtAnyAlignment) {
    const Segments segments = random_segments(2, 7, 4);
    for (size_t shift = 0; shift < 8; ++shift) {
        std::vector<char> message(shift + 7 * sizeof(uint64_t));
        std::memcpy(message.data() + shift, segments.addresses.data(), 7 * sizeof(uint64_t));
        const auto* addresses = reinterpret_cast<const uint64_t*>(message.data() + shift);
        ASSERT_NO_FATAL_FAILURE(
            expect_every_split(VectorCursor(addresses, 7, 4), segments.offsets));
    }
}

TEST(VectorCursor, EmptyVectors) {
    const uint64_t address = 0;
    VectorCursor none;
    VectorCursor no_segments(nullptr, 0, 8);
    VectorCursor no_bytes(&address, 1, 0);
    for (VectorCursor* cursor : {&none, &no_segments, &no_bytes}) {
        EXPECT_EQ(cursor->remaining(), 0);
        cursor->seek(0);
        EXPECT_EQ(cursor->next(100).bytes, 0);
        EXPECT_EQ(cursor->position(), 0);
    }
    const Segments segments = random_segments(3, 2, 8);
    VectorCursor cursor(segments.addresses.data(), 2, 8);
    EXPECT_EQ(cursor.next(-1).bytes, 0);
    EXPECT_EQ(cursor.next(0).bytes, 0);
    EXPECT_EQ(cursor.position(), 0);
}

TEST(VectorCursor, HugeBlocks) {
    const int64_t segment_bytes = int64_t{3} << 31;
    const uint64_t addresses[] = {uint64_t{1} << 40, uint64_t{1} << 44, uint64_t{1} << 42};
    VectorCursor cursor(addresses, 3, segment_bytes);
    EXPECT_EQ(cursor.remaining(), 3 * segment_bytes);
    cursor.seek(segment_bytes + 5);
    const auto block = cursor.next(INT64_MAX);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data), addresses[1] + 5);
    EXPECT_EQ(block.bytes, segment_bytes - 5);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(cursor.next(1).data), addresses[2]);
}

}  // namespace
}  // namespace armci::strided::test
