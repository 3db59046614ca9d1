// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/networks.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <map>
#include <tuple>
#include <utility>

#include "base/interfaces.h"

namespace armci::fabric {
namespace {

using Nodes = std::vector<NodeCandidates>;

int32_t speed_of(const std::string& interface) {
    std::ifstream file("/sys/class/net/" + interface + "/speed");
    int32_t megabits = 0;
    return file >> megabits && megabits > 0 ? megabits : 0;
}

const Candidate& candidate_of(const Nodes& nodes, size_t node, const Network& network) {
    return nodes[node].candidates[network.chosen[node]];
}

// Returns the network of each node's first candidate that `is_meant`, or one without nodes if a
// node has none.
template <typename IsMeant>
Network gather(const Nodes& nodes, Network::Basis basis, IsMeant&& is_meant) {
    Network network;
    network.basis = basis;
    for (const NodeCandidates& node : nodes) {
        const Candidate* end = node.candidates + node.count;
        const Candidate* found = std::find_if(node.candidates, end, is_meant);
        if (found == end) {
            return {};
        }
        network.chosen.push_back(static_cast<uint8_t>(found - node.candidates));
        network.positions += found - node.candidates;
        network.kind = std::max(network.kind, found->kind);
        network.megabits = network.chosen.size() == 1 ? found->megabits
                                                      : std::min(network.megabits, found->megabits);
        network.family = found->address.family;
    }
    return network;
}

// Returns "eth0" or "eth0, ib0", the names of the interfaces on all nodes.
std::string interfaces_of(const Nodes& nodes, const Network& network) {
    constexpr size_t kMaxNamed = 3;
    std::vector<std::string> names;
    for (size_t node = 0; node < nodes.size() && names.size() <= kMaxNamed; ++node) {
        const std::string name = candidate_of(nodes, node, network).interface;
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
        }
    }
    std::string text;
    for (size_t i = 0; i < names.size(); ++i) {
        text += (i > 0 ? ", " : "") + (i < kMaxNamed ? names[i] : "...");
    }
    return text;
}

std::string name_of(const Nodes& nodes, const Network& network) {
    const Candidate& first = candidate_of(nodes, 0, network);
    const std::string interfaces = interfaces_of(nodes, network);
    switch (network.basis) {
        case Network::Basis::prefix:
            return base::text_of(base::prefix_of(first.address, first.prefix_bits)) + "/" +
                   std::to_string(first.prefix_bits) + " (" + interfaces + ")";
        case Network::Basis::interface:
            return "the networks of " + interfaces;
        case Network::Basis::order:
            break;
    }
    return "the first networks (" + interfaces + ")";
}

// Returns why the addresses of a network cannot connect the nodes, or nothing.
std::string conflict_in(const Nodes& nodes, const Network& network) {
    std::map<std::array<unsigned char, 16>, size_t> node_by_address;
    for (size_t node = 0; node < nodes.size(); ++node) {
        const Candidate& own = candidate_of(nodes, node, network);
        const auto who = [&](size_t number) {
            return std::string(nodes[number].host_name) + " (rank " +
                   std::to_string(nodes[number].first_rank) + ", interface " +
                   candidate_of(nodes, number, network).interface + ")";
        };
        if (base::is_loopback(own.address)) {
            return who(node) + " has the network address " + base::text_of(own.address) +
                   ", by which no other host reaches it";
        }
        // Virtual nodes share their host's.
        const size_t other = node_by_address.emplace(own.address.bytes, node).first->second;
        if (nodes[other].host != nodes[node].host) {
            return who(other) + " and " + who(node) + " have the same network address, " +
                   base::text_of(own.address) + ", so they cannot reach each other";
        }
    }
    return {};
}

void add(const Nodes& nodes, Network network, NetworkPlan* plan) {
    const auto is_same = [&](const Network& other) { return other.chosen == network.chosen; };
    if (network.chosen.empty() ||
        std::any_of(plan->networks.begin(), plan->networks.end(), is_same)) {
        return;
    }
    const std::string conflict = conflict_in(nodes, network);
    if (conflict.empty()) {
        network.name = name_of(nodes, network);
        plan->networks.push_back(std::move(network));
    } else if (std::find(plan->ruled_out.begin(), plan->ruled_out.end(), conflict) ==
               plan->ruled_out.end()) {
        plan->ruled_out.push_back(conflict);
    }
}

// The less, the better.
auto rank_of(const Network& network) {
    return std::tuple(network.basis, network.kind, -network.megabits, network.family != AF_INET,
                      network.positions);
}

}  // namespace

void describe_candidates(const std::vector<base::IpAddress>& addresses, NodeCandidates* node) {
    const std::vector<base::InterfaceAddress> entries = base::interface_addresses();
    std::vector<Candidate> all;
    for (const base::IpAddress& address : addresses) {
        Candidate candidate;
        candidate.address = address;
        candidate.prefix_bits = static_cast<uint8_t>(base::bits_of(address));
        for (const base::InterfaceAddress& entry : entries) {
            if (entry.address == address) {
                candidate.prefix_bits = static_cast<uint8_t>(entry.prefix_bits);
                candidate.kind = kind_of(entry.interface, address);
                candidate.megabits = speed_of(entry.interface);
                std::strncpy(candidate.interface, entry.interface.c_str(),
                             sizeof candidate.interface - 1);
                break;
            }
        }
        all.push_back(candidate);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Candidate& a, const Candidate& b) { return a.kind < b.kind; });
    node->count = static_cast<int32_t>(std::min<size_t>(all.size(), NodeCandidates::kMax));
    std::copy_n(all.begin(), node->count, node->candidates);
}

NetworkPlan plan_networks(const Nodes& nodes) {
    NetworkPlan plan;
    const NodeCandidates& first = nodes.front();
    for (const Candidate& wanted : std::vector(first.candidates, first.candidates + first.count)) {
        const base::IpAddress prefix = base::prefix_of(wanted.address, wanted.prefix_bits);
        // A prefix as long as the address names one host.
        if (wanted.prefix_bits < base::bits_of(wanted.address)) {
            add(nodes,
                gather(nodes, Network::Basis::prefix,
                       [&](const Candidate& candidate) {
                           return base::prefix_of(candidate.address, wanted.prefix_bits) == prefix;
                       }),
                &plan);
        }
        add(nodes,
            gather(nodes, Network::Basis::interface,
                   [&](const Candidate& candidate) {
                       return candidate.address.family == wanted.address.family &&
                              std::strcmp(candidate.interface, wanted.interface) == 0;
                   }),
            &plan);
    }
    for (const uint16_t family : {AF_INET, AF_INET6}) {
        add(nodes,
            gather(nodes, Network::Basis::order,
                   [&](const Candidate& candidate) { return candidate.address.family == family; }),
            &plan);
    }
    std::stable_sort(plan.networks.begin(), plan.networks.end(),
                     [](const Network& a, const Network& b) { return rank_of(a) < rank_of(b); });
    plan.networks.resize(std::min(plan.networks.size(), NetworkPlan::kMax));
    return plan;
}

std::string why_used(const NetworkPlan& plan, size_t network) {
    const Network& used = plan.networks[network];
    const bool is_shared = used.basis == Network::Basis::prefix;
    if (network > 0) {
        return "the first one of " + std::to_string(plan.networks.size()) +
               " possible that connects all nodes";
    }
    const auto shared =
        std::count_if(plan.networks.begin(), plan.networks.end(),
                      [](const Network& other) { return other.basis == Network::Basis::prefix; });
    if (!is_shared) {
        return used.basis == Network::Basis::interface ? "no prefix is common to all nodes, but "
                                                         "the name of these interfaces is"
                                                       : "the nodes have neither prefixes nor "
                                                         "names of interfaces in common";
    }
    if (shared == 1) {
        return "the only one that all nodes have";
    }
    const std::string all = " of " + std::to_string(shared) + " that all nodes have";
    const Network& next = plan.networks[1];
    if (used.kind != next.kind) {
        return "the only one" + all + " without bridges made by software";
    }
    if (used.megabits != next.megabits) {
        return "the fastest" + all + " (" + std::to_string(used.megabits) + " Mbit/s)";
    }
    return "the first" + all;
}

std::string describe_candidate(const Nodes& nodes, int node, int candidate) {
    const NodeCandidates& described = nodes[static_cast<size_t>(node)];
    return "node " + std::to_string(node) + " (rank " + std::to_string(described.first_rank) +
           " on " + described.host_name + ", " +
           base::text_of(described.candidates[candidate].address) + ")";
}

}  // namespace armci::fabric
