// SPDX-License-Identifier: BSD-3-Clause
// The networks between the nodes of a job: which ones the addresses of the nodes tell of, and which
// of them comes first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ip.h"
#include "fabric/provider.h"

namespace armci::fabric {

// An address by which a node may perhaps be reached.
struct Candidate {
    base::IpAddress address;
    uint8_t prefix_bits = 0;
    InterfaceKind kind = InterfaceKind::ordinary;
    uint16_t port = 0;     // at which the node listens there, to be tried
    int32_t megabits = 0;  // each second, as the kernel says; 0: it does not say
    char interface[16] = "";
};

// The addresses of a node that its provider offers, in the provider's order; plain bytes, for MPI.
struct NodeCandidates {
    static constexpr int kMax = 12;
    uint64_t host = 0;  // equal for nodes of one host
    int32_t first_rank = 0;
    int32_t count = 0;
    char host_name[64] = "";
    Candidate candidates[kMax];
};

// Adds what the kernel knows of these addresses of this host. Bridges come last, because some hosts
// have more of them than there is room for.
void describe_candidates(const std::vector<base::IpAddress>& addresses, NodeCandidates* node);

// A network that perhaps connects all nodes: an address of each.
struct Network {
    // Why the addresses may be on one network, the best reason first.
    enum class Basis : uint8_t {
        prefix,     // they have it in common
        interface,  // their interfaces have one name
        order,      // each is the first one of its node
    };
    std::string name;  // "192.0.2.0/24 (eth0)"
    Basis basis = Basis::prefix;
    InterfaceKind kind = InterfaceKind::ordinary;  // the least likely one of any node
    int32_t megabits = 0;                          // of the slowest node
    uint16_t family = 0;
    int64_t positions = 0;        // the sum of the addresses' places in the lists of their nodes
    std::vector<uint8_t> chosen;  // by node: which of its candidates
};

struct NetworkPlan {
    static constexpr size_t kMax = 6;
    std::vector<Network> networks;       // the best one first, at most kMax
    std::vector<std::string> ruled_out;  // why addresses cannot connect the nodes, a sentence each
};

// A pure function of the candidates of all nodes.
NetworkPlan plan_networks(const std::vector<NodeCandidates>& nodes);

// Returns why this one of the plan's networks is used, when those before it do not connect the
// nodes: "the only network that all nodes have".
std::string why_used(const NetworkPlan& plan, size_t network);

// Returns "node 1 (rank 2 on host b, 192.0.2.1)".
std::string describe_candidate(const std::vector<NodeCandidates>& nodes, int node, int candidate);

}  // namespace armci::fabric
