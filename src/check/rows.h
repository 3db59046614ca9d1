// SPDX-License-Identifier: BSD-3-Clause
// The bytes that a transfer touches, as rows of equal blocks. They are exact, so transfers of
// interleaved columns do not count as overlapping.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/costs/transfer.h"

namespace armci::check {

// A Row has `block_count` blocks of `block_bytes`, `stride` > 0 bytes apart; the stride of a single
// block is 0. Ranks send rows to each other in this form.
struct Row {
    uint64_t begin = 0;
    int64_t block_bytes = 0;
    int64_t stride = 0;
    int64_t block_count = 0;

    bool operator==(const Row&) const = default;
    uint64_t end() const {
        return begin + static_cast<uint64_t>((block_count - 1) * stride + block_bytes);
    }
};

struct Bytes {
    uint64_t begin = 0;
    uint64_t end = 0;

    bool overlaps(const Bytes& other) const { return begin < other.end && other.begin < end; }
    bool is_empty() const { return begin >= end; }
};

// Returns the row for the blocks of any layout. Strides may be negative or without effect, and
// blocks may follow each other without a gap.
Row make_row(uint64_t begin, int64_t block_bytes, int64_t stride, int64_t block_count);

// Returns the first bytes that both rows have, or an empty range.
Bytes common_bytes(const Row& a, const Row& b);
// Returns the first bytes that any two rows of these have. *work is how many blocks may still be
// examined; it is below zero afterwards if that was not enough.
inline constexpr int64_t kMaxWork = 1 << 20;  // for one call: some milliseconds
Bytes common_bytes(const std::vector<Row>& a, const std::vector<Row>& b, int64_t* work);

// Return the rows of a side of a transfer, in any order, or only their number, without making them.
int64_t row_count(const pipeline::Transfer& transfer);
std::vector<Row> local_rows(const pipeline::Transfer& transfer);
std::vector<Row> remote_rows(const pipeline::Transfer& transfer);
// Returns the first bytes found that two blocks of that side have, or an empty range; *work as
// above.
enum class Side : bool { local, remote };
Bytes repeated_bytes(const pipeline::Transfer& transfer, Side side, int64_t* work);
// Returns the smallest range around them.
Bytes extent_of(const std::vector<Row>& rows);
// Returns the same for the local side of a transfer, without making a list.
Bytes local_extent(const pipeline::Transfer& transfer);

}  // namespace armci::check
