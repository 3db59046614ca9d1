// SPDX-License-Identifier: BSD-3-Clause
// ARMCI_TRACE: where the timeline is written, the clock that all ranks' have in common, and calls.
#pragma once

#include <cstdint>

#include "base/config.h"

namespace armci::core {

struct World;

// Collective, with the nodes formed; nothing where the variable is not set. Ends the job when this
// rank's file cannot be written.
void start_tracing(const World& world, const base::Config& config, const char* function);
// Collective: completes the files. No other thread is in the library any more.
void stop_tracing(const World& world);
// What this rank has recorded since the last time goes into its file. For any thread.
void update_trace();

// A call of the calling thread, recorded when it ends: if it has lasted, or has moved data between
// nodes. While tracing is on.
void begin_traced_call();
void add_to_traced_call(int target, int64_t bytes);
void end_traced_call(const char* function);

}  // namespace armci::core
