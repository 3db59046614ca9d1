// SPDX-License-Identifier: BSD-3-Clause
// What a seed decides before a run begins: the job, its settings, the network it runs on, and how
// busy the ranks are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/config.h"
#include "provider.h"
#include "strided/kernels.h"

namespace armci::sim {

struct Plan {
    std::vector<int> ranks_of_node;
    int servers_per_node = 1;
    ProviderPlan provider;

    int64_t buffer_bytes = 0;
    int64_t buffer_count = 0;
    int64_t receive_count = 0;  // granted receive buffers; without these the memory for messages
    int64_t window_bytes = 0;
    int64_t receive_bytes = 0;  // of a server, for messages
    int64_t answer_bytes = 0;   // of an origin
    bool write_chunks = false;
    bool use_ordering = true;
    base::RouteChoice route = base::RouteChoice::automatic;
    int64_t min_rma_block = 0;
    int64_t min_get_by_put = INT64_MAX;
    int64_t register_min_bytes = 0;
    bool explicit_progress = true;
    bool no_flush_local = false;
    bool takes_fast_paths = true;  // inside a node
    bool server_threads = true;    // else a server is served by its rank only
    int64_t spin_ns = 0;
    int depth_limit = 0;

    // The program.
    int segments = 1;
    bool attaches = false;   // each rank attaches as much memory of its own as a slice has
    int64_t part_bytes = 0;  // of a rank's slice, for each origin
    int64_t sum_bytes = 0;   // of a slice, for accumulates by all
    strided::AccType sum_type = strided::AccType::int64;
    int mutexes = 0;  // of each rank
    int phases = 1;
    int operations = 10;  // of a rank in a phase

    // The scheduler: how often each is chosen, against the others.
    int64_t network_weight = 1;
    int64_t rank_weight = 1;
    int64_t server_weight = 1;
    std::vector<int64_t> rank_weights;    // among the ranks
    std::vector<int64_t> server_weights;  // among the servers
    int64_t step_ns = 0;

    int victim = -1;  // rank whose process ends
    int64_t dies_at = 0;

    int rank_count() const;
    int node_count() const { return static_cast<int>(ranks_of_node.size()); }
    int server_count() const { return node_count() * servers_per_node; }
};

// Draws it from the random numbers of the run; with a twin the provider has its terms.
Plan draw_plan(const Twin* twin);
std::string describe(const Plan& plan);

}  // namespace armci::sim
