// SPDX-License-Identifier: BSD-3-Clause
// Whether the files are of one run of a job, and each rank in one of them. A run with fewer ranks
// than one before it leaves files of the earlier one beside its own, whose times have nothing to do
// with each other. A merged file beside those that it was made of has all events again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "armci-trace/event.h"
#include "armci-trace/selection.h"

namespace armci::trace {

class Runs {
  public:
    // Takes the names of processes from these events of a file.
    void add(const Event& event, const std::string& file);
    // Throws TraceError, which names the files of each run, if there are several runs; or two files
    // with events of one rank.
    void expect_one() const;
    // Returns the wanted ranks of the job that no file is from.
    std::vector<int> missing_ranks(const Selection& selection) const;

  private:
    struct Run {
        int64_t ranks = 0;  // of the job; 0: not known
        std::vector<std::string> files;
    };

    std::map<std::string, Run> runs_;
    std::map<int, std::string> files_;  // by rank: the first one that has it
    std::string repeated_;              // an error: a rank and two files that have it
};

}  // namespace armci::trace
