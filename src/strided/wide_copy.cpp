// SPDX-License-Identifier: BSD-3-Clause
#include "strided/wide_copy.h"

#include "strided/kernels.h"

namespace armci::strided {
namespace {

#if defined(__x86_64__)

// These pieces copy one block. They use assembly for the same reasons as stream_copy.cpp. They are
// counted from both ends of the block, and overlap if the block is shorter than all together. Those
// counted from the end begin at `second`.
#define ARMCI_PIECES(name, half_bytes, text)                                                  \
    struct name {                                                                             \
        static constexpr int64_t kHalfBytes = half_bytes;                                     \
        [[gnu::always_inline]] static void copy(char* to, const char* from, int64_t second) { \
            asm volatile(text                                                                 \
                         :                                                                    \
                         : "r"(to), "r"(from), "r"(second)                                    \
                         : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",    \
                           "memory");                                                         \
        }                                                                                     \
    }
#define ARMCI_LOAD(move, place, reg) move " " place "(%1), %%" reg "\n\t"
#define ARMCI_LOAD_2(move, place, reg) move " " place "(%1,%2), %%" reg "\n\t"
#define ARMCI_STORE(move, place, reg) move " %%" reg ", " place "(%0)\n\t"
#define ARMCI_STORE_2(move, place, reg) move " %%" reg ", " place "(%0,%2)\n\t"
#define ARMCI_YMM(step, place, number) ARMCI_##step("vmovdqu", place, "ymm" number)
#define ARMCI_ZMM(step, place, number) ARMCI_##step("vmovdqu64", place, "zmm" number)

// clang-format off
ARMCI_PIECES(Avx2Line, 32,
    ARMCI_YMM(LOAD, "", "0") ARMCI_YMM(LOAD_2, "", "1")
    ARMCI_YMM(STORE, "", "0") ARMCI_YMM(STORE_2, "", "1"));
ARMCI_PIECES(Avx2To128, 64,
    ARMCI_YMM(LOAD, "", "0") ARMCI_YMM(LOAD, "32", "1")
    ARMCI_YMM(LOAD_2, "", "2") ARMCI_YMM(LOAD_2, "32", "3")
    ARMCI_YMM(STORE, "", "0") ARMCI_YMM(STORE, "32", "1")
    ARMCI_YMM(STORE_2, "", "2") ARMCI_YMM(STORE_2, "32", "3"));
ARMCI_PIECES(Avx2To256, 128,
    ARMCI_YMM(LOAD, "", "0") ARMCI_YMM(LOAD, "32", "1")
    ARMCI_YMM(LOAD, "64", "2") ARMCI_YMM(LOAD, "96", "3")
    ARMCI_YMM(LOAD_2, "", "4") ARMCI_YMM(LOAD_2, "32", "5")
    ARMCI_YMM(LOAD_2, "64", "6") ARMCI_YMM(LOAD_2, "96", "7")
    ARMCI_YMM(STORE, "", "0") ARMCI_YMM(STORE, "32", "1")
    ARMCI_YMM(STORE, "64", "2") ARMCI_YMM(STORE, "96", "3")
    ARMCI_YMM(STORE_2, "", "4") ARMCI_YMM(STORE_2, "32", "5")
    ARMCI_YMM(STORE_2, "64", "6") ARMCI_YMM(STORE_2, "96", "7"));
ARMCI_PIECES(Avx512Line, 64,  // the only half
    ARMCI_ZMM(LOAD, "", "0") ARMCI_ZMM(STORE, "", "0"));
ARMCI_PIECES(Avx512To128, 64,
    ARMCI_ZMM(LOAD, "", "0") ARMCI_ZMM(LOAD_2, "", "1")
    ARMCI_ZMM(STORE, "", "0") ARMCI_ZMM(STORE_2, "", "1"));
ARMCI_PIECES(Avx512To256, 128,
    ARMCI_ZMM(LOAD, "", "0") ARMCI_ZMM(LOAD, "64", "1")
    ARMCI_ZMM(LOAD_2, "", "2") ARMCI_ZMM(LOAD_2, "64", "3")
    ARMCI_ZMM(STORE, "", "0") ARMCI_ZMM(STORE, "64", "1")
    ARMCI_ZMM(STORE_2, "", "2") ARMCI_ZMM(STORE_2, "64", "3"));
// clang-format on

template <class Pieces>
void copy_wide_row(const BlockRow& row) {
    char* to = row.to;
    const char* from = row.from;
    const int64_t second = row.block_bytes - Pieces::kHalfBytes;
    for (int64_t i = 0; i < row.block_count; ++i) {
        Pieces::copy(to, from, second);
        to = offset_by(to, row.to_stride);
        from = offset_by(from, row.from_stride);
    }
    // Wide registers slow down the narrow instructions that follow until this instruction.
    asm volatile("vzeroupper" ::: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
}

#endif

const Isa best = best_isa();

}  // namespace

WideKernel wide_kernel_of(Isa isa, int64_t block_bytes) {
#if defined(__x86_64__)
    if (isa == Isa::baseline || block_bytes < kShortestWideBlock ||
        block_bytes > kLongestWideBlock) {
        return nullptr;
    }
    const bool has_zmm = isa == Isa::avx512;
    if (block_bytes == 64) {
        return has_zmm ? copy_wide_row<Avx512Line> : copy_wide_row<Avx2Line>;
    }
    if (block_bytes <= 128) {
        return has_zmm ? copy_wide_row<Avx512To128> : copy_wide_row<Avx2To128>;
    }
    return has_zmm ? copy_wide_row<Avx512To256> : copy_wide_row<Avx2To256>;
#else
    static_cast<void>(isa);
    static_cast<void>(block_bytes);
    return nullptr;
#endif
}

Isa widest_isa() {
    return best;
}

}  // namespace armci::strided
