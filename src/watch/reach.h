// SPDX-License-Identifier: BSD-3-Clause
// Whether the nodes can reach each other by the network that was chosen: what their addresses tell
// about that, and what silence does.
#pragma once

#include <cstdint>
#include <vector>

#include "core/job/world.h"
#include "fabric/domain.h"
#include "pipeline/origin/origin.h"

namespace armci::watch {

// Where a node's data servers are to be reached; plain bytes, for MPI.
struct NodeAddress {
    uint64_t host = 0;  // host_identity()
    uint32_t ipv4 = 0;  // as the network has it
    char host_name[64] = "";
    char interface[32] = "";
};

// Two nodes of different hosts with one address; or a single one, as both, with a loopback address.
struct AddressConflict {
    int first = -1;  // -1: none
    int second = -1;
};
// By node; of a job on several hosts.
AddressConflict find_conflict(const std::vector<NodeAddress>& addresses);

// Collective, once the data servers are open: ends the job when addresses show that nodes cannot
// reach each other. `server_address` is that of this node's first data server, on its first rank.
void check_addresses(const core::World& world, const fabric::Domain& domain,
                     const std::vector<unsigned char>* server_address);

// How long check_reach() may wait for the answer of one host, in milliseconds. `link_s` is
// ARMCI_LOST_LINK_SECONDS, within which the job is to end.
int64_t reach_patience_ms(int64_t link_s);

// For a call that has waited since `begin_ns`: ends the job when a data server with work of this
// rank's has never answered, and its host does not answer or refuses connections.
void check_reach(const fabric::Domain& domain, pipeline::Origin& origin, const char* function,
                 int64_t begin_ns, int64_t link_s);

}  // namespace armci::watch
