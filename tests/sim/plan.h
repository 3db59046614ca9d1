// SPDX-License-Identifier: BSD-3-Clause
// What a seed decides before a run begins: the job, its settings, the network it runs on, and how
// busy the ranks are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/config.h"
#include "machine.h"
#include "provider.h"
#include "strided/kernels.h"

namespace armci::sim {

// How the streams between processes behave, which carry the notes of the watches.
struct StreamPlan {
    int64_t delays = 0;  // per mille of packets and ends that arrive late
    int64_t longest_delay = 1;
    bool loses_notes = false;  // sabotage: half of them
    bool hides_ends = false;   // sabotage
};

// What goes wrong with a process of the job, beside what the network does.
enum class Failure : uint8_t {
    none,
    death,    // the process ends
    freeze,   // it is stopped, as by SIGSTOP
    cut,      // a liveness connection of its node carries nothing any more
    error,    // the rank ends the job with an error
    reports,  // none; a rank calls for reports
};

struct Plan {
    std::vector<int> ranks_of_node;
    int servers_per_node = 1;
    bool counts_adapters = false;  // the number of servers is that of adapters, by default
    int rails = 1;
    ProviderPlan provider;

    int64_t buffer_bytes = 0;
    int64_t buffer_count = 0;
    int64_t receive_count = 0;  // granted receive buffers; without these the memory for messages
    // Windows where chunks are written into granted receive buffers: as narrow as in larger jobs.
    int64_t window_bytes = 0;
    bool has_few_receives = false;  // of a server, for messages: for a part of the windows
    int64_t answer_bytes = 0;       // of an origin
    bool use_ordering = true;
    base::RouteChoice route = base::RouteChoice::automatic;
    base::CostChoice costs = base::CostChoice::learned;
    int64_t min_rma_block = 0;
    int64_t min_get_by_put = INT64_MAX;
    int64_t min_in_place = 32 << 10;
    int mailboxes = 0;
    int64_t register_min_bytes = 0;
    bool explicit_progress = true;
    bool no_flush_local = false;
    bool takes_fast_paths = true;  // inside a node
    bool server_threads = true;    // else a server is served by its rank only
    int64_t spin_ns = 0;
    int depth_limit = 0;
    int processors = 1;            // of each process
    int64_t engine_min_bytes = 0;  // that a copy engine copies; 0: there is none

    // Start and stop.
    int lives = 1;               // how often the library is started
    int64_t longest_pause = 0;   // of a rank before start and stop, in turns
    std::vector<bool> settles;   // by life: whether all comes to rest before the stop
    int thread_refused_to = -1;  // process
    bool watches = false;        // with liveness connections
    int tree_width = 1;          // of the tree that they form between nodes
    int64_t silence_s = 0;       // ARMCI_LOST_RANK_SECONDS
    StreamPlan streams;

    // The program.
    int segments = 1;
    bool leaves_all = false;  // it stops with memory that is not freed, and puts under way
    bool attaches = false;    // each rank attaches as much memory of its own as a slice has
    int64_t part_bytes = 0;   // of a rank's slice, for each origin
    int64_t sum_bytes = 0;    // of a slice, for accumulates by all
    strided::AccType sum_type = strided::AccType::int64;
    int mutexes = 0;  // of each rank
    int phases = 1;
    int operations = 10;  // of a rank in a phase

    // The scheduler: how often each is chosen, against the others.
    int64_t network_weight = 1;
    int64_t rank_weight = 1;
    int64_t server_weight = 1;
    int64_t watch_weight = 1;
    std::vector<int64_t> rank_weights;    // among the ranks
    std::vector<int64_t> server_weights;  // among the servers
    int64_t step_ns = 0;
    // With a machine the run is timed (timeline.h). Weights have no effect then. The library plans
    // its windows and routes itself, for this machine and with one node on each host.
    const Machine* machine = nullptr;

    Failure failure = Failure::none;
    int victim = -1;       // rank whose process fails
    int64_t fails_at = 0;  // step

    // Whether the start cannot succeed.
    bool start_fails() const;
    bool is_timed() const { return machine != nullptr; }

    int rank_count() const;
    int node_count() const { return static_cast<int>(ranks_of_node.size()); }
    int server_count() const { return node_count() * servers_per_node; }
};

// Draws it from the random numbers of the run; with a twin the provider has its terms.
Plan draw_plan(const Twin* twin);
std::string describe(const Plan& plan);

}  // namespace armci::sim
