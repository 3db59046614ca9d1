// SPDX-License-Identifier: BSD-3-Clause
// The system calls that the library makes while it waits, simulated: the clock, sched_yield(),
// poll(), epoll and the futex, what it does with simulated descriptors, and how a process ends. The
// program is linked so that the library's calls of these come here (see CMakeLists.txt). The
// library does not know.
#pragma once

#include <cstdint>

namespace armci::sim {

// How many processors each process may run on.
void set_processors(int count);
// From now on sleeps last as long as they should. Before they last for a few turns, because nothing
// depends on their length.
void sleep_in_earnest(bool in_earnest);
// The next look at the clock is a turn of the others: for a call that sleeps where it must not
// yield, because the caller holds a lock.
void owe_turn();
// The rank that looks for work next ends the job with an error. -1: none does.
void make_fail(int process);

}  // namespace armci::sim
