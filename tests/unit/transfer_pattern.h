// SPDX-License-Identifier: BSD-3-Clause
// Transfers for tests of the pipeline: where the blocks are on both sides, drawn at random, and in
// the simplest way what a transfer of them does.
#pragma once

#include <cstdint>
#include <cstring>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "pipeline/costs/transfer.h"

namespace armci::test {

using Random = std::mt19937_64;

inline int64_t draw(Random& random, int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

// Offsets of one block, from the start of each memory.
struct Block {
    int64_t local;
    int64_t remote;
};

// Blocks of equal length that do not overlap. Strided ones are the nested loops of count and stride
// (level 1 blocks fastest), a vector has its blocks in any order.
struct Pattern {
    bool is_vector = false;
    int64_t block_bytes = 0;
    std::vector<int> count;  // strided: count[0] is block_bytes
    std::vector<int> local_stride;
    std::vector<int> remote_stride;
    std::vector<Block> blocks;  // all of them, in the transfer's order

    int64_t total_bytes() const { return block_bytes * static_cast<int64_t>(blocks.size()); }
    // The first offset beyond all blocks.
    int64_t local_end() const;
    int64_t remote_end() const;
    // The same blocks at larger offsets.
    Pattern shifted(int64_t local_bytes, int64_t remote_bytes) const;
};

std::ostream& operator<<(std::ostream& out, const Pattern& pattern);

// `levels` nested loops around blocks of that length, of about that many bytes in total; every
// offset and gap is a multiple of unit_bytes.
Pattern strided_pattern(Random& random, int levels, int64_t block_bytes, int64_t total_bytes,
                        int64_t unit_bytes);
Pattern vector_pattern(Random& random, int64_t block_bytes, int64_t total_bytes,
                       int64_t unit_bytes);
// Blocks of that length, which begin so many bytes apart on each side.
Pattern spaced_pattern(int64_t block_bytes, int64_t count, int64_t local_stride,
                       int64_t remote_stride);
// One block of exactly that length.
Pattern contiguous_pattern(int64_t bytes, int64_t local, int64_t remote);

// What to do with a pattern. For accumulate: of which type, and scaled by `factor`.
struct Operation {
    base::OpKind kind = base::OpKind::put;
    strided::AccType type = strided::AccType::int32;
    int factor = 1;
};
std::string describe(const Operation& operation);

// Blocks, offsets and gaps should be multiples of so many bytes.
int64_t unit_bytes(const Operation& operation);
int64_t element_bytes(const Operation& operation);

// The transfer between memory that begins at these addresses. It owns what it refers to.
pipeline::Transfer make_transfer(const Operation& operation, const Pattern& pattern, char* local,
                                 char* remote);
// Does what the transfer has to do, byte by byte or element by element.
void apply(const Operation& operation, const Pattern& pattern, char* local, char* remote);

// Memory of one side, with its expected contents.
void fill(Random& random, strided::AccType type, char* memory, int64_t bytes);
// Whether they agree. If not, adds one failure that names the place.
bool expect_equal(const std::vector<char>& expected, const char* actual, const char* side);

}  // namespace armci::test
