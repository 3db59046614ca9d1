// SPDX-License-Identifier: BSD-3-Clause
// Virtual time. A timed run has a clock for each thread of the job, and a queue of what happens
// when. No random numbers decide there: what is due first moves first.
//
// A thread runs until it yields, and its clock advances by what it does (spend()). It has its next
// turn at the end of its wait, or at an event that it waits for. Its clock may be ahead of events
// that it has not seen yet, by what it did in one turn.
#pragma once

#include <cstdint>

#include "machine.h"
#include "threads.h"

namespace armci::sim {

// Without a machine the run has no virtual time (simulation.h has another clock then).
void start_timeline(const Machine* machine, int process_count);
bool is_timed();
const Machine& machine();

// The rank itself, or its data server's thread.
struct ThreadName {
    int process = -1;
    bool is_server = false;
};

// The thread has its first turn then.
void start_thread_at(const ThreadName& thread, int64_t ns);

// --- For the thread that runs --------------------------------------------------------------------

// Its clock; outside threads, that of the event that happens.
int64_t timed_ns();
void spend(int64_t ns);
inline void spend_per_byte(double ns, size_t bytes) {
    spend(static_cast<int64_t>(ns * static_cast<double>(bytes)));
}
// Lets time pass. Nothing ends it early.
void pause_for(int64_t ns);
// Waits for an event of this thread, and at most so long. Without virtual time it is one turn of
// the others.
inline constexpr int64_t kForever = INT64_MAX / 4;
void wait_for_event(int64_t longest_ns);
// Says that this thread has found something, so it polls at short intervals again. A thread that
// only yields polls at longer and longer intervals, until an event comes.
void note_work();

// --- Events --------------------------------------------------------------------------------------

// An event of that thread: if it waits for one, it has its turn then.
void wake(const ThreadName& thread, int64_t ns);
// run(what) happens then.
void happen_at(int64_t ns, void (*run)(void* what), void* what);

// Lets everything happen that is due before the next turn of a thread, and returns that thread.
// Fails if there is none.
ThreadName next_turn();
// The turn of that thread is over. It has another one if it has not ended.
void end_turn(const ThreadName& thread, bool has_ended);

}  // namespace armci::sim
