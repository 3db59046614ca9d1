// SPDX-License-Identifier: BSD-3-Clause
// accumulate() with a given instruction set, for tests and the benchmark.
#pragma once

#include <cstdint>

#include "strided/isa.h"
#include "strided/kernels.h"

namespace armci::strided {

// Does what accumulate() does, with the instructions of `isa`, which must be available.
void accumulate_with(Isa isa, const AccScale& scale, void* target, const void* source,
                     int64_t bytes);
void accumulate_row_with(Isa isa, const AccScale& scale, const AccRow& row);
void accumulate_segments_with(Isa isa, const AccScale& scale, const AccSegments& segments);

}  // namespace armci::strided
