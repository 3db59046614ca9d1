// SPDX-License-Identifier: BSD-3-Clause
// Which adapter each rank of a node uses, and on which processors the threads of the data servers
// run. An adapter is near its rank, and a server's processor near the memory that it serves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/hardware.h"

namespace armci::base {

// Sets of processors are texts as hwloc writes bitmaps; an empty one is not known.
struct PlacementQuestion {
    std::vector<std::string> ranks;  // what each rank of the node may run on
    // The rank that has each data server, ascending; the server has the memory of the ranks from
    // there to the next one's.
    std::vector<int> server_ranks;
    std::vector<std::string> adapters;  // the processors next to each
};

struct Placement {
    std::vector<int> adapter_of_rank;  // all 0 if there is one, or none
    // The number that the system gives a processor which no rank is bound to. -1: too few are
    // free, so the thread is not bound.
    std::vector<int> processor_of_server;
    // The NUMA nodes, as a bitmap, of each server's rank: its buffers are there.
    std::vector<std::string> memory_of_server;
};

// Adapters that are equally near are used in turn: first by ranks with a data server, then by
// others.
Placement place_node(const Hardware& hardware, const PlacementQuestion& question);

// What the default number of data servers of each node depends on.
struct ServerDemand {
    int64_t ranks = 1;     // of the smallest node
    int64_t adapters = 1;  // of which each rank uses the nearest; with ARMCI_INTERFACE, 1
    bool ranks_outnumber_processors = false;
};

// Returns the number where ARMCI_SERVERS_PER_NODE is auto. It is one for each 16 ranks, rounded to
// the nearest, so 56 ranks have four: two sockets, or four NUMA nodes, then have equally many. It
// is not less than the number of adapters, because what other nodes put and get passes through
// those of the servers only.
int default_server_count(const ServerDemand& demand);

}  // namespace armci::base
