// SPDX-License-Identifier: BSD-3-Clause
// Remembers copies to the same memory, for the choice between ordinary and streaming stores.
//
// Memory that a copy has streamed to is not in the cache afterwards, so the next copy to it finds
// it outside again. A copy that tries single pieces (copy_pace.h) does not learn whether the memory
// would stay in the cache after ordinary stores. So now and then some copies to memory that is
// copied to repeatedly, with little in between, go through the cache as a whole. The first one
// brings the memory into the cache, and the next ones show what that gains. They continue as long
// as they gain; if they do not, the next such trial is later each time.
#pragma once

#include <cstdint>

namespace armci::strided {

// Remembers one destination of one length. A copy calls next_is_cached() before it begins, and one
// of the two functions below after it.
class CopiedPlace {
  public:
    // Says whether this copy goes through the cache as a whole.
    bool next_is_cached();
    // Says whether the last copy has streamed, so that the next one will find the memory outside
    // the cache.
    bool has_streamed() const { return has_streamed_; }
    // Reports that the copy tried pieces and took `ticks`; `streamed` says that part of it bypassed
    // the cache.
    void looked(int64_t ticks, bool streamed);
    // Reports that the copy went through the cache as a whole; `was_slow` says that it was slower
    // than a copy within the cache.
    void cached(int64_t ticks, bool was_slow);

  private:
    // The first copy that tries pieces may be slow because of what is left in the cache.
    static constexpr int32_t kFirstPause = 2;
    // A trial without gain costs about as much as two copies and a half.
    static constexpr int32_t kPauseGrowth = 16;
    static constexpr int32_t kLongestPause = 256;

    bool is_in_cache_ = false;  // as the last copy found, so no pieces are tried
    bool has_streamed_ = false;
    int64_t looking_ticks_ = 0;  // of the quickest copy that streamed, since the last trial
    int32_t pause_ = kFirstPause;
    int32_t until_trial_ = kFirstPause;  // copies that try pieces before the next trial
    bool is_drawn_in_ = false;           // by a copy through the cache
    int32_t slow_in_row_ = 0;            // of the copies through the cache since then
};

// Remembers the last destinations of this thread; those that share a slot replace each other.
class CopyHistory {
  public:
    // Returns the record of the destination for a copy that begins.
    CopiedPlace& visit(const void* to, int64_t bytes);

  private:
    static constexpr int kSlotBits = 6;
    // The most bytes copied in between (as many have been read). After more, the memory must have
    // left the cache, even after ordinary stores. The third-level cache may be larger, but there
    // streaming is about as fast.
    static constexpr int64_t kNearBytes = 16 << 20;
    struct Slot {
        const void* to = nullptr;
        int64_t bytes = 0;
        int64_t copied = 0;  // bytes copied before that
        CopiedPlace place;
    };
    Slot slots_[1 << kSlotBits];
    int64_t copied_ = 0;
};

CopyHistory& copy_history();

}  // namespace armci::strided
