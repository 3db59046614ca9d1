// SPDX-License-Identifier: BSD-3-Clause
#include "strided/copy_pace.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "base/clock.h"
#include "strided/stream_copy.h"

namespace armci::strided {
namespace {

constexpr int64_t kProbeBytes = 4 << 10;
constexpr int64_t kPieceBytes = 32 << 10;
constexpr int64_t kFirstStretchBytes = 128 << 10;
constexpr int64_t kLongestStretchBytes = 8 << 20;
constexpr int64_t kKnownStretchBytes = 2 << 20;  // the first stretch if the last copy has streamed

StoreChoice store_choice = StoreChoice::automatic;

// A piece that takes much longer per byte than a copy within the second-level cache has met memory
// outside the cache. (On present machines it takes 3 to 10 times as long. In the third level, where
// both ways are about equally fast, it takes up to twice as long.)
constexpr double kSlow = 2.2;

double measure_slow_ticks_per_byte() {
    constexpr int64_t kBytes = 32 << 10;
    constexpr int kRounds = 12;
    constexpr int64_t kMinTicks = 100;  // fewer ticks: the clock is too slow to time a probe
    const std::unique_ptr<char[]> memory(new (std::nothrow) char[2 * kBytes]);
    if (!memory) {
        return 1e9;  // so no piece counts as slow
    }
    std::memset(memory.get(), 0, 2 * kBytes);
    int64_t best = std::numeric_limits<int64_t>::max();
    for (int round = 0; round < kRounds; ++round) {
        const int64_t begin = base::ticks();
        std::memcpy(memory.get(), memory.get() + kBytes, kBytes);
        asm volatile("" : : "r"(memory.get()) : "memory");
        best = std::min(best, base::ticks() - begin);
    }
    if (best < kMinTicks) {
        return 1e9;
    }
    return kSlow * static_cast<double>(std::max<int64_t>(best, 1)) / kBytes;
}

// Returns the limit, which the first large copy measures.
double slow_ticks_per_byte() {
    static const double slow = measure_slow_ticks_per_byte();
    return slow;
}

}  // namespace

int64_t min_streamed_bytes = kMinStreamedBytes;

void set_store_choice(StoreChoice choice) {
    store_choice = choice;
    switch (choice) {
        case StoreChoice::automatic:
        case StoreChoice::probing:
            min_streamed_bytes = kMinStreamedBytes;
            return;
        case StoreChoice::streamed:
            min_streamed_bytes = 0;
            return;
        case StoreChoice::cached:
            min_streamed_bytes = std::numeric_limits<int64_t>::max();
            return;
    }
}

void CopyPace::begin(const void* to, int64_t total_bytes, int64_t unit_bytes) {
    has_begun_ = true;
    has_streamed_ = false;
    is_cached_ = false;
    place_ = nullptr;
    if (store_choice == StoreChoice::streamed) {
        is_streaming_ = has_streamed_ = true;
        return;
    }
    slow_ticks_per_byte();
    unit_bytes_ = unit_bytes;
    total_bytes_ = total_bytes;
    stretch_bytes_ = kFirstStretchBytes;
    if (store_choice == StoreChoice::automatic) {
        place_ = &copy_history().visit(to, total_bytes);
        whole_begin_ticks_ = base::ticks();
        is_cached_ = place_->next_is_cached();
        if (is_cached_) {
            return;
        }
        if (place_->has_streamed()) {
            stretch_bytes_ = kKnownStretchBytes;
        }
    }
    start_probe();
}

void CopyPace::finish() {
    if (has_streamed_) {
        finish_streaming();
    }
    if (place_ == nullptr) {
        return;
    }
    const int64_t ticks = base::ticks() - whole_begin_ticks_;
    if (is_cached_) {
        place_->cached(ticks, static_cast<double>(ticks) >
                                  static_cast<double>(total_bytes_) * slow_ticks_per_byte());
    } else {
        place_->looked(ticks, has_streamed_);
    }
}

void CopyPace::start_piece(int64_t bytes) {
    is_streaming_ = false;
    left_ = piece_units_ = std::max<int64_t>(1, bytes / unit_bytes_);
    begin_ticks_ = base::ticks();
}

void CopyPace::start_probe() {
    drain_stores();
    start_piece(kProbeBytes);
}

void CopyPace::start_stretch() {
    is_streaming_ = has_streamed_ = true;
    left_ = std::max<int64_t>(1, stretch_bytes_ / unit_bytes_);
    stretch_bytes_ = std::min(2 * stretch_bytes_, kLongestStretchBytes);
}

void CopyPace::turn() {
    if (is_streaming_) {
        start_probe();
        return;
    }
    const auto ticks = static_cast<double>(base::ticks() - begin_ticks_);
    const auto bytes = static_cast<double>(piece_units_ * unit_bytes_);
    if (store_choice == StoreChoice::probing || ticks > bytes * slow_ticks_per_byte()) {
        start_stretch();
    } else {
        start_piece(kPieceBytes);
    }
}

}  // namespace armci::strided
