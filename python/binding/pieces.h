// SPDX-License-Identifier: BSD-3-Clause
// What a region of a distributed array is for each of its owners: one strided transfer.
//
// An array of n elements in a dimension is cut into the grid's p blocks there: the first n % p have
// n / p + 1 elements, the others n / p. The blocks belong to ranks 0, 1, ... of a group in the
// order of C, where the last dimension changes fastest. Each owner keeps its block in the order of
// C.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "few.h"

namespace armci::python {

using Numbers = std::vector<int64_t>;

/** The elements first, first + step, ... of a dimension; the step may be negative. */
struct Steps {
    int64_t first;
    int64_t step;
    int64_t count;
};

/** A level of a strided transfer: how often it repeats what is below, and at which distances. */
struct Level {
    int64_t count;
    int64_t local_stride;
    int64_t remote_stride;
};

/** A strided transfer whose counts and strides fit the arguments of ARMCI. The inner levels first.
 */
struct Piece {
    int rank;  // of the array's group
    int64_t local_offset;
    int64_t remote_offset;
    int64_t bytes;  // of a block
    Few<Level> levels;
};

class Grid {
  public:
    /** Both have one number for each dimension: elements, and blocks (at least one). */
    Grid(Numbers shape, Numbers blocks, int64_t item_bytes)
        : shape_(std::move(shape)), blocks_(std::move(blocks)), item_bytes_(item_bytes) {}

    [[nodiscard]] const Numbers& shape() const { return shape_; }
    [[nodiscard]] const Numbers& blocks() const { return blocks_; }
    [[nodiscard]] int64_t item_bytes() const { return item_bytes_; }

    /** First element of block number `block` of a dimension; block == blocks()[d] gives the end. */
    [[nodiscard]] int64_t first_of(size_t dimension, int64_t block) const;

    /** The block that an element of a dimension is in. */
    [[nodiscard]] int64_t block_of(size_t dimension, int64_t element) const;

    /** The rank that owns an element, which is a region. */
    [[nodiscard]] int owner_of(const Few<Steps>& element) const;

    /**
     * The pieces of a region, given for all dimensions. local_strides are the bytes between
     * neighbours of the region in local memory, whose offset 0 is the region's first element.
     * No number of a piece is above `largest`.
     */
    [[nodiscard]] std::vector<Piece> pieces(Few<Steps> region, Few<int64_t> local_strides,
                                            int64_t largest) const;

  private:
    Numbers shape_;
    Numbers blocks_;
    int64_t item_bytes_;
};

}  // namespace armci::python
