// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/shape.h"

#include "armci-bench/numbers/quantity.h"

#include <algorithm>
#include <limits>

namespace armci::bench {

namespace {

int64_t power(int64_t base, int exponent) {
    int64_t result = 1;
    for (int i = 0; i < exponent; i++) {
        result *= base;
    }
    return result;
}

// The largest r >= 1 with r^degree <= value. Searched upwards: value is at most the number of
// blocks in a transfer, and the loop needs only its root many steps.
int64_t integer_root(int64_t value, int degree) {
    if (degree == 1) {
        return value;
    }
    int64_t root = 1;
    while (power(root + 1, degree) <= value) {
        root++;
    }
    return root;
}

// Distances between repetitions. Outer levels leave one row free, so that no level is contiguous
// with the one below and the shape keeps its number of dimensions.
std::vector<int64_t> make_strides(int64_t block_bytes, const std::vector<int64_t>& repeats,
                                  int64_t factor) {
    std::vector<int64_t> strides;
    int64_t stride = block_bytes * factor;
    for (int64_t count : repeats) {
        strides.push_back(stride);
        stride *= factor == 1 ? count : count + 1;
    }
    return strides;
}

int64_t span_bytes(const Shape& shape, const std::vector<int64_t>& strides) {
    int64_t span = shape.block_bytes;
    for (size_t level = 0; level < strides.size(); level++) {
        span += strides[level] * (shape.repeats[level] - 1);
    }
    return span;
}

bool fits_int(int64_t value) {
    return value <= std::numeric_limits<int>::max();
}

}  // namespace

int64_t Shape::block_count() const {
    int64_t count = 1;
    for (int64_t repeat : repeats) {
        count *= repeat;
    }
    return count;
}

int64_t Shape::local_span_bytes() const {
    return span_bytes(*this, local_stride_bytes);
}

int64_t Shape::remote_span_bytes() const {
    return span_bytes(*this, remote_stride_bytes);
}

bool Shape::fits_interface() const {
    return fits_int(block_bytes) && std::all_of(repeats.begin(), repeats.end(), fits_int) &&
           std::all_of(local_stride_bytes.begin(), local_stride_bytes.end(), fits_int) &&
           std::all_of(remote_stride_bytes.begin(), remote_stride_bytes.end(), fits_int);
}

std::string Shape::describe() const {
    const std::string blocks = format_bytes(block_bytes) + " x " + std::to_string(block_count());
    switch (form) {
        case Form::contiguous:
            return "contiguous";
        case Form::strided:
            return std::to_string(repeats.size() + 1) + "-D, " + blocks;
        case Form::vector:
            return "vector, " + blocks;
    }
    return "";
}

Shape contiguous_shape(int64_t bytes) {
    Shape shape;
    shape.block_bytes = bytes;
    return shape;
}

Shape strided_shape(int64_t total_bytes, int64_t block_bytes, int dims, int64_t stride_factor,
                    bool local_dense) {
    Shape shape;
    shape.form = Form::strided;
    shape.block_bytes = block_bytes;
    int64_t blocks_left = total_bytes / block_bytes;
    for (int levels_left = dims - 1; levels_left > 0; levels_left--) {
        const int64_t count = integer_root(blocks_left, levels_left);
        shape.repeats.push_back(count);
        blocks_left /= count;
    }
    // The last level takes the remainder of the rounding; rows are the longest if it is in front.
    std::reverse(shape.repeats.begin(), shape.repeats.end());
    shape.local_stride_bytes =
        make_strides(block_bytes, shape.repeats, local_dense ? 1 : stride_factor);
    shape.remote_stride_bytes = make_strides(block_bytes, shape.repeats, stride_factor);
    return shape;
}

Shape vector_shape(int64_t count, int64_t block_bytes, int64_t stride_factor, bool local_dense) {
    Shape shape =
        strided_shape(count * block_bytes, block_bytes, /*dims=*/2, stride_factor, local_dense);
    shape.form = Form::vector;
    return shape;
}

}  // namespace armci::bench
