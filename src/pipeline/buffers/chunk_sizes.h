// SPDX-License-Identifier: BSD-3-Clause
// Sizes of the chunks of a transfer through a data server. Both ends use the same sizes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace armci::pipeline {

// Where receive buffers are granted, only frames of at most this many bytes, with what their sender
// keeps before them, travel as messages. Every provider sends that much at once.
constexpr size_t kLargestMessagePiece = 8192;

// Returns the bytes of a transfer's next chunk, from the bytes already sent and those left.
// `largest_bytes` is the limit. The first and the last chunk are short, because nothing overlaps
// with packing the first and unpacking the last.
constexpr int64_t chunk_room_bytes(int64_t largest_bytes, int64_t sent_bytes, int64_t left_bytes) {
    constexpr int64_t kRampBytes = 64 << 10;
    if (largest_bytes <= 2 * kRampBytes) {
        return largest_bytes;
    }
    if (sent_bytes == 0 && left_bytes > largest_bytes) {
        return kRampBytes;
    }
    if (left_bytes < largest_bytes && left_bytes > 2 * kRampBytes) {
        return left_bytes - kRampBytes;
    }
    return largest_bytes;
}

}  // namespace armci::pipeline
