// SPDX-License-Identifier: BSD-3-Clause
// From which block length on transfers go by direct remote access.
#pragma once

#include <cstdio>

#include "pipeline/costs/cost_model.h"

namespace armci::info {

// A row for put and get, a column for some sizes.
void print_crossovers(std::FILE* out, const pipeline::CostModel& model);

}  // namespace armci::info
