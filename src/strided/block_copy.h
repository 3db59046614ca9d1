// SPDX-License-Identifier: BSD-3-Clause
// Copying many blocks of one length without a function call for each of the short ones.
//
// with_block_copier() picks, once for each transfer, a copier for the block length. It passes that
// to a generic function with the loop over the blocks, so each length gets its own loop. Every
// copier loads the whole block before it stores it, or calls memmove, so source and destination may
// overlap. It writes no byte outside the block.
#pragma once

#include <cstdint>
#include <cstring>

namespace armci::strided {

// 16 bytes in one register if the processor has such registers, otherwise in plain integers.
using Bytes16 __attribute__((vector_size(16))) = unsigned char;

template <class T>
[[gnu::always_inline]] inline T load_bytes(const char* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

template <class T>
[[gnu::always_inline]] inline void store_bytes(char* to, T value) {
    std::memcpy(to, &value, sizeof(T));
}

// Copies two pieces of type T, which overlap if the block is shorter than both together.
template <class T>
struct TwoPieces {
    int64_t second;  // offset of the second piece
    [[gnu::always_inline]] void operator()(char* to, const char* from) const {
        const T a = load_bytes<T>(from);
        const T b = load_bytes<T>(from + second);
        store_bytes(to, a);
        store_bytes(to + second, b);
    }
};

template <class T>
struct OnePiece {
    [[gnu::always_inline]] void operator()(char* to, const char* from) const {
        store_bytes(to, load_bytes<T>(from));
    }
};

// Copies 33 to 64 bytes as four pieces, the last two counted from the end.
struct FourPieces {
    int64_t third;
    [[gnu::always_inline]] void operator()(char* to, const char* from) const {
        const Bytes16 a = load_bytes<Bytes16>(from);
        const Bytes16 b = load_bytes<Bytes16>(from + 16);
        const Bytes16 c = load_bytes<Bytes16>(from + third);
        const Bytes16 d = load_bytes<Bytes16>(from + third + 16);
        store_bytes(to, a);
        store_bytes(to + 16, b);
        store_bytes(to + third, c);
        store_bytes(to + third + 16, d);
    }
};

// Calls memmove(), which is faster from 65 bytes on: it uses the widest registers.
struct AnyLength {
    int64_t bytes;
    [[gnu::always_inline]] void operator()(char* to, const char* from) const {
        std::memmove(to, from, static_cast<size_t>(bytes));
    }
};

// Calls f(copier), where copier(to, from) copies block_bytes bytes (at least 1).
template <class Function>
void with_block_copier(int64_t block_bytes, Function&& f) {
    switch (block_bytes) {
        case 1:
            return f(OnePiece<uint8_t>{});
        case 2:
            return f(OnePiece<uint16_t>{});
        case 4:
            return f(OnePiece<uint32_t>{});
        case 8:
            return f(OnePiece<uint64_t>{});
        case 16:
            return f(OnePiece<Bytes16>{});
        case 32:
            return f(TwoPieces<Bytes16>{16});
        case 64:
            return f(FourPieces{32});
        default:
            break;
    }
    if (block_bytes < 4) {
        return f(TwoPieces<uint16_t>{block_bytes - 2});
    }
    if (block_bytes < 8) {
        return f(TwoPieces<uint32_t>{block_bytes - 4});
    }
    if (block_bytes < 16) {
        return f(TwoPieces<uint64_t>{block_bytes - 8});
    }
    if (block_bytes < 32) {
        return f(TwoPieces<Bytes16>{block_bytes - 16});
    }
    if (block_bytes < 64) {
        return f(FourPieces{block_bytes - 32});
    }
    return f(AnyLength{block_bytes});
}

}  // namespace armci::strided
