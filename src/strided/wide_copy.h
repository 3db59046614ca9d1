// SPDX-License-Identifier: BSD-3-Clause
// Strided copies of blocks of 64 to 256 bytes with the widest registers of the processor, if they
// are wider than those that the compiler may use. They need half as many stores or fewer, and no
// call for each block (measured, 1 MiB: blocks of 64 bytes 1.4 times as fast, of 192 1.1).
#pragma once

#include <cstdint>

#include "strided/block_row.h"
#include "strided/isa.h"

namespace armci::strided {

inline constexpr int64_t kShortestWideBlock = 64;
inline constexpr int64_t kLongestWideBlock = 256;

using WideKernel = void (*)(const BlockRow& row);

// Returns the kernel for blocks of that length, or nullptr if there is none. Each block is loaded
// before it is stored, so source and destination may overlap.
WideKernel wide_kernel_of(Isa isa, int64_t block_bytes);
Isa widest_isa();

// Returns the kernel for blocks of that length, the first of them to `to`. Returns nullptr if loops
// made by the compiler (block_copy.h) are as fast.
inline WideKernel wide_kernel(const void* to, int64_t stride, int64_t block_bytes) {
    // One store of 64 bytes that crosses two lines is slower than four stores that do not.
    constexpr int64_t kLineBytes = 64;
    if (block_bytes < kShortestWideBlock || block_bytes > kLongestWideBlock ||
        (block_bytes == kLineBytes &&
         (reinterpret_cast<uintptr_t>(to) | static_cast<uint64_t>(stride)) % kLineBytes != 0)) {
        return nullptr;
    }
    return wide_kernel_of(widest_isa(), block_bytes);
}

}  // namespace armci::strided
