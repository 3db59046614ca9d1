// SPDX-License-Identifier: BSD-3-Clause
// Sizes of the chunks of a transfer through a data server. Both ends use the same sizes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace armci::pipeline {

// Where receive buffers are granted, only frames of at most this many bytes, with what their sender
// keeps before them, travel as messages. Every provider sends that much at once.
constexpr size_t kLargestMessagePiece = 8192;

// The first and the last chunk of a transfer have so many bytes, because nothing overlaps with
// packing the first and unpacking the last.
inline constexpr int64_t kShortChunk = 64 << 10;
// From this length on the first chunk of a transfer is short. Below, it costs more than it gains.
inline constexpr int64_t kShortFirstMin = 4 * kShortChunk;

// Says whether data is packed into the chunk, or sent from where it lies.
enum class ChunkData : bool { packed, in_place };

// Returns the bytes of a transfer's next chunk, from the bytes already sent and those left.
// `largest_bytes` is the limit.
constexpr int64_t chunk_room_bytes(int64_t largest_bytes, int64_t sent_bytes, int64_t left_bytes,
                                   ChunkData data = ChunkData::packed) {
    if (largest_bytes < 2 * kShortChunk) {
        return largest_bytes;
    }
    if (data == ChunkData::packed && sent_bytes == 0 && left_bytes >= kShortFirstMin) {
        return kShortChunk;
    }
    if (left_bytes < largest_bytes + kShortChunk && left_bytes > 2 * kShortChunk) {
        return left_bytes - kShortChunk;
    }
    return largest_bytes;
}

}  // namespace armci::pipeline
