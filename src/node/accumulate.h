// Accumulate into node memory, atomic with every other accumulate on the node.
#pragma once

#include <cstdint>

#include "node/shared_lock.h"
#include "strided/kernels.h"

namespace armci::node {

// Adds runs into the node heap under the stripe locks. The stripe of the last run stays locked
// until the next run needs another one or the object ends, so that many short runs close together
// cost one lock. Never holds two stripes, so there is no order to obey. One thread at a time.
class LockedAccumulator {
  public:
    LockedAccumulator(StripedLocks& locks, const strided::AccScale& scale)
        : locks_(locks), scale_(scale) {}
    ~LockedAccumulator() { release(); }
    LockedAccumulator(const LockedAccumulator&) = delete;
    LockedAccumulator& operator=(const LockedAccumulator&) = delete;

    // target[i] += scale * source[i]; `bytes` is a multiple of the element size.
    void add(const void* source, void* target, int64_t bytes);

    // Same for each run of the row.
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
    void add_across_boundary(const char* source, char* target);

    StripedLocks& locks_;
    const strided::AccScale& scale_;
    uint32_t held_ = kNone;
};

}  // namespace armci::node
