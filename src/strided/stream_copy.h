// SPDX-License-Identifier: BSD-3-Clause
// Copies that leave the destination out of the cache, by streaming (non-temporal) stores: a cache
// line is written whole, without being read first. Twice as fast as the ordinary copy where the
// destination is not in the cache, and half as fast where it is.
#pragma once

#include <cstdint>

#include "strided/block_row.h"
#include "strided/isa.h"

namespace armci::strided {

#if defined(__x86_64__) || defined(__aarch64__)
inline constexpr bool kHaveStreamingStores = true;
#else
inline constexpr bool kHaveStreamingStores = false;
#endif

// The two sides must not overlap. Parts of lines at both ends of a block are stored through the
// cache.
void stream_row(const BlockRow& row);
void stream_row_with(Isa isa, const BlockRow& row);

inline void stream_block(char* to, const char* from, int64_t bytes) {
    stream_row({to, 0, from, 0, bytes, 1});
}

// Streaming stores are not ordered with later ones: to be called before anybody is told.
inline void finish_streaming() {
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#elif defined(__aarch64__)
    asm volatile("dmb ishst" ::: "memory");
#endif
}

// Waits until earlier stores, streaming ones above all, are done with: later ones would wait behind
// them, and seem slow.
inline void drain_stores() {
#if defined(__x86_64__)
    __builtin_ia32_mfence();
#elif defined(__aarch64__)
    asm volatile("dsb ish" ::: "memory");
#endif
}

// Whether blocks of that length, the first of them at `to`, are worth streaming: parts of lines
// cost more than they would without.
inline bool is_worth_streaming(const void* to, int64_t stride, int64_t block_bytes) {
    constexpr int64_t kLineBytes = 64;
    constexpr int64_t kShortestMisaligned = 4 * kLineBytes;
    const uint64_t misaligned = (reinterpret_cast<uintptr_t>(to) | static_cast<uint64_t>(stride) |
                                 static_cast<uint64_t>(block_bytes)) %
                                kLineBytes;
    return kHaveStreamingStores &&
           block_bytes >= (misaligned == 0 ? kLineBytes : kShortestMisaligned);
}

}  // namespace armci::strided
