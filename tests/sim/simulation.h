// SPDX-License-Identifier: BSD-3-Clause
// What all parts of a simulated run share: the random decisions, the clock, the record of events,
// and how a run fails.
//
// One run is one seed. dice() decides everything that could differ from one execution to the next,
// so a seed replays exactly. record() mixes every event into a hash that shows it.
#pragma once

#include <cstdint>
#include <string>

#include "transfer_pattern.h"

namespace armci::sim {

using test::Random;

// Starts over, for one seed; with `print` every event is written to standard output. `twin` is
// the full name of the provider's twin, or empty.
void begin_run(uint64_t seed, bool print, const std::string& twin);
uint64_t seed();

// Decisions of network and scheduler. Programs of ranks have random numbers of their own.
Random& dice();
inline int64_t draw(int64_t low, int64_t high) {
    return test::draw(dice(), low, high);
}
inline bool happens(int64_t per_mille) {
    return per_mille > 0 && draw(0, 999) < per_mille;
}

// What the system's random numbers are in this run (base/random.h). Schedules do not depend on
// them.
Random& system_numbers();

// Records an event. `record` is progress, `remark` is not (a refused post, for example): the search
// for deadlocks looks for progress.
void record(const char* what, int64_t a = -1, int64_t b = -1, int64_t c = -1);
void remark(const char* what, int64_t a = -1, int64_t b = -1, int64_t c = -1);
uint64_t event_hash();

// Steps of the scheduler, and the step of the last progress.
void count_step();
int64_t step();
int64_t last_progress();

// The clock of the library under test. It advances a little with each look at it and with each
// step.
void set_step_ns(int64_t ns);
int64_t simulated_ns();

// Ends the process: prints what was violated and how to replay the run.
inline constexpr int kViolationStatus = 3;
[[noreturn]] __attribute__((format(printf, 1, 2))) void violation(const char* format, ...);

// Printed by violation() and for crashes; returns the text for this run.
const char* replay_hint();

}  // namespace armci::sim
