// SPDX-License-Identifier: BSD-3-Clause
// Sends results to the table, the CSV file and the JSON file that were asked for.
#pragma once

#include "armci-bench/measuring/result.h"
#include "armci-bench/options/options.h"
#include "armci-bench/reporting/machine.h"

#include <cstdio>
#include <string>
#include <vector>

namespace armci::bench {

// For rank 0 only.
class Report {
  public:
    // Keeps a reference to options.
    explicit Report(const Options& options) : options_(options) {}
    ~Report();
    Report(const Report&) = delete;
    Report& operator=(const Report&) = delete;

    // Opens the files. Returns an empty string or what went wrong.
    std::string open();

    void begin(const Machine& machine);
    void add(const Result& result);

    // Writes what is left. Returns an empty string, or which output could not be written.
    std::string finish();

  private:
    const Options& options_;
    Machine machine_;
    std::vector<Result> results_;
    std::FILE* table_ = nullptr;
    std::FILE* csv_ = nullptr;
    std::FILE* json_ = nullptr;
};

}  // namespace armci::bench
