// SPDX-License-Identifier: BSD-3-Clause
#include "strided/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "strided_reference.h"

namespace armci::strided::test {
namespace {

constexpr unsigned char kUntouched = 0xA5;
constexpr int64_t kSpareBytes = 160;

std::vector<unsigned char> random_bytes(int64_t bytes, unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<unsigned char> result(static_cast<size_t>(bytes));
    std::generate(result.begin(), result.end(),
                  [&random] { return static_cast<unsigned char>(random()); });
    return result;
}

// A buffer between spare bytes that must not change.
struct Buffer {
    explicit Buffer(int64_t size_bytes)
        : bytes(static_cast<size_t>(size_bytes + 2 * kSpareBytes), kUntouched) {}
    unsigned char* data() { return bytes.data() + kSpareBytes; }
    std::vector<unsigned char> bytes;
};

// Packs `bytes` bytes from where the cursor is and compares all of the buffer.
template <class Cursor>
void expect_pack(Cursor& cursor, SideMemory& memory, const std::vector<int64_t>& offsets,
                 int64_t bytes) {
    const int64_t position = cursor.position();
    Buffer buffer(bytes);
    Buffer expected(bytes);
    for (int64_t i = 0; i < bytes; ++i) {
        expected.data()[i] = memory.at(offsets[position + i]);
    }
    pack(cursor, buffer.data(), bytes);
    ASSERT_EQ(cursor.position(), position + bytes);
    ASSERT_EQ(buffer.bytes, expected.bytes) << "packed " << bytes << " bytes at " << position;
}

// Unpacks `bytes` bytes to where the cursor is and compares all of the memory.
template <class Cursor>
void expect_unpack(Cursor& cursor, SideMemory& memory, const std::vector<int64_t>& offsets,
                   int64_t bytes) {
    const int64_t position = cursor.position();
    const std::vector<unsigned char> buffer = random_bytes(bytes, 77);
    SideMemory expected = memory;
    for (int64_t i = 0; i < bytes; ++i) {
        expected.at(offsets[position + i]) = buffer[i];
    }
    unpack(cursor, buffer.data(), bytes);
    ASSERT_EQ(cursor.position(), position + bytes);
    ASSERT_EQ(memory.bytes(), expected.bytes()) << "unpacked " << bytes << " at " << position;
}

TEST(StridedKernels, PackAndUnpackAtEverySplitPoint) {
    for (const Shape& shape : special_shapes()) {
        SCOPED_TRACE(::testing::PrintToString(shape));
        const PairLayout pair = pair_of(shape);
        for (const Layout& side : {local_side(pair), remote_side(pair)}) {
            const std::vector<int64_t> offsets = offsets_of(side);
            const auto total = static_cast<int64_t>(offsets.size());
            SideMemory memory(offsets, 1);
            for (int64_t position = 0; position <= total; ++position) {
                for (int64_t bytes = 0; position + bytes <= total; ++bytes) {
                    StridedCursor cursor(memory.base(), side);
                    cursor.seek(position);
                    ASSERT_NO_FATAL_FAILURE(expect_pack(cursor, memory, offsets, bytes));
                    cursor.seek(position);
                    ASSERT_NO_FATAL_FAILURE(expect_unpack(cursor, memory, offsets, bytes));
                }
            }
        }
    }
}

// Every block length near those that have a loop of their own, every relevant row length, from
// aligned and odd addresses.
TEST(StridedKernels, EveryBlockLength) {
    for (int block_bytes = 1; block_bytes <= 300; ++block_bytes) {
        for (const int rows : {1, 2, 5}) {
            const Shape shape = {{block_bytes, rows, 3},
                                 {block_bytes + 1, 7 * block_bytes + 3},
                                 {2 * block_bytes, 20 * block_bytes}};
            SCOPED_TRACE(::testing::PrintToString(shape));
            const PairLayout pair = pair_of(shape);
            const std::vector<int64_t> local = local_offsets(shape);
            const std::vector<int64_t> remote = remote_offsets(shape);
            const int64_t misalignment = block_bytes % 8;
            SideMemory local_memory(local, 1, misalignment);
            SideMemory remote_memory(remote, 2, 3 * misalignment);

            StridedCursor cursor(local_memory.base(), local_side(pair));
            ASSERT_NO_FATAL_FAILURE(expect_pack(cursor, local_memory, local, total_bytes(pair)));
            cursor.seek(0);
            ASSERT_NO_FATAL_FAILURE(expect_unpack(cursor, local_memory, local, total_bytes(pair)));

            SideMemory expected = remote_memory;
            for (size_t i = 0; i < local.size(); ++i) {
                expected.at(remote[i]) = local_memory.at(local[i]);
            }
            copy(pair, local_memory.base(), remote_memory.base(), Direction::to_remote);
            ASSERT_EQ(remote_memory.bytes(), expected.bytes());
        }
    }
}

TEST(StridedKernels, RandomRoundTripsInPieces) {
    for (unsigned seed = 0; seed < 500 && !HasFailure(); ++seed) {
        std::mt19937_64 random(seed);
        const Shape shape = random_shape(random);
        SCOPED_TRACE(::testing::Message() << "seed " << seed << ": " << shape);
        const PairLayout pair = pair_of(shape);
        const std::vector<int64_t> local = local_offsets(shape);
        const std::vector<int64_t> remote = remote_offsets(shape);
        SideMemory local_memory(local, seed, random_between(random, 0, 7));
        SideMemory remote_memory(remote, seed + 1, random_between(random, 0, 7));
        SideMemory expected = remote_memory;
        for (size_t i = 0; i < local.size(); ++i) {
            expected.at(remote[i]) = local_memory.at(local[i]);
        }
        // Through a small buffer, as the pipeline does, in pieces that end anywhere.
        StridedCursor from(local_memory.base(), local_side(pair));
        StridedCursor to(remote_memory.base(), remote_side(pair));
        while (from.remaining() > 0) {
            const auto max = static_cast<int>(std::min<int64_t>(from.remaining(), 64));
            const int bytes = random_between(random, 1, max);
            unsigned char buffer[64];
            pack(from, buffer, bytes);
            unpack(to, buffer, bytes);
            ASSERT_EQ(from.position(), to.position());
        }
        EXPECT_EQ(to.remaining(), 0);
        EXPECT_EQ(remote_memory.bytes(), expected.bytes());
    }
}

TEST(StridedKernels, CopyInBothDirections) {
    for (unsigned seed = 0; seed < 1000 && !HasFailure(); ++seed) {
        std::mt19937_64 random(seed);
        const Shape shape = random_shape(random);
        SCOPED_TRACE(::testing::Message() << "seed " << seed << ": " << shape);
        const PairLayout pair = pair_of(shape);
        const std::vector<int64_t> local = local_offsets(shape);
        const std::vector<int64_t> remote = remote_offsets(shape);
        SideMemory local_memory(local, seed, random_between(random, 0, 7));
        SideMemory remote_memory(remote, seed + 1, random_between(random, 0, 7));

        SideMemory expected = remote_memory;
        for (size_t i = 0; i < local.size(); ++i) {
            expected.at(remote[i]) = local_memory.at(local[i]);
        }
        const std::vector<unsigned char> source = local_memory.bytes();
        copy(pair, local_memory.base(), remote_memory.base(), Direction::to_remote);
        EXPECT_EQ(remote_memory.bytes(), expected.bytes());
        EXPECT_EQ(local_memory.bytes(), source);

        SideMemory fresh(remote, seed + 2);
        expected = local_memory;
        for (size_t i = 0; i < local.size(); ++i) {
            expected.at(local[i]) = fresh.at(remote[i]);
        }
        copy(pair, local_memory.base(), fresh.base(), Direction::to_local);
        EXPECT_EQ(local_memory.bytes(), expected.bytes());
    }
}

TEST(StridedKernels, EmptyCopiesTouchNothing) {
    copy(contiguous_pair(0), nullptr, nullptr, Direction::to_remote);
    copy_vector(nullptr, nullptr, 0, 8);
    void* null = nullptr;
    copy_vector(&null, &null, 1, 0);
    StridedCursor strided;
    VectorCursor vector;
    pack(strided, nullptr, 0);
    pack(vector, nullptr, 0);
    unpack(strided, nullptr, 0);
    unpack(vector, nullptr, 0);
    for_each_block(contiguous_pair(0), nullptr, nullptr,
                   [](char*, char*, int64_t) { FAIL() << "called for an empty block"; });
}

TEST(StridedKernels, ContiguousCopyMayOverlap) {
    for (const int64_t bytes : {1, 7, 8, 40, 129, 5000}) {
        for (const int64_t shift : {-300, -9, -1, 0, 1, 8, 31, 300}) {
            for (const Direction direction : {Direction::to_remote, Direction::to_local}) {
                std::vector<unsigned char> memory = random_bytes(6000, 5);
                std::vector<unsigned char> expected = memory;
                std::vector<unsigned char> source(memory.begin() + 400,
                                                  memory.begin() + 400 + bytes);
                std::copy(source.begin(), source.end(), expected.begin() + 400 + shift);
                void* from = memory.data() + 400;
                void* to = memory.data() + 400 + shift;
                if (direction == Direction::to_remote) {
                    copy(contiguous_pair(bytes), from, to, direction);
                } else {
                    copy(contiguous_pair(bytes), to, from, direction);
                }
                ASSERT_EQ(memory, expected) << bytes << " bytes by " << shift;
            }
        }
    }
}

// The result is unspecified, but each byte must come from the source and no other may change.
TEST(StridedKernels, OverlappingStridedCopyStaysInBounds) {
    for (const int block_bytes : {5, 8, 16, 33, 100, 128, 500}) {
        for (const int shift : {1, 3, 16, 40}) {
            const Shape shape = {{block_bytes, 4}, {block_bytes + 10}, {block_bytes + 10}};
            const PairLayout pair = pair_of(shape);
            std::vector<unsigned char> memory(4000, kUntouched);
            char* local = reinterpret_cast<char*>(memory.data()) + 500;
            for (const int64_t offset : local_offsets(shape)) {
                local[offset] = 1;
            }
            std::vector<unsigned char> may_change(memory.size(), 0);
            for (const int64_t offset : remote_offsets(shape)) {
                may_change[500 + shift + offset] = 1;
            }
            const std::vector<unsigned char> before = memory;
            copy(pair, local, local + shift, Direction::to_remote);
            for (size_t i = 0; i < memory.size(); ++i) {
                if (may_change[i] == 0) {
                    ASSERT_EQ(memory[i], before[i]) << i;
                }
            }
        }
    }
}

TEST(StridedKernels, ForEachBlockVisitsInOrder) {
    for (unsigned seed = 0; seed < 500 && !HasFailure(); ++seed) {
        std::mt19937_64 random(seed);
        const Shape shape = random_shape(random);
        SCOPED_TRACE(::testing::Message() << "seed " << seed << ": " << shape);
        const PairLayout pair = pair_of(shape);
        const std::vector<int64_t> local = local_offsets(shape);
        const std::vector<int64_t> remote = remote_offsets(shape);
        char* const local_base = reinterpret_cast<char*>(uintptr_t{1} << 40);
        char* const remote_base = reinterpret_cast<char*>(uintptr_t{1} << 41);
        size_t position = 0;
        for_each_block(pair, local_base, remote_base,
                       [&](const char* local_block, const char* remote_block, int64_t bytes) {
                           ASSERT_LT(position, local.size());
                           EXPECT_EQ(bytes, block_bytes(pair));
                           EXPECT_EQ(local_block - local_base, local[position]);
                           EXPECT_EQ(remote_block - remote_base, remote[position]);
                           position += static_cast<size_t>(bytes);
                       });
        EXPECT_EQ(position, local.size());
    }
}

// Blocks of one length at places of a memory range that do not overlap, in random order.
struct VectorMemory {
    VectorMemory(int64_t segment_count, int64_t segment_bytes, unsigned seed)
        : memory(random_bytes(segment_count * (segment_bytes + 3) + 5, seed)) {
        std::vector<int64_t> places(static_cast<size_t>(segment_count));
        std::iota(places.begin(), places.end(), 0);
        std::shuffle(places.begin(), places.end(), std::mt19937_64(seed));
        for (const int64_t place : places) {
            starts.push_back(place * (segment_bytes + 3) + 2);
            pointers.push_back(memory.data() + starts.back());
            addresses.push_back(reinterpret_cast<uintptr_t>(pointers.back()));
        }
    }
    std::vector<unsigned char> memory;
    std::vector<int64_t> starts;
    std::vector<void*> pointers;
    std::vector<uint64_t> addresses;
};

TEST(StridedKernels, VectorCopyPackAndUnpack) {
    for (int64_t segment_bytes = 1; segment_bytes <= 140; ++segment_bytes) {
        for (const int64_t segment_count : {1, 2, 9}) {
            SCOPED_TRACE(::testing::Message() << segment_count << " x " << segment_bytes);
            const int64_t total = segment_count * segment_bytes;
            VectorMemory from(segment_count, segment_bytes, 1);
            VectorMemory to(segment_count, segment_bytes, 2);
            std::vector<unsigned char> packed(static_cast<size_t>(total));
            std::vector<unsigned char> expected = to.memory;
            for (int64_t i = 0; i < total; ++i) {
                const int64_t segment = i / segment_bytes;
                packed[i] = from.memory[from.starts[segment] + i % segment_bytes];
                expected[to.starts[segment] + i % segment_bytes] = packed[i];
            }
            const std::vector<unsigned char> fresh = to.memory;
            copy_vector(from.pointers.data(), to.pointers.data(), segment_count, segment_bytes);
            ASSERT_EQ(to.memory, expected);
            std::copy(fresh.begin(), fresh.end(), to.memory.begin());

            for (const int64_t piece : {total, int64_t{1}, segment_bytes + 1, 2 * segment_bytes}) {
                VectorCursor source(from.addresses.data(), segment_count, segment_bytes);
                VectorCursor target(to.addresses.data(), segment_count, segment_bytes);
                Buffer buffer(total);
                Buffer expected_buffer(total);
                std::copy(packed.begin(), packed.end(), expected_buffer.data());
                while (source.remaining() > 0) {
                    const int64_t position = source.position();
                    const int64_t bytes = std::min(piece, source.remaining());
                    pack(source, buffer.data() + position, bytes);
                    ASSERT_EQ(source.position(), position + bytes);
                    unpack(target, buffer.data() + position, bytes);
                    ASSERT_EQ(target.position(), position + bytes);
                }
                ASSERT_EQ(buffer.bytes, expected_buffer.bytes) << "pieces of " << piece;
                ASSERT_EQ(to.memory, expected) << "pieces of " << piece;
                std::copy(fresh.begin(), fresh.end(), to.memory.begin());
            }
        }
    }
}

TEST(StridedKernels, VectorBlocksMayRepeat) {
    uint64_t value = 42;
    uint64_t other = 43;
    void* const from[] = {&value, &other, &value};
    uint64_t out[3] = {};
    void* const to[] = {&out[0], &out[1], &out[2]};
    copy_vector(from, to, 3, sizeof(uint64_t));
    EXPECT_EQ(out[0], 42U);
    EXPECT_EQ(out[1], 43U);
    EXPECT_EQ(out[2], 42U);
}

}  // namespace
}  // namespace armci::strided::test
