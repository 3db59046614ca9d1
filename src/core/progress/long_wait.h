// SPDX-License-Identifier: BSD-3-Clause
// Waits that last long: what they are for, and what is done about them.
#pragma once

#include <cstdint>

#include "base/config.h"
#include "base/log.h"
#include "core/job/world.h"
#include "core/progress/network.h"
#include "core/progress/threads.h"
#include "watch/watch.h"

namespace armci::core {

// The cause of a wait, for a report: "ARMCI_Get: waits for <what> <rank>".
struct WaitCause {
    const char* function = nullptr;  // public name; nullptr: that of the current call
    const char* what = "";
    int rank = -1;  // -1: `what` says everything
};

// What every wait of this process needs to know.
struct WaitContext {
    const World& world;
    const base::Config& config;
    Threads& threads;
    watch::Watch& watch;
    Network* network = nullptr;  // nullptr in a job of one node
};

// What a wait does in each of its turns, which may be a poll or a sleep of some milliseconds. It
// ends the job at once when a process has failed, because the watch gives it only a second. Once in
// many turns it looks at the clock, and ends the job when a node is out of reach or when
// ARMCI_HANG_SECONDS have passed.
class LongWait {
  public:
    LongWait(const WaitContext& context, const WaitCause& cause)
        : context_(context), cause_(cause) {}

    void turn() {
        constexpr uint32_t kTurnsPerLook = 64;
        if (context_.watch.ends_job()) [[unlikely]] {
            base::end_quietly();
        }
        if (++turns_ % kTurnsPerLook == 0) [[unlikely]] {
            look();
        }
    }

  private:
    const char* function() const;
    void look();
    void begin(int64_t now_ns);
    void report(int64_t now_ns);
    [[noreturn]] void end_job();

    const WaitContext& context_;
    const WaitCause& cause_;
    uint32_t turns_ = 0;
    int64_t begin_ns_ = 0;  // of the first look
    int64_t limit_ns_ = 0;  // when this rank asks all for reports
    int64_t patience_ns_ = 0;
    int64_t reach_ns_ = 0;  // when this rank looks whether it can reach its servers
    int64_t end_ns_ = 0;    // when it ends the job; not 0 once it has asked for reports
};

}  // namespace armci::core
