// SPDX-License-Identifier: BSD-3-Clause
#include "check/rows.h"

#include <algorithm>
#include <cstdlib>

namespace armci::check {
namespace {

// Returns the bytes that a block [begin, end) shares with a block of the row, or an empty range.
Bytes common_with_block(uint64_t begin, uint64_t end, const Row& row) {
    if (begin >= row.end() || end <= row.begin) {
        return {};
    }
    if (row.block_count == 1) {
        return {std::max(begin, row.begin), std::min(end, row.end())};
    }
    // Among the blocks that begin before `end`, the last one reaches farthest.
    const auto last = std::min<int64_t>(row.block_count - 1,
                                        static_cast<int64_t>(end - 1 - row.begin) / row.stride);
    const uint64_t block = row.begin + static_cast<uint64_t>(last * row.stride);
    const uint64_t block_end = block + static_cast<uint64_t>(row.block_bytes);
    return block_end > begin ? Bytes{std::max(begin, block), std::min(end, block_end)} : Bytes{};
}

template <class Visit>
void for_each_row(const pipeline::Transfer& transfer, bool local, Visit&& visit) {
    const int64_t block_bytes = transfer.sides.block_bytes();
    transfer.sides.for_each_row([&](const strided::PairRow& row) {
        visit(make_row(reinterpret_cast<uint64_t>(local ? row.local : row.remote), block_bytes,
                       local ? row.local_stride : row.remote_stride, row.block_count));
    });
}

std::vector<Row> rows_of(const pipeline::Transfer& transfer, bool local) {
    std::vector<Row> rows;
    for_each_row(transfer, local, [&](const Row& row) { rows.push_back(row); });
    return rows;
}

// Returns what the first two blocks share.
Bytes common_with_next(uint64_t begin, int64_t block_bytes, int64_t stride) {
    const uint64_t next = begin + static_cast<uint64_t>(stride);
    return {std::max(begin, next), std::min(begin, next) + static_cast<uint64_t>(block_bytes)};
}

Bytes extent_with(const Bytes& extent, const Row& row) {
    return extent.is_empty()
               ? Bytes{row.begin, row.end()}
               : Bytes{std::min(extent.begin, row.begin), std::max(extent.end, row.end())};
}

}  // namespace

Row make_row(uint64_t begin, int64_t block_bytes, int64_t stride, int64_t block_count) {
    if (block_count == 1 || stride == 0) {
        return {begin, block_bytes, 0, 1};
    }
    if (stride < 0) {
        begin += static_cast<uint64_t>((block_count - 1) * stride);
        stride = -stride;
    }
    if (stride == block_bytes) {
        return {begin, block_bytes * block_count, 0, 1};
    }
    return {begin, block_bytes, stride, block_count};
}

Bytes common_bytes(const Row& a, const Row& b) {
    if (a.begin >= b.end() || b.begin >= a.end()) {
        return {};
    }
    if (a.stride == b.stride && a.stride > 0) {
        const auto stride = static_cast<uint64_t>(a.stride);
        const uint64_t shift = b.begin > a.begin ? (b.begin - a.begin) % stride
                                                 : (stride - (a.begin - b.begin) % stride) % stride;
        if (shift >= static_cast<uint64_t>(a.block_bytes) &&
            shift + static_cast<uint64_t>(b.block_bytes) <= stride) {
            return {};  // the blocks of one lie between those of the other
        }
    }
    const Row& few = a.block_count <= b.block_count ? a : b;
    const Row& many = a.block_count <= b.block_count ? b : a;
    uint64_t block = few.begin;
    for (int64_t i = 0; i < few.block_count; ++i, block += static_cast<uint64_t>(few.stride)) {
        const Bytes common =
            common_with_block(block, block + static_cast<uint64_t>(few.block_bytes), many);
        if (!common.is_empty()) {
            return common;
        }
    }
    return {};
}

Bytes common_bytes(const std::vector<Row>& a, const std::vector<Row>& b, int64_t* work) {
    for (const Row& one : a) {
        for (const Row& other : b) {
            *work -= std::min(one.block_count, other.block_count);
            if (*work < 0) {
                return {};
            }
            const Bytes common = common_bytes(one, other);
            if (!common.is_empty()) {
                return common;
            }
        }
    }
    return {};
}

int64_t row_count(const pipeline::Transfer& transfer) {
    return transfer.sides.row_count();
}

std::vector<Row> local_rows(const pipeline::Transfer& transfer) {
    return rows_of(transfer, true);
}

std::vector<Row> remote_rows(const pipeline::Transfer& transfer) {
    return rows_of(transfer, false);
}

Bytes repeated_bytes(const pipeline::Transfer& transfer, Side side, int64_t* work) {
    std::vector<Row> rows;
    Bytes repeated;
    const int64_t block_bytes = transfer.sides.block_bytes();
    transfer.sides.for_each_row([&](const strided::PairRow& row) {
        const bool local = side == Side::local;
        const auto begin = reinterpret_cast<uint64_t>(local ? row.local : row.remote);
        const int64_t stride = local ? row.local_stride : row.remote_stride;
        if (row.block_count > 1 && std::abs(stride) < block_bytes) {
            repeated = common_with_next(begin, block_bytes, stride);
        }
        rows.push_back(make_row(begin, block_bytes, stride, row.block_count));
    });
    if (!repeated.is_empty()) {
        return repeated;
    }
    std::sort(rows.begin(), rows.end(),
              [](const Row& a, const Row& b) { return a.begin < b.begin; });
    for (size_t i = 0; i < rows.size(); ++i) {
        for (size_t k = i + 1; k < rows.size() && rows[k].begin < rows[i].end(); ++k) {
            *work -= rows[i].stride == rows[k].stride
                         ? 1
                         : std::min(rows[i].block_count, rows[k].block_count);
            if (*work < 0) {
                return {};
            }
            repeated = common_bytes(rows[i], rows[k]);
            if (!repeated.is_empty()) {
                return repeated;
            }
        }
    }
    return {};
}

Bytes extent_of(const std::vector<Row>& rows) {
    Bytes extent;
    for (const Row& row : rows) {
        extent = extent_with(extent, row);
    }
    return extent;
}

Bytes local_extent(const pipeline::Transfer& transfer) {
    Bytes extent;
    for_each_row(transfer, true, [&](const Row& row) { extent = extent_with(extent, row); });
    return extent;
}

}  // namespace armci::check
