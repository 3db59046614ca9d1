// SPDX-License-Identifier: BSD-3-Clause
// What was seen of copies to the same place, for the choice between ordinary and streaming stores.
//
// A place that is streamed to is not in the cache afterwards, so that the next copy to it finds it
// outside again: whether it would stay in the cache if it were only let in, a copy that looks at
// single pieces (copy_pace.h) does not learn. So now and then some copies to a place that is
// copied to repeatedly, with little in between, go through the cache as a whole: the first draws it
// in, the next ones show what that is worth. If it was worth it they go on like that for as long as
// it is; if not, the next such trial is later each time.
#pragma once

#include <cstdint>

namespace armci::strided {

// One place, of one length. A copy calls next_is_cached() before and one of the others after it.
class CopiedPlace {
  public:
    // Whether this copy is to go through the cache as a whole.
    bool next_is_cached();
    // Whether the last copy has streamed, so that the next one will find it outside the cache.
    bool has_streamed() const { return has_streamed_; }
    // It did not, and took that long; `streamed`: part of it went past the cache.
    void looked(int64_t ticks, bool streamed);
    // It did; `was_slow`: slower than memory in the cache is copied.
    void cached(int64_t ticks, bool was_slow);

  private:
    // The first that looks may be slow for what is left in the cache.
    static constexpr int32_t kFirstPause = 2;
    // A trial that was worth nothing costs about as much as two copies and a half.
    static constexpr int32_t kPauseGrowth = 16;
    static constexpr int32_t kLongestPause = 256;

    bool is_in_cache_ = false;  // as the last copy found: there is nothing to look for
    bool has_streamed_ = false;
    int64_t looking_ticks_ = 0;  // of the quickest that looked and streamed, since the last trial
    int32_t pause_ = kFirstPause;
    int32_t until_trial_ = kFirstPause;  // copies that look before the next trial
    bool is_drawn_in_ = false;           // by a copy through the cache
    int32_t slow_in_row_ = 0;            // of the copies through the cache since then
};

// The last places of this thread; those that share a slot forget each other.
class CopyHistory {
  public:
    // For a copy that begins.
    CopiedPlace& visit(const void* to, int64_t bytes);

  private:
    static constexpr int kSlotBits = 6;
    // Copied in between; as much has been read. What is further back must have left the cache even
    // if it was let in: but for the third level, where streaming is about as fast.
    static constexpr int64_t kNearBytes = 16 << 20;
    struct Slot {
        const void* to = nullptr;
        int64_t bytes = 0;
        int64_t copied = 0;  // before that
        CopiedPlace place;
    };
    Slot slots_[1 << kSlotBits];
    int64_t copied_ = 0;
};

CopyHistory& copy_history();

}  // namespace armci::strided
