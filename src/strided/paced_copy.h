// SPDX-License-Identifier: BSD-3-Clause
// Copies blocks piece by piece, each piece in the way that CopyPace chooses.
#pragma once

#include <algorithm>
#include <cstring>

#include "strided/copy_pace.h"
#include "strided/stream_copy.h"

namespace armci::strided {

// Longer blocks are copied piece by piece, shorter ones in a loop for their length.
inline constexpr int64_t kLongBlockBytes = 4 << 10;

// Returns the unit in which the pace of a copy of such blocks counts.
constexpr int64_t pace_unit(int64_t block_bytes) {
    return block_bytes > kLongBlockBytes ? 1 : block_bytes;
}

// Copies one long block; `pace` counts in bytes.
inline void copy_long_block(CopyPace& pace, char* to, const char* from, int64_t bytes) {
    while (bytes > 0) {
        const int64_t piece = std::min(bytes, pace.left());
        if (pace.is_streaming()) {
            stream_block(to, from, piece);
        } else {
            std::memmove(to, from, static_cast<size_t>(piece));
        }
        pace.advance(piece);
        to += piece;
        from += piece;
        bytes -= piece;
    }
}

// Copies short blocks; `pace` counts in blocks. Each function copies as many blocks as
// its argument says.
template <class Cached, class Streamed>
void copy_short_blocks(CopyPace& pace, int64_t block_count, Cached&& cached, Streamed&& streamed) {
    while (block_count > 0) {
        const int64_t piece = std::min(block_count, pace.left());
        if (pace.is_streaming()) {
            streamed(piece);
        } else {
            cached(piece);
        }
        pace.advance(piece);
        block_count -= piece;
    }
}

}  // namespace armci::strided
