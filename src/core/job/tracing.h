// SPDX-License-Identifier: BSD-3-Clause
// The timeline (ARMCI_TRACE): where it is written, the common clock of all ranks, and the calls in
// it.
#pragma once

#include <cstdint>

#include "base/config.h"

namespace armci::core {

struct World;

// Is called collectively after the nodes are formed. It does nothing when the variable is not set.
// Ends the job when this rank's file cannot be written.
void start_tracing(const World& world, const base::Config& config, const char* function);
// Is called collectively and completes the files. No other thread may be in the library any more.
void stop_tracing(const World& world);
// Appends to this rank's file what was recorded since the last time. Any thread may call it.
void update_trace();

// Enclose a call of the calling thread. It is recorded at its end if it has lasted, or has moved
// data between nodes. They are used only while tracing is on.
void begin_traced_call();
void add_to_traced_call(int target, int64_t bytes);
void end_traced_call(const char* function);

}  // namespace armci::core
