// SPDX-License-Identifier: BSD-3-Clause
// How good the choices of a model are.
#pragma once

#include <cstdio>
#include <vector>

#include "armci-tune/measure.h"

namespace armci::tune {

// Prints a table of the cells that were measured on both routes (rma first) with the model's
// prediction for each, the route it chooses, and how much longer that takes than the better one. A
// last line has the worst of those that the model was not fitted to.
void print_choices(std::FILE* out, const std::vector<Cell>& cells,
                   const pipeline::CostModel& model);

}  // namespace armci::tune
