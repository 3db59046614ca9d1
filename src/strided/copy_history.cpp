// SPDX-License-Identifier: BSD-3-Clause
#include "strided/copy_history.h"

#include <algorithm>

namespace armci::strided {

bool CopiedPlace::next_is_cached() {
    if (is_in_cache_) {
        return true;
    }
    if (until_trial_ > 0) {
        --until_trial_;
        return false;
    }
    // Without a copy that tried pieces and streamed, there is no time to compare with.
    return looking_ticks_ > 0;
}

void CopiedPlace::looked(int64_t ticks, bool streamed) {
    is_in_cache_ = !streamed;
    has_streamed_ = streamed;
    if (streamed) {
        looking_ticks_ = looking_ticks_ == 0 ? ticks : std::min(looking_ticks_, ticks);
    }
}

void CopiedPlace::cached(int64_t ticks, bool was_slow) {
    has_streamed_ = false;
    if (is_in_cache_) {
        is_in_cache_ = !was_slow;
        return;
    }
    if (!is_drawn_in_) {
        is_drawn_in_ = true;
        return;
    }
    if (ticks < looking_ticks_) {
        slow_in_row_ = 0;
        pause_ = kFirstPause;
        return;
    }
    // The first copy may find the memory in a distant cache level, and any copy may be interrupted.
    if (++slow_in_row_ < 2) {
        return;
    }
    looking_ticks_ = 0;
    pause_ = std::min(kPauseGrowth * pause_, kLongestPause);
    until_trial_ = pause_;
    is_drawn_in_ = false;
    slow_in_row_ = 0;
}

CopiedPlace& CopyHistory::visit(const void* to, int64_t bytes) {
    const uint64_t key = (reinterpret_cast<uintptr_t>(to) >> 6) + static_cast<uint64_t>(bytes);
    Slot& slot = slots_[(key * 0x9e3779b97f4a7c15U) >> (64 - kSlotBits)];
    if (slot.to != to || slot.bytes != bytes || copied_ - slot.copied >= kNearBytes) {
        slot.place = {};
    }
    slot.to = to;
    slot.bytes = bytes;
    slot.copied = copied_;
    copied_ += bytes;
    return slot.place;
}

CopyHistory& copy_history() {
    static thread_local CopyHistory history;
    return history;
}

}  // namespace armci::strided
