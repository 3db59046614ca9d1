// SPDX-License-Identifier: BSD-3-Clause
// Where and how a measurement was made, so that a saved result can be judged later.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace armci::bench {

struct Machine {
    std::string date;  // UTC, ISO 8601
    std::vector<std::string> hosts;
    std::string cpu;
    int cpu_count = 0;
    std::string kernel;
    std::string compiler;
    std::string mpi;
    std::string library;
    std::string libfabric;  // these two are empty if unknown
    std::string provider;
    std::string tcp_congestion_control;  // that of rank 0's system, whether TCP is used or not;
                                         // empty if unknown
    std::string raw_network;             // of raw operations; empty if there are none
    int rank_count = 0;
    int node_count = 0;  // 0 if unknown
    std::vector<int> node_of_rank;

    // Settings of the libraries that are in the environment of rank 0, sorted by name.
    std::vector<std::pair<std::string, std::string>> environment;
};

// Collective over world; the answer is complete on rank 0.
Machine describe_machine();

}  // namespace armci::bench
