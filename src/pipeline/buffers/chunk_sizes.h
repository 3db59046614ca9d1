// SPDX-License-Identifier: BSD-3-Clause
// How transfers by way of a data server are cut into chunks, the same at both ends.
#pragma once

#include <cstddef>
#include <cstdint>

namespace armci::pipeline {

// Beside granted receive buffers only what is at most this long, with what its sender keeps before
// it, travels as a message: every provider sends that much at once.
constexpr size_t kLargestMessagePiece = 8192;

// Room for the next chunk of a transfer, of which so many bytes are sent and left, where the
// largest is given. The first and the last are short: nothing overlaps with packing the one and
// unpacking the other.
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
