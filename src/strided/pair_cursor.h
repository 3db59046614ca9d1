// SPDX-License-Identifier: BSD-3-Clause
// A position in both sides of a transfer, for blocks that are copied directly from one to the
// other. It stops at any byte and yields the memory there on each side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <variant>

#include "strided/sides.h"

namespace armci::strided {

struct PairBlock {
    char* local;
    uint64_t remote;
    int64_t bytes;
};

class StridedPairCursor {
  public:
    explicit StridedPairCursor(const StridedSides& sides) : sides_(&sides) {}

    int64_t position() const { return position_; }

    // Returns the next bytes, at most max_bytes and never past the end of the current block. There
    // must be at least one, and max_bytes must be positive.
    PairBlock next(int64_t max_bytes) {
        const int64_t left = sides_->layout.count[0] - in_block_;
        const PairBlock block{offset_by(sides_->local, local_offset_ + in_block_),
                              sides_->remote + static_cast<uint64_t>(remote_offset_ + in_block_),
                              std::min(left, max_bytes)};
        position_ += block.bytes;
        in_block_ += block.bytes;
        if (block.bytes == left) {
            in_block_ = 0;
            advance_block();
        }
        return block;
    }

    void seek(int64_t position_bytes) {
        const PairLayout& layout = sides_->layout;
        position_ = position_bytes;
        in_block_ = position_bytes % layout.count[0];
        int64_t rest = position_bytes / layout.count[0];
        local_offset_ = 0;
        remote_offset_ = 0;
        for (int level = 0; level < layout.levels; ++level) {
            index_[level] = rest % layout.count[level + 1];
            rest /= layout.count[level + 1];
            local_offset_ += index_[level] * layout.local_stride[level];
            remote_offset_ += index_[level] * layout.remote_stride[level];
        }
    }

  private:
    void advance_block() {
        const PairLayout& layout = sides_->layout;
        for (int level = 0; level < layout.levels; ++level) {
            if (++index_[level] < layout.count[level + 1]) {
                local_offset_ += layout.local_stride[level];
                remote_offset_ += layout.remote_stride[level];
                return;
            }
            index_[level] = 0;
            local_offset_ -= (layout.count[level + 1] - 1) * layout.local_stride[level];
            remote_offset_ -= (layout.count[level + 1] - 1) * layout.remote_stride[level];
        }
    }

    const StridedSides* sides_;
    int64_t position_ = 0;
    int64_t in_block_ = 0;      // bytes of the current block already passed
    int64_t local_offset_ = 0;  // offsets of the current block
    int64_t remote_offset_ = 0;
    int64_t index_[kMaxLevels] = {};  // current repetition of each level
};

class VectorPairCursor {
  public:
    explicit VectorPairCursor(const VectorSides& sides) : sides_(&sides) {}

    int64_t position() const { return block_ * sides_->block_bytes + in_block_; }

    PairBlock next(int64_t max_bytes) {
        const int64_t left = sides_->block_bytes - in_block_;
        const PairBlock block{reinterpret_cast<char*>(sides_->local[block_]) + in_block_,
                              sides_->remote[block_] + static_cast<uint64_t>(in_block_),
                              std::min(left, max_bytes)};
        in_block_ += block.bytes;
        if (block.bytes == left) {
            in_block_ = 0;
            ++block_;
        }
        return block;
    }

    void seek(int64_t position_bytes) {
        block_ = position_bytes / sides_->block_bytes;
        in_block_ = position_bytes % sides_->block_bytes;
    }

  private:
    const VectorSides* sides_;
    int64_t block_ = 0;
    int64_t in_block_ = 0;  // bytes of the current block already passed
};

// A PairCursor is for either kind: visit() distinguishes them once for everything that a visitor
// does. The sides must keep their address.
class PairCursor {
  public:
    explicit PairCursor(const Sides& sides)
        : kind_(sides.visit([](const auto& kind) { return of(kind); })) {}

    template <class Visitor>
    decltype(auto) visit(Visitor&& visitor) {
        return std::visit(visitor, kind_);
    }

    int64_t position() const {
        return std::visit([](const auto& cursor) { return cursor.position(); }, kind_);
    }

  private:
    using Kind = std::variant<StridedPairCursor, VectorPairCursor>;
    static Kind of(const StridedSides& sides) { return StridedPairCursor(sides); }
    static Kind of(const VectorSides& sides) { return VectorPairCursor(sides); }

    Kind kind_;
};

}  // namespace armci::strided
