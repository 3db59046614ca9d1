// SPDX-License-Identifier: BSD-3-Clause
// The numbers of a job's data servers. Every node has equally many, and they are numbered node by
// node. Each serves some of its node's segments, and an origin has a channel to each.
#pragma once

#include <string>

namespace armci::pipeline {

struct ServerNumbers {
    int node_count = 1;
    int per_node = 1;

    int count() const { return node_count * per_node; }
    int first_of(int node) const { return node * per_node; }
    int node_of(int server) const { return server / per_node; }
    // Returns the name that log and error text uses: "the data server of node 3", "data server 1 of
    // node 3".
    std::string name_of(int server) const {
        const std::string node = " of node " + std::to_string(node_of(server));
        return per_node == 1 ? "the data server" + node
                             : "data server " + std::to_string(server % per_node) + node;
    }
};

}  // namespace armci::pipeline
