// SPDX-License-Identifier: BSD-3-Clause
// The choice, during a copy, between ordinary and streaming stores.
//
// Only the clock shows whether memory is in the cache. So a copy begins with a small piece through
// the cache. If that took much longer than a copy within the cache, a stretch is streamed and
// another small piece is tried. The stretches become longer and longer. Destinations of repeated
// copies are tried as a whole (copy_history.h).
// docs/references.md: Buntinas 2006a
#pragma once

#include <cstdint>
#include <limits>

#include "strided/copy_history.h"

namespace armci::strided {

enum class StoreChoice : uint8_t {
    automatic,
    cached,    // ordinary stores always
    streamed,  // streaming stores wherever blocks are long enough
    probing,   // for tests: automatic, and every piece through the cache seems slow
};

// Sets the choice for the whole process, while no copy is under way.
void set_store_choice(StoreChoice choice);

// Shorter copies go through the cache: their reader is probably near, and little can be gained.
inline constexpr int64_t kMinStreamedBytes = 32 << 10;
extern int64_t min_streamed_bytes;  // depends on the choice

class CopyPace {
  public:
    // Begins a copy of total_bytes, in units of unit_bytes, to the memory at `to`. Without
    // may_stream it never changes to streaming.
    CopyPace(const void* to, int64_t total_bytes, int64_t unit_bytes, bool may_stream) {
        if (may_stream && total_bytes >= min_streamed_bytes) {
            begin(to, total_bytes, unit_bytes);
        }
    }
    ~CopyPace() {
        if (has_begun_) {
            finish();
        }
    }
    CopyPace(const CopyPace&) = delete;
    CopyPace& operator=(const CopyPace&) = delete;

    bool is_streaming() const { return is_streaming_; }
    // Returns how many units to copy in the present way before the next look at the clock; at least
    // one.
    int64_t left() const { return left_; }
    // Reports that so many units have been copied, at most left().
    void advance(int64_t units) {
        left_ -= units;
        if (left_ <= 0) {
            turn();
        }
    }

  private:
    void begin(const void* to, int64_t total_bytes, int64_t unit_bytes);
    void finish();
    void turn();
    void start_probe();
    void start_piece(int64_t bytes);
    void start_stretch();

    int64_t left_ = std::numeric_limits<int64_t>::max();
    bool is_streaming_ = false;
    bool has_begun_ = false;
    // begin() sets the members that follow, because most copies are too short to need them.
    bool has_streamed_;
    bool is_cached_;  // the copy as a whole
    int64_t unit_bytes_;
    int64_t total_bytes_;
    int64_t piece_units_;
    int64_t begin_ticks_;
    int64_t stretch_bytes_;
    int64_t whole_begin_ticks_;
    CopiedPlace* place_;
};

}  // namespace armci::strided
