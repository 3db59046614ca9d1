// SPDX-License-Identifier: BSD-3-Clause
// Which processes of a job have liveness connections with each other: the start of every rank's
// watch, and its end.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <functional>

#include "base/config.h"
#include "core/job/world.h"
#include "watch/watch.h"

namespace armci::watch {

// Waits until an MPI request is complete, and makes progress meanwhile.
using Complete = std::function<void(MPI_Request*)>;

struct WatchSetup {
    const core::World& world;
    const base::Config& config;
    Complete complete;
    // In memory of the node, zero at first: the rank that finds it so reports a failure.
    std::atomic<uint32_t>* reported;
};

// Collective, with the nodes formed. Without a watch, which is warned about, only the launcher
// notices the failure of a process.
void start_watch(Watch* watch, const WatchSetup& setup);
// No rank needs this one any more, nor this one them.
void stop_watch(Watch& watch);

}  // namespace armci::watch
