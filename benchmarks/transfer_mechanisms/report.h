// SPDX-License-Identifier: BSD-3-Clause
// The results as a table and as CSV.
#pragma once

#include "job.h"

#include <cstdio>

namespace armci::mechanisms {

void print_table_header(std::FILE* out, const Options& options);
void print_table_line(std::FILE* out, const JobResult& job, const Options& options);

// With the columns that armci-plot needs.
void write_csv_header(std::FILE* out);
void write_csv_lines(std::FILE* out, const JobResult& job);

// A row with wrong data, or a mechanism that did not complete. One that is not available here is no
// failure.
bool has_failed(const JobResult& job);

}  // namespace armci::mechanisms
