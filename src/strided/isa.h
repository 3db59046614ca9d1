// SPDX-License-Identifier: BSD-3-Clause
// The instruction sets for which kernels are compiled. The best one of the processor is chosen when
// the library is loaded; tests and benchmarks force each.
#pragma once

#include <cstdint>

namespace armci::strided {

#if defined(__x86_64__)
inline constexpr bool kIsX86 = true;
#else
inline constexpr bool kIsX86 = false;
#endif

// baseline is what every processor of the architecture has: SSE2 or NEON.
enum class Isa : uint8_t { baseline, avx2, avx512 };

inline constexpr Isa kAllIsas[] = {Isa::baseline, Isa::avx2, Isa::avx512};

// Returns false if this processor does not have it.
inline bool is_isa_available(Isa isa) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    switch (isa) {
        case Isa::baseline:
            return true;
        case Isa::avx2:
            return __builtin_cpu_supports("avx2") != 0;
        case Isa::avx512:
            return __builtin_cpu_supports("avx512f") != 0 &&
                   __builtin_cpu_supports("avx512vl") != 0 &&
                   __builtin_cpu_supports("avx512dq") != 0;
    }
#endif
    return isa == Isa::baseline;
}

inline Isa best_isa() {
    Isa best = Isa::baseline;
    for (const Isa isa : kAllIsas) {
        if (is_isa_available(isa)) {
            best = isa;
        }
    }
    return best;
}

}  // namespace armci::strided
