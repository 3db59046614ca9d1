// SPDX-License-Identifier: BSD-3-Clause
// Cursors: a cursor is a position in a layout that can start and stop at any byte and yields the
// memory there.
//
// A cursor belongs to one thread at a time. It touches only its own memory (and, for vectors, the
// address array), so it may walk through memory that is not mapped here.
// docs/references.md: Träff 1999, Ross 2003
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "strided/address_at.h"
#include "strided/layout.h"
#include "strided/side.h"

namespace armci::strided {

struct Block {
    char* data;
    int64_t bytes;
};

// Blocks of one length, `stride` bytes apart.
struct Row {
    char* data;
    int64_t block_bytes;
    int64_t stride;
    int64_t block_count;
};

class StridedCursor {
  public:
    StridedCursor() { layout_.count[0] = 0; }

    // Copies the layout, which must come from the builders in layout.h or have passed validate(). A
    // canonical layout is walked fastest; others are permitted.
    StridedCursor(void* base, const Layout& layout)
        : base_(static_cast<char*>(base)), total_bytes_(strided::total_bytes(layout)) {
        layout_.levels = layout.levels;
        layout_.count[0] = layout.count[0];
        for (int i = 0; i < layout.levels; ++i) {
            layout_.count[i + 1] = layout.count[i + 1];
            layout_.stride[i] = layout.stride[i];
            index_[i] = 0;
        }
    }

    int64_t position() const { return position_; }
    int64_t remaining() const { return total_bytes_ - position_; }
    int64_t block_bytes() const { return layout_.count[0]; }
    bool is_at_block_start() const { return in_block_ == 0; }
    // Return the next byte, if there is one, and the distance of level-1 blocks.
    char* data() const { return offset_by(base_, block_offset_ + in_block_); }
    int64_t left_in_block() const { return std::min(layout_.count[0] - in_block_, remaining()); }
    int64_t stride() const { return layout_.levels == 0 ? 0 : layout_.stride[0]; }

    // Moves to a byte, 0 <= position_bytes <= total. The cost depends only on the number of levels.
    void seek(int64_t position_bytes) {
        assert(position_bytes >= 0 && position_bytes <= total_bytes_);
        position_ = position_bytes;
        in_block_ = 0;
        block_offset_ = 0;
        if (total_bytes_ == 0) {
            return;
        }
        int64_t rest = position_bytes / layout_.count[0];
        in_block_ = position_bytes % layout_.count[0];
        for (int i = 0; i < layout_.levels; ++i) {
            index_[i] = rest % layout_.count[i + 1];
            rest /= layout_.count[i + 1];
            block_offset_ += index_[i] * layout_.stride[i];
        }
    }

    // Returns the next bytes, at most max_bytes and never past the end of the current block.
    // Returns zero bytes only at the end, or if max_bytes is not positive.
    Block next(int64_t max_bytes) {
        const int64_t bytes = std::min({max_bytes, layout_.count[0] - in_block_, remaining()});
        const Block block = {data(), std::max<int64_t>(bytes, 0)};
        position_ += block.bytes;
        in_block_ += block.bytes;
        if (in_block_ == layout_.count[0]) {
            in_block_ = 0;
            advance_blocks(1);
        }
        return block;
    }

    // Returns the next bytes, at most max_bytes: whole blocks of one row, or a part of one block.
    // Returns no blocks at the end, or if max_bytes is not positive.
    Row next_row(int64_t max_bytes) {
        const int64_t whole =
            layout_.count[0] > 0 ? std::min(max_bytes, remaining()) / layout_.count[0] : 0;
        if (in_block_ != 0 || whole <= 0) {
            const Block block = next(max_bytes);
            return {block.data, block.bytes, 0, block.bytes > 0 ? 1 : 0};
        }
        const int64_t left = layout_.levels == 0 ? 1 : layout_.count[1] - index_[0];
        const Row row = {data(), layout_.count[0], stride(), std::min(whole, left)};
        position_ += row.block_count * row.block_bytes;
        advance_blocks(row.block_count);
        return row;
    }

    // Calls visit(char* block) for the next `count` whole blocks, in order. There must be that
    // many, and the cursor must be at the start of a block.
    template <class Visitor>
    void visit_blocks(int64_t count, Visitor&& visit) {
        assert(is_at_block_start() && count <= remaining() / std::max<int64_t>(block_bytes(), 1));
        position_ += count * layout_.count[0];
        while (count > 0) {
            const int64_t row_length = layout_.levels == 0 ? 1 : layout_.count[1] - index_[0];
            const int64_t visited = std::min(count, row_length);
            char* block = data();
            const int64_t step = stride();
            for (int64_t i = 0; i < visited; ++i) {
                visit(block);
                block = offset_by(block, step);
            }
            advance_blocks(visited);
            count -= visited;
        }
    }

  private:
    // Passes `blocks` blocks, which must not lead past the end of the level-1 row. At that end the
    // carry goes upwards, and from the end of the layout back to its start (where remaining() is
    // zero and stops next()).
    void advance_blocks(int64_t blocks) {
        for (int i = 0; i < layout_.levels; ++i) {
            if (index_[i] + blocks < layout_.count[i + 1]) {
                index_[i] += blocks;
                block_offset_ += blocks * layout_.stride[i];
                return;
            }
            block_offset_ -= index_[i] * layout_.stride[i];
            index_[i] = 0;
            blocks = 1;
        }
    }

    char* base_ = nullptr;
    int64_t total_bytes_ = 0;
    int64_t position_ = 0;
    int64_t in_block_ = 0;      // bytes of the current block already passed
    int64_t block_offset_ = 0;  // offset of the current block from base_
    Layout layout_;
    int64_t index_[kMaxLevels];  // current repetition of each level
};

// Walks through blocks of one length at the addresses of an array. The array may have any alignment
// (it may lie in a message) and must outlive the cursor. segment_count * segment_bytes must fit
// int64_t.
class VectorCursor {
  public:
    VectorCursor() = default;
    VectorCursor(const uint64_t* addresses, int64_t segment_count, int64_t segment_bytes)
        : addresses_(addresses),
          segment_bytes_(segment_bytes),
          total_bytes_(segment_count * segment_bytes) {}

    int64_t position() const { return position_; }
    int64_t remaining() const { return total_bytes_ - position_; }
    int64_t block_bytes() const { return segment_bytes_; }
    bool is_at_block_start() const { return in_segment_ == 0; }
    // Returns the next byte, if there is one. Blocks of a vector have no common distance.
    char* data() const { return offset_by(segment_at(segment_), in_segment_); }
    int64_t left_in_block() const { return std::min(segment_bytes_ - in_segment_, remaining()); }
    static int64_t stride() { return 0; }

    void seek(int64_t position_bytes) {
        assert(position_bytes >= 0 && position_bytes <= total_bytes_);
        if (total_bytes_ == 0) {
            return;
        }
        position_ = position_bytes;
        segment_ = position_bytes / segment_bytes_;
        in_segment_ = position_bytes % segment_bytes_;
    }

    Block next(int64_t max_bytes) {
        const int64_t bytes = std::min({max_bytes, segment_bytes_ - in_segment_, remaining()});
        if (bytes <= 0) {
            return {nullptr, 0};
        }
        const Block block = {data(), bytes};
        position_ += bytes;
        in_segment_ += bytes;
        if (in_segment_ == segment_bytes_) {
            in_segment_ = 0;
            ++segment_;
        }
        return block;
    }

    // Returns the next row; blocks at equal distances form one row.
    Row next_row(int64_t max_bytes) {
        const int64_t bytes = std::min(max_bytes, remaining());
        if (in_segment_ != 0 || bytes <= 0 || bytes - segment_bytes_ < segment_bytes_) {
            const Block block = next(max_bytes);
            return {block.data, block.bytes, 0, block.bytes > 0 ? 1 : 0};
        }
        const int64_t max = bytes / segment_bytes_;
        char* const first = segment_at(segment_);
        char* last = segment_at(segment_ + 1);
        const int64_t distance = distance_between(first, last);
        int64_t count = 2;
        for (; count < max; ++count) {
            char* const after = segment_at(segment_ + count);
            if (distance_between(last, after) != distance) {
                break;
            }
            last = after;
        }
        segment_ += count;
        position_ += count * segment_bytes_;
        return {first, segment_bytes_, distance, count};
    }

    template <class Visitor>
    void visit_blocks(int64_t count, Visitor&& visit) {
        assert(is_at_block_start() && count <= remaining() / std::max<int64_t>(block_bytes(), 1));
        const int64_t end = segment_ + count;
        for (int64_t i = segment_; i < end; ++i) {
            visit(segment_at(i));
        }
        segment_ = end;
        position_ += count * segment_bytes_;
    }

    // Passes `count` whole blocks and returns where their addresses are. There must be that many,
    // and the cursor must be at the start of a block.
    const uint64_t* next_addresses(int64_t count) {
        assert(is_at_block_start() && count <= remaining() / std::max<int64_t>(block_bytes(), 1));
        const uint64_t* first = addresses_ + segment_;
        segment_ += count;
        position_ += count * segment_bytes_;
        return first;
    }

  private:
    // The distance is modulo 2^64, and offset_by() adds it in the same way.
    static int64_t distance_between(const char* from, const char* to) {
        return static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) -
                                    reinterpret_cast<uintptr_t>(from));
    }

    char* segment_at(int64_t index) const {
        return reinterpret_cast<char*>(address_at(addresses_, index));
    }

    const uint64_t* addresses_ = nullptr;
    int64_t segment_bytes_ = 0;
    int64_t total_bytes_ = 0;
    int64_t position_ = 0;
    int64_t segment_ = 0;
    int64_t in_segment_ = 0;
};

// A Cursor is a position in a side of either kind. visit() distinguishes the kinds once, for
// everything that a visitor does with its cursor.
class Cursor {
  public:
    Cursor() = default;
    explicit Cursor(const Side& side) {
        if (const auto* vector = std::get_if<VectorSide>(&side)) {
            kind_.emplace<VectorCursor>(vector->addresses, vector->block_count,
                                        vector->block_bytes);
        } else {
            const auto& strided = *std::get_if<StridedSide>(&side);
            kind_.emplace<StridedCursor>(reinterpret_cast<void*>(strided.base), strided.layout);
        }
    }

    // Calls visitor(StridedCursor&) or visitor(VectorCursor&) and returns what it returns.
    template <class Visitor>
    decltype(auto) visit(Visitor&& visitor) {
        return std::visit(visitor, kind_);
    }
    template <class Visitor>
    decltype(auto) visit(Visitor&& visitor) const {
        return std::visit(visitor, kind_);
    }

    int64_t position() const {
        return visit([](const auto& cursor) { return cursor.position(); });
    }
    void seek(int64_t position_bytes) {
        visit([&](auto& cursor) { cursor.seek(position_bytes); });
    }
    // Returns what is left of the block at this position; no bytes at the end.
    Block rest_of_block() const {
        return visit([](const auto& cursor) {
            const int64_t bytes = cursor.left_in_block();
            return Block{bytes > 0 ? cursor.data() : nullptr, bytes};
        });
    }
    // Does what next_row() of the two kinds does. For a long walk, visit() them instead.
    Row next_row(int64_t max_bytes) {
        return visit([&](auto& cursor) { return cursor.next_row(max_bytes); });
    }

  private:
    std::variant<StridedCursor, VectorCursor> kind_;
};

}  // namespace armci::strided
