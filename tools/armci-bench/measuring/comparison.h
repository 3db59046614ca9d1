// SPDX-License-Identifier: BSD-3-Clause
// Which rows are measured against each other, and how they compare.
#pragma once

#include "armci-bench/measuring/result.h"
#include "armci-bench/workloads/row.h"

#include <cstddef>
#include <string>
#include <vector>

namespace armci::bench {

// Indices of two rows that move the same data: one, and its baseline.
struct Comparison {
    size_t row;
    size_t base;

    bool operator==(const Comparison&) const = default;
};

// In the order of the rows: each operation by the raw or hand-written one in the same mode, and a
// mode by its serial form. A get's stream counts as its latency (see row.cpp).
std::vector<Comparison> find_comparisons(const std::vector<Row>& rows);

// The same for results; those that are not ok are compared with nothing.
std::vector<Comparison> comparisons_of(const std::vector<Result>& results);

// The name of the baseline of a comparison: "raw-put", or "one chunk at a time".
std::string base_name(const Row& row, const Row& base);

// Rate of the row as a multiple of the rate of its base; above 1: the row is faster. Both are ok.
double rate_ratio(const Result& row, const Result& base);

// Indices of the rows that are measured together, in the order of measuring. `together`: rows that
// are compared, with each other or with the same row, make one group; otherwise each row is one.
std::vector<std::vector<size_t>> group_rows(const std::vector<Row>& rows, bool together);

}  // namespace armci::bench
