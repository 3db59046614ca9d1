// SPDX-License-Identifier: BSD-3-Clause
// The reference of the tests of src/strided: layouts computed byte by byte in the simplest way.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ostream>
#include <random>
#include <vector>

#include "strided/layout.h"

namespace armci::strided::test {

// The arguments of a strided call. Entry 0 of `count` is the block; the strides belong to
// entries 1...
struct Shape {
    std::vector<int> count;
    std::vector<int> local_stride;
    std::vector<int> remote_stride;

    int levels() const { return static_cast<int>(count.size()) - 1; }
};

inline std::ostream& operator<<(std::ostream& stream, const Shape& shape) {
    const auto print = [&stream](const char* name, const std::vector<int>& values) {
        stream << name << "{";
        for (size_t i = 0; i < values.size(); ++i) {
            stream << (i == 0 ? "" : ", ") << values[i];
        }
        stream << "} ";
    };
    print("count", shape.count);
    print("local_stride", shape.local_stride);
    print("remote_stride", shape.remote_stride);
    return stream;
}

// Offset of the n-th byte: its digits in the mixed base of the counts, times the strides.
template <class Count, class Stride>
int64_t reference_offset(int64_t n, int levels, const Count& count, const Stride& stride) {
    int64_t offset = n % count[0];
    int64_t rest = n / count[0];
    for (int i = 0; i < levels; ++i) {
        offset += rest % count[i + 1] * int64_t{stride[i]};
        rest /= count[i + 1];
    }
    return offset;
}

// The offsets of all bytes, in order.
template <class Count, class Stride>
std::vector<int64_t> reference_offsets(int levels, const Count& count, const Stride& stride) {
    int64_t total = 1;
    for (int i = 0; i <= levels; ++i) {
        total *= count[i];
    }
    std::vector<int64_t> offsets;
    for (int64_t n = 0; n < total; ++n) {
        offsets.push_back(reference_offset(n, levels, count, stride));
    }
    return offsets;
}

inline std::vector<int64_t> local_offsets(const Shape& shape) {
    return reference_offsets(shape.levels(), shape.count, shape.local_stride);
}
inline std::vector<int64_t> remote_offsets(const Shape& shape) {
    return reference_offsets(shape.levels(), shape.count, shape.remote_stride);
}
inline std::vector<int64_t> offsets_of(const Layout& layout) {
    return reference_offsets(layout.levels, layout.count, layout.stride);
}

inline LayoutStatus make_pair(const Shape& shape, PairLayout* out) {
    return strided::make_pair(shape.local_stride.data(), shape.remote_stride.data(),
                              shape.count.data(), shape.levels(), out);
}

inline PairLayout pair_of(const Shape& shape) {
    PairLayout layout;
    EXPECT_EQ(make_pair(shape, &layout), LayoutStatus::ok) << shape;
    return layout;
}

// Shapes that together meet every special case: contiguous, one level, merging on one side or both,
// counts of 1, strides that are negative, zero, shorter than the block, and not in order of size.
inline std::vector<Shape> special_shapes() {
    return {
        {{24}, {}, {}},
        {{1}, {}, {}},
        {{8, 3}, {8}, {8}},
        {{8, 3}, {16}, {8}},
        {{8, 3}, {8}, {24}},
        {{1, 7}, {2}, {3}},
        {{3, 5}, {4}, {7}},
        {{5, 4}, {-5}, {-9}},
        {{4, 4}, {0}, {4}},
        {{6, 3}, {2}, {6}},
        {{6, 3}, {-2}, {11}},
        {{2, 3, 4}, {4, 12}, {2, 6}},
        {{2, 3, 4}, {40, 5}, {3, 100}},
        {{3, 2, 2, 2}, {-7, 50, -200}, {3, 6, 12}},
        {{4, 1, 3, 1}, {100, 8, 7}, {-1, 4, 0}},
        {{1, 1, 1}, {9, 9}, {9, 9}},
        {{2, 2, 2, 2, 2}, {2, 4, 8, 16}, {3, 7, 17, 41}},
        {{16, 3}, {40}, {16}},
    };
}

inline int random_between(std::mt19937_64& random, int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
}

// A small shape; strides are drawn so that merging, overlap and reversal are all frequent.
inline Shape random_shape(std::mt19937_64& random, int max_levels = 5) {
    Shape shape;
    const int levels = random_between(random, 0, max_levels);
    shape.count.push_back(random_between(random, 1, 20));
    int64_t local_block = shape.count[0];
    int64_t remote_block = shape.count[0];
    const auto stride = [&random](int64_t block) {
        switch (random_between(random, 0, 6)) {
            case 0:
                return random_between(random, -100, 100);
            case 1:
                return 0;
            case 2:
                return static_cast<int>(-block);
            case 3:
                return static_cast<int>(block) + random_between(random, 1, 9);
            default:
                return static_cast<int>(block);
        }
    };
    for (int i = 0; i < levels; ++i) {
        const int count = random_between(random, 1, 4);
        shape.count.push_back(count);
        shape.local_stride.push_back(stride(local_block));
        shape.remote_stride.push_back(stride(remote_block));
        local_block = int64_t{shape.local_stride.back()} * count;
        remote_block = int64_t{shape.remote_stride.back()} * count;
        if (std::max(std::abs(local_block), std::abs(remote_block)) > 4000) {
            break;
        }
    }
    return shape;
}

// Memory for one side of a layout with bytes to spare around it, filled with a pattern of its own.
class SideMemory {
  public:
    SideMemory(const std::vector<int64_t>& offsets, unsigned seed, int64_t misalignment = 0) {
        int64_t low = 0;
        int64_t high = 0;
        for (const int64_t offset : offsets) {
            low = std::min(low, offset);
            high = std::max(high, offset + 1);
        }
        base_ = kSpareBytes + misalignment - low;
        bytes_.resize(static_cast<size_t>(base_ + high + kSpareBytes));
        std::mt19937_64 random(seed);
        for (unsigned char& byte : bytes_) {
            byte = static_cast<unsigned char>(random());
        }
    }

    char* base() { return reinterpret_cast<char*>(bytes_.data()) + base_; }
    unsigned char& at(int64_t offset) { return bytes_[static_cast<size_t>(base_ + offset)]; }
    const std::vector<unsigned char>& bytes() const { return bytes_; }

  private:
    static constexpr int64_t kSpareBytes =
        160;  // more than the longest piece a copier moves at once
    std::vector<unsigned char> bytes_;
    int64_t base_ = 0;
};

}  // namespace armci::strided::test
