// The instruction sets for which accumulate() is compiled. It picks the best one of the processor
// by itself; the tests and the benchmark force each.
#pragma once

#include <cstdint>

#include "strided/kernels.h"

namespace armci::strided {

enum class Isa { baseline, avx2 };

inline constexpr Isa kAllIsas[] = {Isa::baseline, Isa::avx2};

// False when this processor or this build lacks it.
bool is_isa_available(Isa isa);

// accumulate() with the instructions of `isa`, which must be available.
void accumulate_with(Isa isa, const AccScale& scale, void* target, const void* source,
                     int64_t bytes);
void accumulate_row_with(Isa isa, const AccScale& scale, const AccRow& row);

}  // namespace armci::strided
