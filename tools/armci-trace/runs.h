// SPDX-License-Identifier: BSD-3-Clause
// Whether the files are of one run of a job. A run with fewer ranks than one before it leaves files
// of the earlier one beside its own, whose times have nothing to do with each other.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "armci-trace/event.h"
#include "armci-trace/selection.h"

namespace armci::trace {

class Runs {
  public:
    // Takes the names of processes from these events of a file.
    void add(const Event& event, const std::string& file);
    // Throws TraceError, which names the files of each run, if there are several runs.
    void expect_one() const;
    // Returns the wanted ranks of the job that no file is from.
    std::vector<int> missing_ranks(const Selection& selection) const;

  private:
    struct Run {
        int64_t ranks = 0;  // of the job; 0: not known
        std::vector<std::string> files;
    };

    std::map<std::string, Run> runs_;
    std::set<int> ranks_;  // whose files have been read
};

}  // namespace armci::trace
