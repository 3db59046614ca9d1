// SPDX-License-Identifier: BSD-3-Clause
// Whether nodes that are silent can be reached by the network that was chosen.
#pragma once

#include <cstdint>
#include <string>

#include "fabric/domain.h"
#include "pipeline/origin/origin.h"

namespace armci::watch {

// How long check_reach() may wait for the answer of one host, in milliseconds. `link_s` is
// ARMCI_LOST_LINK_SECONDS, within which the job is to end.
int64_t reach_patience_ms(int64_t link_s);

// After how long a wait check_reach() is called, so that the job has ended in time.
int64_t reach_check_ms(int64_t link_s);

// Asks the host of a data server, by its fabric address. Returns "refuses connections at port 4711
// over eth0: a firewall", or an empty text if the host accepts a connection or cannot be asked.
std::string ask_server(const fabric::Domain& domain, const void* name, int64_t link_s);

// For a call that has waited since `begin_ns`: ends the job when a data server with work of this
// rank's has never answered, and its host does not answer or refuses connections.
void check_reach(const fabric::Domain& domain, pipeline::Origin& origin, const char* function,
                 int64_t begin_ns, int64_t link_s);

}  // namespace armci::watch
