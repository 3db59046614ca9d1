// SPDX-License-Identifier: BSD-3-Clause
// How good the choices are that follow from a model.
#pragma once

#include <cstdio>
#include <vector>

#include "armci-tune/measure.h"

namespace armci::tune {

// Prints a table of the cells that were measured on both routes (rma first) with what the model
// says of each, the route it chooses, and how much longer that takes than the better one; and a
// last line with the worst of those that the model was not fitted to.
void print_choices(std::FILE* out, const std::vector<Cell>& cells,
                   const pipeline::CostModel& model);

}  // namespace armci::tune
