// SPDX-License-Identifier: BSD-3-Clause
// The watch of this rank: which ranks have lines with each other, and what the rest of the library
// tells the watch and hears from it.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/messages/messages.h"
#include "core/progress/progress.h"
#include "watch/watch.h"

namespace armci::core {

// Collective. Without a watch, which is warned about, the loss of a rank is noticed by the launcher
// only. `reported` is in memory of the node, zero at first: the rank that finds it so reports.
void start_watch(Progress& progress, Messages& messages, watch::Watch* watch,
                 std::atomic<uint32_t>* reported);
// No rank needs this one any more, nor this one them.
void stop_watch(watch::Watch& watch);

}  // namespace armci::core
