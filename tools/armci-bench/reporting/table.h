// SPDX-License-Identifier: BSD-3-Clause
// Results for readers: aligned columns with units.
#pragma once

#include "armci-bench/measuring/result.h"
#include "armci-bench/options/options.h"
#include "armci-bench/reporting/machine.h"

#include <cstdio>
#include <vector>

namespace armci::bench {

void print_heading(std::FILE* out, const Machine& machine, const Options& options);
void print_column_names(std::FILE* out);
void print_result(std::FILE* out, const Result& result, const Options& options);

// What the marks of these rows mean.
void print_legend(std::FILE* out, const std::vector<Result>& results, const Options& options);

// All pairs of rows that can be compared and have right results.
void print_comparisons(std::FILE* out, const std::vector<Result>& results);

// The row alone, for --list.
void print_row(std::FILE* out, const Row& row);

}  // namespace armci::bench
