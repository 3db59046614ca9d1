// SPDX-License-Identifier: BSD-3-Clause
// The statistics of this rank alone, which it writes while the job runs (ARMCI_STATS_TRIGGER).
#pragma once

#include <string>
#include <vector>

#include "base/config.h"
#include "base/descriptor.h"
#include "core/job/call_times.h"
#include "core/job/world.h"
#include "core/runtime/runtime.h"

namespace armci::lifecycle {

using core::Runtime;

// Returns "12.3 us: 5, 24.6 us: 7": from which time on there are how many calls, up to the next
// one. Empty buckets are left out.
std::string histogram_text(const core::CallTimes& times);
std::string calls_as_text(const std::vector<core::CallTimes>& calls);
std::string calls_as_json(const std::vector<core::CallTimes>& calls);

// Where the reports of this rank go.
class RankReports {
  public:
    // Is collective. Ends the job when this rank's file cannot be written.
    void open(const core::World& world, const base::Config& config, const char* function);
    void close() { file_.reset(); }
    // Writes one. `trigger` says why: "exit", "signal" or "timer". Other threads may go on.
    void write(const Runtime& runtime, const char* trigger);

  private:
    void open_file(const core::World& world, const base::Config& config, const char* function);

    std::string path_;       // stays when the file is closed
    base::Descriptor file_;  // none: standard error
    int64_t begin_ns_ = 0;
    bool has_failed_ = false;
};

}  // namespace armci::lifecycle
