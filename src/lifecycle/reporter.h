// SPDX-License-Identifier: BSD-3-Clause
// Writes the timeline (ARMCI_TRACE) and statistics (ARMCI_STATS) while the program runs and when a
// signal ends it. Without these variables nothing here does anything.
//
// A thread writes the timeline every half second, so that even SIGKILL leaves most of it, and when
// one of SIGHUP, SIGINT, SIGTERM and SIGXCPU comes. Then this rank's statistics are printed, the
// other ranks are notified, and the signal ends the process as it would have. Handlers are
// installed only for signals that would end the process, by default or by a handler of a network's
// library. Handlers of the program, installed earlier or later, stay in place.
#pragma once

namespace armci::core {
struct Runtime;
}

namespace armci::lifecycle {

using core::Runtime;

void start_reporter(const Runtime& runtime);
void stop_reporter();

}  // namespace armci::lifecycle
