// SPDX-License-Identifier: BSD-3-Clause
// How fast this processor packs, unpacks and accumulates: points of the cost model's curves,
// measured with the library's own kernels.
#pragma once

#include <cstdint>

#include "pipeline/costs/cost_model.h"

namespace armci::pipeline {

// Sets the three curves. Measures on runs with gaps, data_bytes at a time and for about
// budget_us: every point at least once, then again for its best time as long as that lasts. False
// when there is no memory for it.
bool measure_copies(int64_t data_bytes, int64_t budget_us, CostConstants* constants);

}  // namespace armci::pipeline
