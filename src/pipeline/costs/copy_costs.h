// SPDX-License-Identifier: BSD-3-Clause
// Measures how fast this processor packs, unpacks and accumulates, with the library's own kernels.
// The results are points of the cost model's curves.
#pragma once

#include <cstdint>

#include "pipeline/costs/cost_model.h"

namespace armci::pipeline {

// Sets the three curves. It measures on blocks with gaps, data_bytes at a time, for about
// budget_us. Every point is measured at least once, then again for its best time while the budget
// lasts. Returns false when there is no memory.
bool measure_copies(int64_t data_bytes, int64_t budget_us, CostConstants* constants);

}  // namespace armci::pipeline
