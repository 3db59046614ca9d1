// SPDX-License-Identifier: BSD-3-Clause
// What is noted of each call of a public function: its event in the timeline, and its time in the
// statistics of a running job. Nothing is noted while both are off.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/stats.h"
#include "base/trace.h"

namespace armci::core {

inline std::atomic<bool> g_times_calls{false};
// Returns whether count_call() gets the times of calls.
inline bool times_calls() {
    return g_times_calls.load(std::memory_order_relaxed);
}
void time_calls(bool on);

inline bool observes_calls() {
    return base::is_tracing() || times_calls();
}

// Enclose a call of the calling thread, while observes_calls(). The timeline has it if it has
// lasted, or has moved data between nodes.
void begin_observed_call();
void end_observed_call(const char* function);
// The timeline has a call since then that is not enclosed: one that starts or ends the library.
void record_call(const char* function, int64_t begin_ns);
// The call of the calling thread moves data between nodes.
void note_transfer(int target, int64_t bytes, base::Route route);

}  // namespace armci::core
