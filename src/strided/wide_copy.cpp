#include "strided/wide_copy.h"

#include "strided/kernels.h"

namespace armci::strided {
namespace {

// Assembly for the same reasons as in stream_copy.cpp. The pieces of a run are counted from both of
// its ends, and overlap where it is shorter than all together: `second` is where those that are
// counted from the end begin.
#if defined(__x86_64__)

struct Avx2Line {
    static constexpr int64_t kHalfBytes = 32;
    [[gnu::always_inline]] static void copy(char* to, const char* from, int64_t second) {
        asm volatile(
            "vmovdqu (%1), %%ymm0\n\t"
            "vmovdqu (%1,%2), %%ymm1\n\t"
            "vmovdqu %%ymm0, (%0)\n\t"
            "vmovdqu %%ymm1, (%0,%2)"
            :
            : "r"(to), "r"(from), "r"(second)
            : "xmm0", "xmm1", "memory");
    }
};

struct Avx2To128 {
    static constexpr int64_t kHalfBytes = 64;
    [[gnu::always_inline]] static void copy(char* to, const char* from, int64_t second) {
        asm volatile(
            "vmovdqu (%1), %%ymm0\n\t"
            "vmovdqu 32(%1), %%ymm1\n\t"
            "vmovdqu (%1,%2), %%ymm2\n\t"
            "vmovdqu 32(%1,%2), %%ymm3\n\t"
            "vmovdqu %%ymm0, (%0)\n\t"
            "vmovdqu %%ymm1, 32(%0)\n\t"
            "vmovdqu %%ymm2, (%0,%2)\n\t"
            "vmovdqu %%ymm3, 32(%0,%2)"
            :
            : "r"(to), "r"(from), "r"(second)
            : "xmm0", "xmm1", "xmm2", "xmm3", "memory");
    }
};

struct Avx2To256 {
    static constexpr int64_t kHalfBytes = 128;
    [[gnu::always_inline]] static void copy(char* to, const char* from, int64_t second) {
        asm volatile(
            "vmovdqu (%1), %%ymm0\n\t"
            "vmovdqu 32(%1), %%ymm1\n\t"
            "vmovdqu 64(%1), %%ymm2\n\t"
            "vmovdqu 96(%1), %%ymm3\n\t"
            "vmovdqu (%1,%2), %%ymm4\n\t"
            "vmovdqu 32(%1,%2), %%ymm5\n\t"
            "vmovdqu 64(%1,%2), %%ymm6\n\t"
            "vmovdqu 96(%1,%2), %%ymm7\n\t"
            "vmovdqu %%ymm0, (%0)\n\t"
            "vmovdqu %%ymm1, 32(%0)\n\t"
            "vmovdqu %%ymm2, 64(%0)\n\t"
            "vmovdqu %%ymm3, 96(%0)\n\t"
            "vmovdqu %%ymm4, (%0,%2)\n\t"
            "vmovdqu %%ymm5, 32(%0,%2)\n\t"
            "vmovdqu %%ymm6, 64(%0,%2)\n\t"
            "vmovdqu %%ymm7, 96(%0,%2)"
            :
            : "r"(to), "r"(from), "r"(second)
            : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "memory");
    }
};

struct Avx512Line {
    static constexpr int64_t kHalfBytes = 64;  // the only half
    [[gnu::always_inline]] static void copy(char* to, const char* from, int64_t) {
        asm volatile(
            "vmovdqu64 (%1), %%zmm0\n\t"
            "vmovdqu64 %%zmm0, (%0)"
            :
            : "r"(to), "r"(from)
            : "xmm0", "memory");
    }
};

struct Avx512To128 {
    static constexpr int64_t kHalfBytes = 64;
    [[gnu::always_inline]] static void copy(char* to, const char* from, int64_t second) {
        asm volatile(
            "vmovdqu64 (%1), %%zmm0\n\t"
            "vmovdqu64 (%1,%2), %%zmm1\n\t"
            "vmovdqu64 %%zmm0, (%0)\n\t"
            "vmovdqu64 %%zmm1, (%0,%2)"
            :
            : "r"(to), "r"(from), "r"(second)
            : "xmm0", "xmm1", "memory");
    }
};

struct Avx512To256 {
    static constexpr int64_t kHalfBytes = 128;
    [[gnu::always_inline]] static void copy(char* to, const char* from, int64_t second) {
        asm volatile(
            "vmovdqu64 (%1), %%zmm0\n\t"
            "vmovdqu64 64(%1), %%zmm1\n\t"
            "vmovdqu64 (%1,%2), %%zmm2\n\t"
            "vmovdqu64 64(%1,%2), %%zmm3\n\t"
            "vmovdqu64 %%zmm0, (%0)\n\t"
            "vmovdqu64 %%zmm1, 64(%0)\n\t"
            "vmovdqu64 %%zmm2, (%0,%2)\n\t"
            "vmovdqu64 %%zmm3, 64(%0,%2)"
            :
            : "r"(to), "r"(from), "r"(second)
            : "xmm0", "xmm1", "xmm2", "xmm3", "memory");
    }
};

template <class Pieces>
void copy_wide_row(const RunRow& row) {
    char* to = row.to;
    const char* from = row.from;
    const int64_t second = row.run_bytes - Pieces::kHalfBytes;
    for (int64_t i = 0; i < row.run_count; ++i) {
        Pieces::copy(to, from, second);
        to = offset_by(to, row.to_stride);
        from = offset_by(from, row.from_stride);
    }
    // Wide registers slow down the narrow instructions that follow until this.
    asm volatile("vzeroupper" ::: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
}

#endif

const Isa best = best_isa();

}  // namespace

WideKernel wide_kernel_of(Isa isa, int64_t run_bytes) {
#if defined(__x86_64__)
    if (isa == Isa::baseline || run_bytes < kShortestWideRun || run_bytes > kLongestWideRun) {
        return nullptr;
    }
    const bool has_zmm = isa == Isa::avx512;
    if (run_bytes == 64) {
        return has_zmm ? copy_wide_row<Avx512Line> : copy_wide_row<Avx2Line>;
    }
    if (run_bytes <= 128) {
        return has_zmm ? copy_wide_row<Avx512To128> : copy_wide_row<Avx2To128>;
    }
    return has_zmm ? copy_wide_row<Avx512To256> : copy_wide_row<Avx2To256>;
#else
    static_cast<void>(isa);
    static_cast<void>(run_bytes);
    return nullptr;
#endif
}

Isa widest_isa() {
    return best;
}

}  // namespace armci::strided
