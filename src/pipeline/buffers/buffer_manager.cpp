// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/buffers/buffer_manager.h"

#include <algorithm>
#include <bit>

namespace armci::pipeline {

size_t BufferManager::rounded(size_t buffer_bytes) {
    return std::bit_ceil(std::max(buffer_bytes, kSmallestPiece));
}

void BufferManager::open(void* arena, size_t buffer_count, size_t buffer_bytes) {
    arena_ = static_cast<char*>(arena);
    buffer_count_ = buffer_count;
    buffer_bytes_ = rounded(buffer_bytes);
    largest_order_ = std::countr_zero(buffer_bytes_ / kSmallestPiece);
    const size_t units = arena_bytes() / kSmallestPiece;
    order_.assign(units, -1);
    is_free_.assign(units, 0);
    next_.assign(units, kNoUnit);
    previous_.assign(units, kNoUnit);
    heads_.assign(largest_order_ + 1, kNoUnit);
    ready_count_ = 0;
    used_bytes_ = 0;
    high_water_bytes_ = 0;
}

void BufferManager::add_buffer() {
    push_free(static_cast<Unit>(ready_count_ << largest_order_), largest_order_);
    ++ready_count_;
}

int BufferManager::order_for(size_t bytes) const {
    const size_t units = (std::max<size_t>(bytes, 1) + kSmallestPiece - 1) / kSmallestPiece;
    return std::countr_zero(std::bit_ceil(units));
}

void BufferManager::push_free(Unit unit, int order) {
    order_[unit] = static_cast<int8_t>(order);
    is_free_[unit] = 1;
    previous_[unit] = kNoUnit;
    next_[unit] = heads_[order];
    if (heads_[order] != kNoUnit) {
        previous_[heads_[order]] = unit;
    }
    heads_[order] = unit;
}

void BufferManager::remove_free(Unit unit, int order) {
    if (previous_[unit] != kNoUnit) {
        next_[previous_[unit]] = next_[unit];
    } else {
        heads_[order] = next_[unit];
    }
    if (next_[unit] != kNoUnit) {
        previous_[next_[unit]] = previous_[unit];
    }
    is_free_[unit] = 0;
}

BufferManager::Unit BufferManager::pop_free(int order) {
    const Unit unit = heads_[order];
    if (unit != kNoUnit) {
        remove_free(unit, order);
    }
    return unit;
}

void* BufferManager::acquire(size_t bytes) {
    if (bytes > buffer_bytes_) {
        return nullptr;
    }
    const int order = order_for(bytes);
    // A free piece below a whole buffer lies in a buffer that is split already.
    int found = order;
    while (found <= largest_order_ && heads_[found] == kNoUnit) {
        ++found;
    }
    if (found > largest_order_) {
        return nullptr;
    }
    const Unit unit = pop_free(found);
    while (found > order) {
        --found;
        push_free(unit + (Unit{1} << found), found);
    }
    order_[unit] = static_cast<int8_t>(order);
    used_bytes_ += kSmallestPiece << order;
    high_water_bytes_ = std::max(high_water_bytes_, used_bytes_);
    return arena_ + static_cast<size_t>(unit) * kSmallestPiece;
}

void BufferManager::release(void* piece) {
    auto unit = static_cast<Unit>((static_cast<char*>(piece) - arena_) / kSmallestPiece);
    int order = order_[unit];
    used_bytes_ -= kSmallestPiece << order;
    while (order < largest_order_) {
        const Unit buddy = unit ^ (Unit{1} << order);
        if (is_free_[buddy] == 0 || order_[buddy] != order) {
            break;
        }
        remove_free(buddy, order);
        order_[std::max(unit, buddy)] = -1;
        unit = std::min(unit, buddy);
        ++order;
    }
    push_free(unit, order);
}

}  // namespace armci::pipeline
