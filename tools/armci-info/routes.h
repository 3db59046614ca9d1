// SPDX-License-Identifier: BSD-3-Clause
// How the ranks of a running job reach each other.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace armci::info {

struct JobRoutes {
    struct Rank {
        int node = 0;
        std::string host;
        std::string routes;  // of large puts: a letter for each target (l local, r rma, s server)
    };
    int node_count = 0;
    std::string provider;
    bool uses_remote_access = false;
    std::string cost_source;  // empty without a network
    std::vector<Rank> ranks;  // on rank 0
};

// Collective over MPI_COMM_WORLD, with ARMCI up.
JobRoutes find_routes();

void print_routes(std::FILE* out, const JobRoutes& routes);

}  // namespace armci::info
