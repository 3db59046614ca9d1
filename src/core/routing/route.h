// SPDX-License-Identifier: BSD-3-Clause
// The choice of the route that a put, get or accumulate takes, with its reason.
#pragma once

#include "core/progress/progress.h"
#include "pipeline/costs/cost_model.h"

namespace armci::core {

// What the choice depends on, besides the configuration and the costs of the network.
struct RouteQuestion {
    static constexpr int kIdleServer = -1;  // no requests are under way to it

    base::OpKind op = base::OpKind::put;
    int target = 0;  // world rank
    pipeline::TransferShape shape;
    bool is_blocking = true;
    bool is_registered = true;  // all of its remote bytes, for RMA
    int server = kIdleServer;   // that the remote bytes belong to
    bool is_fenced = false;     // a put: a fence is likely to follow, and takes a message after RMA
    bool may_be_copied = false;  // a put: Origin::may_write_copy()
    // For ARMCI_ROUTE=alternate: whether the last operation that had the choice took RMA.
    bool last_took_rma = false;
};

enum class RouteReason {
    same_node,            // both ranks share memory
    server_adds,          // only a data server can accumulate
    no_rma,               // the provider cannot be used for it
    not_registered,       // the remote bytes are not registered
    configured,           // ARMCI_ROUTE names the route
    alternating,          // ARMCI_ROUTE=alternate
    travels_with_others,  // small non-blocking transfers share a frame
    copied,               // a put of one block: the network tells its fence that a copy has arrived
    fence_follows,        // a put of one block: its frame asks for what its fence waits for
    slow_reads,           // a get of one block, which the target's data server writes here
    long_blocks,          // RMA costs less for blocks of this length
    more_rails,           // a long put of one block: direct ones use one rail, and chunks use all
    one_block,    // of a contiguous transfer, and nothing is under way that it must not overtake
    short_blocks  // the server costs less
};

struct RouteDecision {
    base::Route route;
    RouteReason reason;
    bool is_copied = false;  // RMA: a put of one block, by Origin::write_copy()
};

// Says whether direct puts take the first rail of several (fabric/endpoint.h).
bool puts_keep_to_one_rail(const fabric::Domain& domain);

// docs/references.md: Bonachea 2007
RouteDecision choose_route(const Progress& progress, const RouteQuestion& question);

// Returns what connects this node with that of another rank. Different costs belong to each.
Link link_to(const Progress& progress, int target);

// Returns the route of a large contiguous put to that rank, anywhere in its memory.
base::Route route_to(const Progress& progress, int target);

}  // namespace armci::core
