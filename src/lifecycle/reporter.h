// SPDX-License-Identifier: BSD-3-Clause
// What is written while the program runs and when a signal ends it: the timeline (ARMCI_TRACE) and
// statistics (ARMCI_STATS). Without these variables nothing here does anything.
//
// A thread writes the timeline every half second, so that even SIGKILL leaves most of it, and when
// one of SIGHUP, SIGINT, SIGTERM and SIGXCPU comes. Then this rank's statistics are printed, the
// other ranks are told, and the signal ends the process as it would have. Handlers are installed
// only for signals that would end the process, by default or by a handler of a network's library;
// handlers of the program, from before or later, are its own.
#pragma once

namespace armci::core {

struct Runtime;

void start_reporter(const Runtime& runtime);
void stop_reporter();

}  // namespace armci::core
