// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/networks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace armci::fabric::test {
namespace {

// "eth0 192.0.2.1/24", and how fast it is.
struct Link {
    const char* interface;
    const char* address;
    int bits;
    int megabits = 0;
    InterfaceKind kind = InterfaceKind::ordinary;
};

using Nodes = std::vector<NodeCandidates>;

// Each node is on a host of its own, with one rank.
Nodes make_nodes(const std::vector<std::vector<Link>>& all) {
    Nodes nodes;
    for (const std::vector<Link>& links : all) {
        NodeCandidates node;
        node.host = nodes.size() + 1;
        node.first_rank = static_cast<int32_t>(nodes.size());
        std::strcpy(node.host_name, ("host" + std::to_string(nodes.size())).c_str());
        for (const Link& link : links) {
            Candidate& candidate = node.candidates[node.count++];
            candidate.address = base::parse_ip_address(link.address);
            candidate.prefix_bits = static_cast<uint8_t>(link.bits);
            candidate.megabits = link.megabits;
            candidate.kind = link.kind;
            std::strcpy(candidate.interface, link.interface);
        }
        nodes.push_back(node);
    }
    return nodes;
}

std::vector<std::string> names(const NetworkPlan& plan) {
    std::vector<std::string> names;
    for (const Network& network : plan.networks) {
        names.push_back(network.name);
    }
    return names;
}

using Names = std::vector<std::string>;

TEST(Networks, TheSharedPrefixComesBeforeInterfacesWithoutOne) {
    const NetworkPlan plan = plan_networks(make_nodes({
        {{"mgmt0", "10.1.0.1", 24}, {"eth0", "192.0.2.1", 24}},
        {{"mgmt0", "10.2.0.1", 24}, {"eth0", "192.0.2.2", 24}},
    }));
    EXPECT_EQ(names(plan), (Names{"192.0.2.0/24 (eth0)", "the networks of mgmt0"}));
    EXPECT_EQ(why_used(plan, 0), "the only one that all nodes have");
}

TEST(Networks, AnInterfaceOfOneNodeIsNoNetwork) {
    const NetworkPlan plan = plan_networks(make_nodes({
        {{"eth0", "192.0.2.1", 24}},
        {{"mgmt0", "10.1.0.1", 24}, {"eth0", "192.0.2.2", 24}},
    }));
    EXPECT_EQ(names(plan), (Names{"192.0.2.0/24 (eth0)", "the first networks (eth0, mgmt0)"}));
    EXPECT_EQ(plan.networks[0].chosen, (std::vector<uint8_t>{0, 1}));
}

TEST(Networks, InterfacesMayHaveDifferentNames) {
    const NetworkPlan plan = plan_networks(make_nodes({
        {{"eth0", "192.0.2.1", 24}},
        {{"enp1s0", "192.0.2.2", 24}},
    }));
    EXPECT_EQ(names(plan), Names{"192.0.2.0/24 (eth0, enp1s0)"});
}

TEST(Networks, TheFastestIsTheOneWhoseSlowestNodeIsFastest) {
    const NetworkPlan plan = plan_networks(make_nodes({
        {{"eth0", "192.0.2.1", 24, 1000}, {"ib0", "10.0.0.1", 8, 100000}, {"x", "10.9.9.9", 32}},
        {{"eth0", "192.0.2.2", 24, 10000}, {"ib0", "10.0.0.2", 8, 50000}, {"x", "10.9.9.8", 32}},
    }));
    EXPECT_EQ(plan.networks[0].name, "10.0.0.0/8 (ib0)");
    EXPECT_EQ(plan.networks[0].megabits, 50000);
    EXPECT_EQ(plan.networks[1].name, "192.0.2.0/24 (eth0)");
    EXPECT_EQ(why_used(plan, 0), "the fastest of 2 that all nodes have (50000 Mbit/s)");
    EXPECT_EQ(why_used(plan, 1), "the first one of 3 possible that connects all nodes");
}

TEST(Networks, BridgesComeAfterSlowerInterfaces) {
    const NetworkPlan plan = plan_networks(make_nodes({
        {{"br0", "10.0.0.1", 8, 10000, InterfaceKind::bridge}, {"eth0", "192.0.2.1", 24, 1000}},
        {{"eth1", "10.0.0.2", 8, 10000}, {"eth0", "192.0.2.2", 24, 1000}},
    }));
    EXPECT_EQ(plan.networks[0].name, "192.0.2.0/24 (eth0)");
    EXPECT_EQ(why_used(plan, 0),
              "the only one of 2 that all nodes have without bridges made by "
              "software");
}

TEST(Networks, TheProvidersOrderDecidesBetweenEquals) {
    const NetworkPlan plan = plan_networks(make_nodes({
        {{"b", "198.51.100.1", 24, 1000}, {"a", "192.0.2.1", 24, 1000}},
        {{"b", "198.51.100.2", 24, 1000}, {"a", "192.0.2.2", 24, 1000}},
    }));
    EXPECT_EQ(names(plan), (Names{"198.51.100.0/24 (b)", "192.0.2.0/24 (a)"}));
    EXPECT_EQ(why_used(plan, 0), "the first of 2 that all nodes have");
}

TEST(Networks, Ipv4ComesBeforeIpv6OfTheSameInterface) {
    const NetworkPlan plan = plan_networks(make_nodes({
        {{"eth0", "2001:db8::1", 64}, {"eth0", "192.0.2.1", 24}},
        {{"eth0", "2001:db8::2", 64}, {"eth0", "192.0.2.2", 24}},
    }));
    EXPECT_EQ(names(plan), (Names{"192.0.2.0/24 (eth0)", "2001:db8::/64 (eth0)"}));
}

TEST(Networks, Ipv6AloneIsEnough) {
    const NetworkPlan plan = plan_networks(make_nodes({
        {{"eth0", "2001:db8::1", 64}},
        {{"eth0", "2001:db8::2", 64}},
    }));
    EXPECT_EQ(names(plan), Names{"2001:db8::/64 (eth0)"});
}

// As on clusters with a router in each rack, and for containers with addresses of one host.
TEST(Networks, InterfacesOfOneNameMayBeConnectedByRouters) {
    const NetworkPlan racks = plan_networks(make_nodes({
        {{"eth0", "10.1.0.1", 24}},
        {{"eth0", "10.2.0.1", 24}},
    }));
    EXPECT_EQ(names(racks), Names{"the networks of eth0"});
    EXPECT_EQ(why_used(racks, 0),
              "no prefix is common to all nodes, but the name of these interfaces is");
    const NetworkPlan containers = plan_networks(make_nodes({
        {{"eth0", "10.1.0.1", 32}},
        {{"eth0", "10.2.0.1", 32}},
    }));
    EXPECT_EQ(names(containers), Names{"the networks of eth0"});
}

TEST(Networks, WithNothingInCommonEachNodesFirstIsTaken) {
    const NetworkPlan plan = plan_networks(make_nodes({
        {{"eth0", "10.1.0.1", 24}},
        {{"ib0", "10.2.0.1", 24}},
    }));
    EXPECT_EQ(names(plan), Names{"the first networks (eth0, ib0)"});
    EXPECT_EQ(why_used(plan, 0),
              "the nodes have neither prefixes nor names of interfaces in common");
}

TEST(Networks, NoneWhereNodesHaveNoFamilyInCommon) {
    const NetworkPlan plan = plan_networks(make_nodes({
        {{"eth0", "10.1.0.1", 24}},
        {{"eth0", "2001:db8::1", 64}},
    }));
    EXPECT_TRUE(plan.networks.empty());
    EXPECT_TRUE(plan.ruled_out.empty());
}

// As on every host with containers.
TEST(Networks, HostsWithOneAddressCannotReachEachOther) {
    const NetworkPlan plan = plan_networks(make_nodes({
        {{"docker0", "172.17.0.1", 16}},
        {{"docker0", "172.17.0.2", 16}},
        {{"docker0", "172.17.0.1", 16}},
    }));
    EXPECT_TRUE(plan.networks.empty());
    EXPECT_EQ(plan.ruled_out,
              Names{"host0 (rank 0, interface docker0) and host2 (rank 2, interface docker0) have "
                    "the same network address, 172.17.0.1, so they cannot reach each other"});
}

TEST(Networks, LoopbackReachesNoOtherHost) {
    const NetworkPlan plan = plan_networks(make_nodes({
        {{"lo", "127.0.0.1", 8}},
        {{"lo", "127.0.0.1", 8}},
    }));
    EXPECT_TRUE(plan.networks.empty());
    EXPECT_EQ(plan.ruled_out,
              Names{"host0 (rank 0, interface lo) has the network address 127.0.0.1, by which no "
                    "other host reaches it"});
}

TEST(Networks, VirtualNodesShareTheAddressesOfTheirHost) {
    Nodes nodes = make_nodes({
        {{"eth0", "192.0.2.1", 24}},
        {{"eth0", "192.0.2.1", 24}},
        {{"eth0", "192.0.2.2", 24}},
    });
    nodes[1].host = nodes[0].host;
    EXPECT_EQ(names(plan_networks(nodes)), Names{"192.0.2.0/24 (eth0)"});
}

TEST(Networks, MessagesDescribeNodes) {
    const Nodes nodes = make_nodes({{{"eth0", "192.0.2.1", 24}}, {{"eth0", "192.0.2.2", 24}}});
    EXPECT_EQ(describe_candidate(nodes, 1, 0), "node 1 (rank 1 on host1, 192.0.2.2)");
}

TEST(Networks, CandidatesHaveWhatTheKernelKnows) {
    NodeCandidates node;
    describe_candidates({base::parse_ip_address("127.0.0.1"), base::parse_ip_address("192.0.2.1")},
                        &node);
    ASSERT_EQ(node.count, 2);
    // Loopback comes last, as all that are less likely do.
    EXPECT_EQ(base::text_of(node.candidates[1].address), "127.0.0.1");
    EXPECT_EQ(node.candidates[1].prefix_bits, 8);
    EXPECT_EQ(node.candidates[1].kind, InterfaceKind::loopback);
    EXPECT_STREQ(node.candidates[1].interface, "lo");
    EXPECT_EQ(node.candidates[0].prefix_bits, 32) << "of an address that is not of this host";
}

}  // namespace
}  // namespace armci::fabric::test
