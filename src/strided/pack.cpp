// SPDX-License-Identifier: BSD-3-Clause
#include <cassert>

#include "strided/block_copy.h"
#include "strided/kernels.h"
#include "strided/paced_copy.h"

namespace armci::strided {

namespace {

// Moves the next `bytes` bytes, which lie within one block, and returns how many they were.
template <bool kToBuffer, class Cursor, class Byte>
int64_t move_part(Cursor& cursor, Byte* buffer, int64_t bytes) {
    const Block block = cursor.next(bytes);
    if constexpr (kToBuffer) {
        if (block.bytes != 0) {
            std::memcpy(buffer, block.data, static_cast<size_t>(block.bytes));
        }
    } else {
        copy_contiguous(buffer, block.data, block.bytes);
    }
    return block.bytes;
}

// Packs whole blocks in a loop for their length. A buffer is filled through the cache, because it
// is sent from there; memory into which it is unpacked may stay out of the cache.
template <class Cursor>
void pack_blocks(Cursor& from, char* buffer, int64_t block_count) {
    const int64_t block_bytes = from.block_bytes();
    with_block_copier(block_bytes, [&](auto copier) {
        from.visit_blocks(block_count, [&](const char* block) {
            copier(buffer, block);
            buffer += block_bytes;
        });
    });
}

template <class Cursor>
void unpack_blocks(Cursor& to, const char* buffer, int64_t block_count) {
    const int64_t block_bytes = to.block_bytes();
    CopyPace pace(to.data(), block_count * block_bytes, pace_unit(block_bytes),
                  is_worth_streaming(to.data(), to.stride(), block_bytes));
    if (block_bytes > kLongBlockBytes) {
        to.visit_blocks(block_count, [&](char* block) {
            copy_long_block(pace, block, buffer, block_bytes);
            buffer += block_bytes;
        });
        return;
    }
    with_block_copier(block_bytes, [&](auto copier) {
        copy_short_blocks(
            pace, block_count,
            [&](int64_t count) {
                const char* from = buffer;
                to.visit_blocks(count, [&](char* block) {
                    copier(block, from);
                    from += block_bytes;
                });
                buffer = from;
            },
            [&](int64_t count) {
                for (int64_t left = count * block_bytes; left > 0;) {
                    const Row row = to.next_row(left);
                    stream_row(
                        {row.data, row.stride, buffer, block_bytes, block_bytes, row.block_count});
                    buffer += row.block_count * block_bytes;
                    left -= row.block_count * block_bytes;
                }
            });
    });
}

// Moves the rest of a block begun earlier, then whole blocks, then the beginning of one.
template <bool kToBuffer, class Cursor, class Byte>
void move(Cursor& cursor, Byte* buffer, int64_t bytes) {
    assert(bytes <= cursor.remaining());
    if (bytes <= 0) {
        return;
    }
    if (!cursor.is_at_block_start()) {
        const int64_t moved = move_part<kToBuffer>(cursor, buffer, bytes);
        buffer += moved;
        bytes -= moved;
    }
    if (const int64_t block_count = bytes / cursor.block_bytes(); block_count > 0) {
        if constexpr (kToBuffer) {
            pack_blocks(cursor, buffer, block_count);
        } else {
            unpack_blocks(cursor, buffer, block_count);
        }
        buffer += block_count * cursor.block_bytes();
        bytes -= block_count * cursor.block_bytes();
    }
    if (bytes > 0) {
        move_part<kToBuffer>(cursor, buffer, bytes);
    }
}

}  // namespace

void pack(StridedCursor& from, void* buffer, int64_t bytes) {
    move<true>(from, static_cast<char*>(buffer), bytes);
}

void pack(VectorCursor& from, void* buffer, int64_t bytes) {
    move<true>(from, static_cast<char*>(buffer), bytes);
}

void unpack(StridedCursor& to, const void* buffer, int64_t bytes) {
    move<false>(to, static_cast<const char*>(buffer), bytes);
}

void unpack(VectorCursor& to, const void* buffer, int64_t bytes) {
    move<false>(to, static_cast<const char*>(buffer), bytes);
}

void pack(Cursor& from, void* buffer, int64_t bytes) {
    from.visit([&](auto& cursor) { pack(cursor, buffer, bytes); });
}

void unpack(Cursor& to, const void* buffer, int64_t bytes) {
    to.visit([&](auto& cursor) { unpack(cursor, buffer, bytes); });
}

}  // namespace armci::strided
