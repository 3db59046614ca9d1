// SPDX-License-Identifier: BSD-3-Clause
#include "node/accumulate.h"

#include <algorithm>

#include "strided/cursor.h"

namespace armci::node {
namespace {

// Holds the stripe locks of several blocks. Taking a lock waits until everything written before has
// left the processor, so one lock for each short block would cost more than the additions. While
// this object holds a stripe, it takes no other one for which it would have to wait, so there is no
// order to obey.
class HeldStripes {
  public:
    explicit HeldStripes(StripedLocks& locks) : locks_(locks) {}
    ~HeldStripes() { release(); }
    HeldStripes(const HeldStripes&) = delete;
    HeldStripes& operator=(const HeldStripes&) = delete;

    // Holds the stripe. Returns false if it is not held yet and all must be released before it can
    // be.
    bool hold(uint32_t stripe) {
        if ((is_held_[stripe / 64] >> stripe % 64 & 1) != 0) [[likely]] {
            return true;
        }
        if (count_ == 0) {
            locks_[stripe].lock();
        } else if (count_ == kMax || !locks_[stripe].try_lock()) {
            return false;
        }
        is_held_[stripe / 64] |= uint64_t{1} << stripe % 64;
        held_[count_++] = stripe;
        return true;
    }

    void release() {
        for (; count_ > 0; --count_) {
            const uint32_t stripe = held_[count_ - 1];
            is_held_[stripe / 64] = 0;
            locks_[stripe].unlock();
        }
    }

  private:
    static constexpr int kMax = 32;

    StripedLocks& locks_;
    uint64_t is_held_[StripedLocks::kStripes / 64] = {};
    uint32_t held_[kMax];
    int count_ = 0;
};

// Returns how many of the first blocks can be added now that their stripes are held; 0 means that
// the first one is better added alone.
int64_t hold_for_first(HeldStripes& stripes, const strided::AccSegments& segments) {
    // As everywhere, other ranks wait no longer than for a stripe's worth of arithmetic.
    constexpr int64_t kMaxBytes = StripedLocks::kGranuleBytes;
    constexpr int64_t kLongestBytes = 512;  // in longer blocks the lock costs little
    const int64_t bytes = segments.segment_bytes;
    const int64_t max =
        bytes > kLongestBytes ? 0 : std::min(segments.segment_count, kMaxBytes / bytes);
    int64_t count = 0;
    while (count < max && bytes <= StripedLocks::bytes_to_boundary(segments.target(count)) &&
           stripes.hold(StripedLocks::stripe_of(segments.target(count)))) {
        ++count;
    }
    return count;
}

}  // namespace

void LockedAccumulator::add(const void* source, void* target, int64_t bytes) {
    if (bytes <= StripedLocks::bytes_to_boundary(target)) [[likely]] {
        hold(StripedLocks::stripe_of(target));
        strided::accumulate(scale_, target, source, bytes);
        return;
    }
    for_each_stripe(
        scale_, static_cast<const char*>(source), static_cast<char*>(target), bytes,
        [&](const strided::AccScale& scale, char* to, const char* from, int64_t piece_bytes) {
            hold(StripedLocks::stripe_of(to));
            strided::accumulate(scale, to, from, piece_bytes);
        });
}

void LockedAccumulator::add_row(const strided::AccRow& row) {
    strided::AccRow left = row;
    while (left.block_count > 0) {
        // Blocks that lie completely in this stripe are added under one lock, in one loop.
        char* target = static_cast<char*>(left.target);
        const int64_t room = StripedLocks::bytes_to_boundary(target) - row.block_bytes;
        int64_t together = 0;
        if (room >= 0) {
            together = row.target_stride > 0
                           ? std::min(left.block_count, room / row.target_stride + 1)
                           : 1;
        }
        if (together > 1) {
            hold(StripedLocks::stripe_of(target));
            strided::AccRow within = left;
            within.block_count = together;
            strided::accumulate_row(scale_, within);
        } else {
            add(left.source, target, row.block_bytes);
            together = 1;
        }
        left.source = strided::offset_by(left.source, together * row.source_stride);
        left.target = strided::offset_by(target, together * row.target_stride);
        left.block_count -= together;
    }
}

strided::AccScale component_scale(strided::AccType type) {
    strided::AccScale one{};
    one.type = type;
    if (type == strided::AccType::complex64) {
        one.type = strided::AccType::float32;
    } else if (type == strided::AccType::complex128) {
        one.type = strided::AccType::float64;
    }
    one.is_one = true;
    return one;
}

void accumulate(StripedLocks& locks, const strided::AccScale& scale,
                const strided::PairLayout& layout, char* local, char* remote) {
    LockedAccumulator accumulator(locks, scale);
    strided::for_each_row(layout, local, remote, [&](const auto& row) {
        accumulator.add_row({row.remote, row.remote_stride, row.local, row.local_stride,
                             layout.count[0], row.block_count});
    });
}

void accumulate(StripedLocks& locks, const strided::AccScale& scale,
                const strided::AccSegments& segments) {
    HeldStripes stripes(locks);
    strided::AccSegments left = segments;
    while (left.segment_count > 0) {
        strided::AccSegments group = left;
        group.segment_count = hold_for_first(stripes, left);
        if (group.segment_count > 0) {
            strided::accumulate_segments(scale, group);
            stripes.release();
        } else {
            group.segment_count = 1;
            LockedAccumulator(locks, scale).add(left.source(0), left.target(0), left.segment_bytes);
        }
        left.targets += group.segment_count;
        if (left.sources != nullptr) {
            left.sources += group.segment_count;
        } else {
            left.dense += group.segment_count * left.segment_bytes;
        }
        left.segment_count -= group.segment_count;
    }
}

void accumulate(StripedLocks& locks, const strided::AccScale& scale, const strided::Sides& sides) {
    struct Accumulate {
        void operator()(const strided::StridedSides& strided) const {
            accumulate(locks, scale, strided.layout, strided.local,
                       reinterpret_cast<char*>(strided.remote));
        }
        void operator()(const strided::VectorSides& vector) const {
            accumulate(
                locks, scale,
                {vector.remote, vector.local, nullptr, vector.block_bytes, vector.block_count});
        }
        StripedLocks& locks;
        const strided::AccScale& scale;
    };
    sides.visit(Accumulate{locks, scale});
}

}  // namespace armci::node
