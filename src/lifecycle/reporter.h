// SPDX-License-Identifier: BSD-3-Clause
// Writes the timeline (ARMCI_TRACE) and statistics (ARMCI_STATS, ARMCI_STATS_TRIGGER) while the
// program runs and when a signal ends it. Without these variables nothing here does anything.
//
// A thread writes the timeline every half second, so that even SIGKILL leaves most of it, and when
// one of SIGHUP, SIGINT, SIGTERM and SIGXCPU comes. Then this rank's statistics are printed, the
// other ranks are notified, and the signal ends the process as it would have. Handlers are
// installed only for signals that would end the process, by default or by a handler of a network's
// library. Handlers of the program, installed earlier or later, stay in place.
//
// The same thread writes this rank's statistics at the times of ARMCI_STATS_TRIGGER. Handlers only
// set words and wake it. The handler of the signal that asks for statistics stays, without effect,
// after the end.
#pragma once

namespace armci::core {
struct Runtime;
}

namespace armci::lifecycle {

using core::Runtime;

// Is collective. Ends the job when a variable is not valid or a file cannot be written.
void start_reporter(const Runtime& runtime, const char* function);
void stop_reporter();

}  // namespace armci::lifecycle
