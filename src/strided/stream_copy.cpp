// SPDX-License-Identifier: BSD-3-Clause
#include "strided/stream_copy.h"

#include <algorithm>
#include <cstring>

#include "strided/cursor.h"

namespace armci::strided {
namespace {

constexpr int64_t kLineBytes = 64;
// The source is fetched so far ahead of the copy. The processor does that itself only within long
// blocks.
constexpr int64_t kAheadBytes = 2 << 10;
constexpr int64_t kLongestFetchedBlock = 4 << 10;

// Stores one line; `to` is aligned to a line. It uses assembly because the compiler has no
// streaming stores wider than the function's target allows, and inlines no function of another
// target. Wide stores need fewer entries of the store queue, whose length limits how many lines are
// under way.
template <Isa kIsa>
[[gnu::always_inline]] inline void stream_line(char* to, const char* from) {
#if defined(__x86_64__)
    if constexpr (kIsa == Isa::avx512) {
        asm volatile(
            "vmovdqu64 (%1), %%zmm0\n\t"
            "vmovntdq %%zmm0, (%0)"
            :
            : "r"(to), "r"(from)
            : "xmm0", "memory");
    } else if constexpr (kIsa == Isa::avx2) {
        asm volatile(
            "vmovdqu (%1), %%ymm0\n\t"
            "vmovdqu 32(%1), %%ymm1\n\t"
            "vmovntdq %%ymm0, (%0)\n\t"
            "vmovntdq %%ymm1, 32(%0)"
            :
            : "r"(to), "r"(from)
            : "xmm0", "xmm1", "memory");
    } else {
        asm volatile(
            "movdqu (%1), %%xmm0\n\t"
            "movdqu 16(%1), %%xmm1\n\t"
            "movdqu 32(%1), %%xmm2\n\t"
            "movdqu 48(%1), %%xmm3\n\t"
            "movntdq %%xmm0, (%0)\n\t"
            "movntdq %%xmm1, 16(%0)\n\t"
            "movntdq %%xmm2, 32(%0)\n\t"
            "movntdq %%xmm3, 48(%0)"
            :
            : "r"(to), "r"(from)
            : "xmm0", "xmm1", "xmm2", "xmm3", "memory");
    }
#elif defined(__aarch64__)
    asm volatile(
        "ldp q0, q1, [%1]\n\t"
        "ldp q2, q3, [%1, #32]\n\t"
        "stnp q0, q1, [%0]\n\t"
        "stnp q2, q3, [%0, #32]"
        :
        : "r"(to), "r"(from)
        : "v0", "v1", "v2", "v3", "memory");
#else
    std::memcpy(to, from, kLineBytes);
#endif
}

// Ends the use of wide registers, which slows down the narrow instructions that follow.
template <Isa kIsa>
[[gnu::always_inline]] inline void leave_wide_registers() {
#if defined(__x86_64__)
    if constexpr (kIsa != Isa::baseline) {
        asm volatile("vzeroupper" ::: "xmm0", "xmm1");
    }
#endif
}

template <Isa kIsa, bool kFetch>
[[gnu::always_inline]] inline void block_row(BlockRow row) {
    int64_t ahead = 0;
    if constexpr (kFetch) {
        ahead = std::max<int64_t>(1, kAheadBytes / row.block_bytes) * row.from_stride;
    }
    for (int64_t i = 0; i < row.block_count; ++i) {
        int64_t done = static_cast<int64_t>(-reinterpret_cast<uintptr_t>(row.to) % kLineBytes);
        if (done != 0) {
            done = std::min(done, row.block_bytes);
            std::memcpy(row.to, row.from, static_cast<size_t>(done));
        }
        for (; done + kLineBytes <= row.block_bytes; done += kLineBytes) {
            if constexpr (kFetch) {
                __builtin_prefetch(offset_by(row.from, ahead + done));
            }
            stream_line<kIsa>(row.to + done, row.from + done);
        }
        if (done != row.block_bytes) {
            std::memcpy(row.to + done, row.from + done,
                        static_cast<size_t>(row.block_bytes - done));
        }
        row.to = offset_by(row.to, row.to_stride);
        row.from = offset_by(row.from, row.from_stride);
    }
    leave_wide_registers<kIsa>();
}

template <Isa kIsa>
void run(const BlockRow& row) {
    if (row.block_count > 1 && row.block_bytes < kLongestFetchedBlock) {
        block_row<kIsa, true>(row);
    } else {
        block_row<kIsa, false>(row);
    }
}

using Kernel = void (*)(const BlockRow&);

Kernel kernel_of(Isa isa) {
    if constexpr (kIsX86) {
        switch (isa) {
            case Isa::avx512:
                return run<Isa::avx512>;
            case Isa::avx2:
                return run<Isa::avx2>;
            case Isa::baseline:
                break;
        }
    }
    return run<Isa::baseline>;
}

// Set once, when the library is loaded, as in accumulate.cpp. Until then the baseline is used,
// whose results are the same.
Kernel active_kernel = run<Isa::baseline>;

[[gnu::constructor]] void choose_stream_kernel() {
    active_kernel = kernel_of(best_isa());
}

}  // namespace

void stream_row(const BlockRow& row) {
    active_kernel(row);
}

void stream_row_with(Isa isa, const BlockRow& row) {
    kernel_of(isa)(row);
}

}  // namespace armci::strided
