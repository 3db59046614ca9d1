// SPDX-License-Identifier: BSD-3-Clause
// Results as comma-separated values: one line of column names, then one line per row.
// New columns come last, so that programs that count columns keep working.
#pragma once

#include "armci-bench/measuring/result.h"
#include "armci-bench/options/options.h"

#include <cstdio>

namespace armci::bench {

void write_csv_header(std::FILE* out);
void write_csv_row(std::FILE* out, const Result& result, const Options& options);

}  // namespace armci::bench
