// SPDX-License-Identifier: BSD-3-Clause
#include "pieces.h"

#include <algorithm>
#include <cstdlib>

namespace armci::python {
namespace {

/** Adds the piece, or several in its place where one of its numbers is above largest. */
void add(Piece piece, int64_t item_bytes, int64_t largest, std::vector<Piece>& pieces) {
    if (piece.bytes > largest) {
        // A longer block is blocks of a length that fits, and what remains.
        const int64_t part = std::max(largest / item_bytes, int64_t{1}) * item_bytes;
        const int64_t whole = piece.bytes / part;
        Piece rest = piece;
        rest.bytes = piece.bytes % part;
        rest.local_offset += whole * part;
        rest.remote_offset += whole * part;
        piece.bytes = part;
        if (whole > 1) {
            piece.levels.push_front({whole, part, part});
        }
        add(std::move(piece), item_bytes, largest, pieces);
        if (rest.bytes > 0) {
            add(std::move(rest), item_bytes, largest, pieces);
        }
        return;
    }
    for (size_t i = 0; i < piece.levels.size(); ++i) {
        const Level level = piece.levels[i];
        const bool has_far_steps =
            std::max(std::abs(level.local_stride), std::abs(level.remote_stride)) > largest;
        if (!has_far_steps && level.count <= largest) {
            continue;
        }
        const int64_t at_once = has_far_steps ? 1 : largest;
        for (int64_t done = 0; done < level.count; done += at_once) {
            Piece part = piece;
            part.local_offset += done * level.local_stride;
            part.remote_offset += done * level.remote_stride;
            part.levels[i].count = std::min(at_once, level.count - done);
            if (part.levels[i].count == 1) {
                part.levels.erase(i);
            }
            add(std::move(part), item_bytes, largest, pieces);
        }
        return;
    }
    pieces.push_back(std::move(piece));
}

/** Adds a level, to the block or to the last level where it continues that on both sides. */
void wrap(Piece& piece, Level level) {
    if (level.count == 1) {
        return;
    }
    if (piece.levels.empty()) {
        if (level.local_stride == piece.bytes && level.remote_stride == piece.bytes) {
            piece.bytes *= level.count;
            return;
        }
    } else {
        Level& last = piece.levels.back();
        if (level.local_stride == last.count * last.local_stride &&
            level.remote_stride == last.count * last.remote_stride) {
            last.count *= level.count;
            return;
        }
    }
    piece.levels.push_back(level);
}

}  // namespace

int64_t Grid::first_of(size_t dimension, int64_t block) const {
    const int64_t n = shape_[dimension];
    const int64_t p = blocks_[dimension];
    return block * (n / p) + std::min(block, n % p);
}

int64_t Grid::block_of(size_t dimension, int64_t element) const {
    const int64_t n = shape_[dimension];
    const int64_t p = blocks_[dimension];
    const int64_t in_long_blocks = (n % p) * (n / p + 1);
    return element < in_long_blocks ? element / (n / p + 1)
                                    : n % p + (element - in_long_blocks) / (n / p);
}

int Grid::owner_of(const Few<Steps>& element) const {
    int64_t rank = 0;
    for (size_t d = 0; d < shape_.size(); ++d) {
        rank = rank * blocks_[d] + block_of(d, element[d].first);
    }
    return static_cast<int>(rank);
}

std::vector<Piece> Grid::pieces(Few<Steps> region, Few<int64_t> local_strides,
                                int64_t largest) const {
    const size_t dimensions = shape_.size();
    std::vector<Piece> pieces;
    int64_t offset = 0;
    Few<int64_t> low(dimensions), high(dimensions);
    for (size_t d = 0; d < dimensions; ++d) {
        Steps& steps = region[d];
        if (steps.count == 0) {
            return pieces;
        }
        if (steps.step < 0) {  // the same elements, forward
            steps.first += (steps.count - 1) * steps.step;
            offset += (steps.count - 1) * local_strides[d];
            steps.step = -steps.step;
            local_strides[d] = -local_strides[d];
        }
        low[d] = block_of(d, steps.first);
        high[d] = block_of(d, steps.first + (steps.count - 1) * steps.step);
    }
    for (Few<int64_t> block = low;;) {
        Piece piece{0, offset, 0, item_bytes_, {}};
        int64_t remote_stride = item_bytes_;
        int64_t ranks_below = 1;
        bool is_empty = false;
        for (size_t d = dimensions; d-- > 0;) {
            const Steps& steps = region[d];
            const int64_t begin = first_of(d, block[d]);
            const int64_t end = first_of(d, block[d] + 1);
            const int64_t skipped =
                begin > steps.first ? (begin - steps.first + steps.step - 1) / steps.step : 0;
            const int64_t until = std::min(steps.count, (end - 1 - steps.first) / steps.step + 1);
            is_empty = is_empty || until <= skipped;
            piece.rank += static_cast<int>(block[d] * ranks_below);
            piece.local_offset += skipped * local_strides[d];
            piece.remote_offset += (steps.first + skipped * steps.step - begin) * remote_stride;
            wrap(piece, {until - skipped, local_strides[d], steps.step * remote_stride});
            ranks_below *= blocks_[d];
            remote_stride *= end - begin;
        }
        if (!is_empty) {
            add(std::move(piece), item_bytes_, largest, pieces);
        }
        size_t d = dimensions;
        while (d > 0 && block[d - 1] == high[d - 1]) {
            block[d - 1] = low[d - 1];
            --d;
        }
        if (d == 0) {
            return pieces;
        }
        ++block[d - 1];
    }
}

}  // namespace armci::python
