// SPDX-License-Identifier: BSD-3-Clause
// What was measured, what the model says of it, and which routes it chooses: as a table, CSV, JSON.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "armci-tune/measure.h"
#include "pipeline/costs/cost_profile.h"

namespace armci::tune {

// The result of a run.
struct Outcome {
    std::vector<Cell> cells;  // measured
    pipeline::CostProfile profile;
    std::vector<std::string> faults;  // of find_faults()
    int target = 0;                   // rank
};

// One line for each transfer and route. Of transfers with two routes the chosen one is marked, with
// how much longer it takes than the better one; the last line has the worst of those that the model
// was not fitted to.
void print_table(std::FILE* out, const std::vector<Cell>& cells, const pipeline::CostModel& model);

// The same lines. Percentiles for which there are too few samples are empty.
void write_csv(std::FILE* out, const std::vector<Cell>& cells, const pipeline::CostModel& model);

// The same, where such percentiles are null, and the profile with its faults.
void write_json(std::FILE* out, const Outcome& outcome, const pipeline::CostModel& model);

}  // namespace armci::tune
