// SPDX-License-Identifier: BSD-3-Clause
// Calls that work on the caller's own memory: packing, iterating over blocks, copying.
#include <gtest/gtest.h>

#include <cstring>

#include "armci/armci.h"
#include "support/check.h"
#include "support/shape.h"

namespace armci::mp {
namespace {

constexpr int64_t kBytes = 20000;

std::vector<char> random_bytes(Rng& rng, int64_t bytes) {
    std::vector<char> data(static_cast<size_t>(bytes));
    for (char& byte : data) {
        byte = static_cast<char>(rng.bits());
    }
    return data;
}

// A random strided array without overlaps; its remote side is the array, the local side unused.
Shape random_array(Rng& rng) {
    Room room{kBytes, kBytes, kBytes / 4};
    return random_strided(rng, room);
}

// promise: pack.strided
TEST(Pack, PacksAndUnpacksStridedData) {
    Rng rng = rank_rng();
    for (int64_t round = 0; round < scaled(200); ++round) {
        Shape shape = random_array(rng);
        const int levels = static_cast<int>(shape.count.size()) - 1;
        const int64_t total = shape.total_bytes();
        const std::vector<char> array = random_bytes(rng, kBytes);

        // To the buffer: the blocks one after the other, in order.
        std::vector<char> expected(static_cast<size_t>(total) + 8, 0x19);
        std::vector<char> buffer = expected;
        int64_t filled = 0;
        for (const Piece& piece : shape.blocks) {
            std::memcpy(expected.data() + filled, array.data() + piece.remote,
                        static_cast<size_t>(piece.bytes));
            filled += piece.bytes;
        }
        std::vector<char> source = array;
        armci_write_strided(source.data() + shape.remote_start, levels, shape.remote_stride.data(),
                            shape.count.data(), buffer.data());
        expect_same_bytes(expected.data(), buffer.data(), total + 8, "pack " + shape.describe());
        expect_same_bytes(array.data(), source.data(), kBytes, "source of a pack");

        // From the buffer, into an array of other contents.
        const std::vector<char> old = random_bytes(rng, kBytes);
        std::vector<char> unpacked = old;
        std::vector<char> wanted = old;
        for (const Piece& piece : shape.blocks) {
            std::memcpy(wanted.data() + piece.remote, array.data() + piece.remote,
                        static_cast<size_t>(piece.bytes));
        }
        armci_read_strided(unpacked.data() + shape.remote_start, levels, shape.remote_stride.data(),
                           shape.count.data(), buffer.data());
        ASSERT_TRUE(expect_same_bytes(wanted.data(), unpacked.data(), kBytes,
                                      "unpack " + shape.describe()));
    }
}

// promise: pack.walk
TEST(Pack, StrideIteratorVisitsBlocksInOrder) {
    Rng rng = rank_rng();
    for (int64_t round = 0; round < scaled(100); ++round) {
        Shape shape = random_array(rng);
        std::vector<char> array(static_cast<size_t>(kBytes));
        stride_info_t walk;
        armci_stride_info_init(&walk, array.data() + shape.remote_start,
                               static_cast<int>(shape.count.size()) - 1, shape.remote_stride.data(),
                               shape.count.data());
        EXPECT_EQ(armci_stride_info_size(&walk), static_cast<int>(shape.blocks.size()));
        for (size_t i = 0; i < shape.blocks.size(); ++i) {
            ASSERT_NE(armci_stride_info_has_more(&walk), 0);
            EXPECT_EQ(armci_stride_info_pos(&walk), static_cast<int>(i));
            EXPECT_EQ(armci_stride_info_seg_ptr(&walk), array.data() + shape.blocks[i].remote);
            EXPECT_EQ(armci_stride_info_seg_size(&walk), shape.blocks[i].bytes);
            armci_stride_info_next(&walk);
        }
        EXPECT_EQ(armci_stride_info_has_more(&walk), 0);
        armci_stride_info_destroy(&walk);
    }
}

// Source first, and overlapping ranges are allowed.
// promise: copy.overlapping
TEST(Pack, CopyMayOverlap) {
    Rng rng = rank_rng();
    for (int round = 0; round < 100; ++round) {
        std::vector<char> memory = random_bytes(rng, 3000);
        std::vector<char> expected = memory;
        const int64_t bytes = rng.between(0, 2000);
        const int64_t from = rng.between(0, 3000 - bytes);
        const int64_t to = rng.between(0, 3000 - bytes);
        std::memmove(expected.data() + to, expected.data() + from, static_cast<size_t>(bytes));
        ARMCI_Copy(memory.data() + from, memory.data() + to, static_cast<int>(bytes));
        ASSERT_TRUE(expect_same_bytes(expected.data(), memory.data(), 3000, "copy"));
    }
}

}  // namespace
}  // namespace armci::mp
