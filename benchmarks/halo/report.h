// SPDX-License-Identifier: BSD-3-Clause
// The results as a table, as CSV and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exchange.h"
#include "statistics/statistics.h"

namespace armci::halo {

struct Result {
    Algorithm algorithm{};
    int64_t bytes = 0;  // of a strip
    int64_t steps = 0;  // of a sample
    tools::Summary step_us;
};

struct Job {
    int rank_count = 1;
    int node_count = 1;
    std::string provider;  // between nodes
    int columns = 1;
    int rows = 1;
};

void print_table(const Job& job, const std::vector<Result>& results);
// Return false if the file cannot be written.
bool write_csv(const std::string& path, const Job& job, const std::vector<Result>& results);
bool write_json(const std::string& path, const Job& job, const std::vector<Result>& results);

}  // namespace armci::halo
