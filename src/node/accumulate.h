// SPDX-License-Identifier: BSD-3-Clause
// Accumulate into node memory, atomic with every other accumulate on the node.
#pragma once

#include <algorithm>
#include <cstdint>

#include "node/shared_lock.h"
#include "strided/kernels.h"

namespace armci::node {

// Returns the scale with which components of an element that has been scaled already are added.
strided::AccScale component_scale(strided::AccType type);

// Cuts an accumulate where stripes end: calls add_piece(scale, target, source, bytes) for pieces
// that lie in one stripe each. A complex element may be aligned to its component only, and then
// cross a boundary. Atomicity is per component, so such an element is scaled first and its
// components are added with a scale of one. Their source is valid only until add_piece() returns.
template <class AddPiece>
void for_each_stripe(const strided::AccScale& scale, const char* source, char* target,
                     int64_t bytes, AddPiece&& add_piece) {
    const int64_t element_bytes = strided::element_bytes(scale.type);
    while (bytes > 0) {
        int64_t piece = std::min(bytes, StripedLocks::bytes_to_boundary(target));
        piece -= piece % element_bytes;
        if (piece > 0) {
            add_piece(scale, target, source, piece);
        } else {
            alignas(16) char scaled[16] = {};
            strided::accumulate(scale, scaled, source, element_bytes);
            const strided::AccScale one = component_scale(scale.type);
            const int64_t component_bytes = strided::basic_bytes(scale.type);
            for (; piece < element_bytes; piece += component_bytes) {
                add_piece(one, target + piece, scaled + piece, component_bytes);
            }
        }
        source += piece;
        target += piece;
        bytes -= piece;
    }
}

// Adds blocks into the node heap under the stripe locks. The stripe of the last block stays locked
// until the next block needs another one or the object ends, so many short blocks close together
// cost one lock. The object never holds two stripes, so there is no order to obey. One thread at a
// time may use it.
class LockedAccumulator {
  public:
    LockedAccumulator(StripedLocks& locks, const strided::AccScale& scale)
        : locks_(locks), scale_(scale) {}
    ~LockedAccumulator() { release(); }
    LockedAccumulator(const LockedAccumulator&) = delete;
    LockedAccumulator& operator=(const LockedAccumulator&) = delete;

    // Computes target[i] += scale * source[i]; `bytes` is a multiple of the element size.
    void add(const void* source, void* target, int64_t bytes);

    // Does what add() does, for each block of the row.
    void add_row(const strided::AccRow& row);

    void release() {
        if (held_ != kNone) {
            locks_[held_].unlock();
            held_ = kNone;
        }
    }

  private:
    static constexpr uint32_t kNone = UINT32_MAX;

    void hold(uint32_t stripe) {
        if (stripe != held_) {
            release();
            locks_[stripe].lock();
            held_ = stripe;
        }
    }
    StripedLocks& locks_;
    const strided::AccScale& scale_;
    uint32_t held_ = kNone;
};

// Computes remote[i] += scale * local[i] for all elements of the layout.
void accumulate(StripedLocks& locks, const strided::AccScale& scale,
                const strided::PairLayout& layout, char* local, char* remote);

// Does the same for the blocks of a vector, which are often short and in no order. Several stripes
// are held at a time, for as much arithmetic as one of them may take.
void accumulate(StripedLocks& locks, const strided::AccScale& scale,
                const strided::AccSegments& segments);

// Calls one of these two functions, as the sides are strided or vectors.
void accumulate(StripedLocks& locks, const strided::AccScale& scale, const strided::Sides& sides);

}  // namespace armci::node
