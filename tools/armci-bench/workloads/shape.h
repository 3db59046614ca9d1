// SPDX-License-Identifier: BSD-3-Clause
// The bytes that an operation moves: contiguous blocks, repeated at nested distances on both sides.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace armci::bench {

enum class Form { contiguous, strided, vector };

struct Shape {
    Form form = Form::contiguous;
    int64_t block_bytes = 0;
    // One entry for each level of repetition, the fastest first; a vector has exactly one.
    std::vector<int64_t> repeats;
    std::vector<int64_t> local_stride_bytes;
    std::vector<int64_t> remote_stride_bytes;

    int64_t block_count() const;
    int64_t total_bytes() const { return block_bytes * block_count(); }

    // Memory from the first byte of the first block to the last byte of the last one.
    int64_t local_span_bytes() const;
    int64_t remote_span_bytes() const;

    // Whether every number can be passed through the int arguments of the C interface.
    bool fits_interface() const;

    bool operator==(const Shape&) const = default;

    // "contiguous", "2-D, 128 B x 8192", "3-D, ...", "vector, 64 B x 1000".
    std::string describe() const;
};

Shape contiguous_shape(int64_t bytes);

// A patch of a `dims`-dimensional array, of about total_bytes in blocks of block_bytes: the
// repetitions are distributed evenly over dims - 1 levels and rounded down, so that the shape's own
// total_bytes() may be smaller. The distance between blocks is stride_factor blocks (1: dense); the
// local side is dense if local_dense. total_bytes >= block_bytes; in one dimension they are equal.
Shape strided_shape(int64_t total_bytes, int64_t block_bytes, int dims, int64_t stride_factor,
                    bool local_dense);

// `count` blocks of block_bytes, spaced like the rows of a strided shape.
Shape vector_shape(int64_t count, int64_t block_bytes, int64_t stride_factor, bool local_dense);

// Calls visit(local_offset, remote_offset) for every block, level 0 running fastest.
template <typename Visit>
void for_each_block(const Shape& shape, Visit visit) {
    const size_t levels = shape.repeats.size();
    if (levels == 0) {
        visit(int64_t{0}, int64_t{0});
        return;
    }
    const int64_t row_count = shape.repeats[0];
    const int64_t local_stride = shape.local_stride_bytes[0];
    const int64_t remote_stride = shape.remote_stride_bytes[0];
    std::vector<int64_t> index(levels, 0);
    int64_t local_offset = 0;
    int64_t remote_offset = 0;
    for (;;) {
        for (int64_t row = 0; row < row_count; row++) {
            visit(local_offset + row * local_stride, remote_offset + row * remote_stride);
        }
        size_t level = 1;
        for (; level < levels; level++) {
            local_offset += shape.local_stride_bytes[level];
            remote_offset += shape.remote_stride_bytes[level];
            if (++index[level] < shape.repeats[level]) {
                break;
            }
            local_offset -= shape.local_stride_bytes[level] * shape.repeats[level];
            remote_offset -= shape.remote_stride_bytes[level] * shape.repeats[level];
            index[level] = 0;
        }
        if (level == levels) {
            return;
        }
    }
}

}  // namespace armci::bench
