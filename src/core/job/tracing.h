// SPDX-License-Identifier: BSD-3-Clause
// The timeline (ARMCI_TRACE): where it is written, and the common clock of all ranks.
#pragma once

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

}  // namespace armci::core
