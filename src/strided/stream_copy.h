// SPDX-License-Identifier: BSD-3-Clause
// Copies that keep the destination out of the cache, by streaming (non-temporal) stores. A cache
// line is written whole, without being read first. This is twice as fast as the ordinary copy if
// the destination is not in the cache, and half as fast if it is.
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

// Store blocks past the cache. The two sides must not overlap. Incomplete lines at both ends of a
// block are stored through the cache.
void stream_row(const BlockRow& row);
void stream_row_with(Isa isa, const BlockRow& row);

inline void stream_block(char* to, const char* from, int64_t bytes) {
    stream_row({to, 0, from, 0, bytes, 1});
}

// Orders streaming stores before later ones; it must be called before the copy is announced to
// others.
inline void finish_streaming() {
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#elif defined(__aarch64__)
    asm volatile("dmb ishst" ::: "memory");
#endif
}

// Waits until earlier stores are complete, streaming ones above all. Later stores would wait behind
// them, and seem slow.
inline void drain_stores() {
#if defined(__x86_64__)
    __builtin_ia32_mfence();
#elif defined(__aarch64__)
    asm volatile("dsb ish" ::: "memory");
#endif
}

// Says whether blocks of that length, the first of them at `to`, are worth streaming: incomplete
// lines cost more than they would with ordinary stores.
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
