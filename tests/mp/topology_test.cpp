// Domains as programs see them, the library's own view of nodes, and that a test's configuration is
// really in force.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "armci/armcix.h"
#include "support/global_memory.h"

namespace armci::mp {
namespace {

std::string_view setting(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

// ARMCI_NODE_SIZE, 0 for no virtual nodes.
int node_size() {
    return std::atoi(std::string(setting("ARMCI_NODE_SIZE")).c_str());
}

// One process per domain unless the user asks for nodes.
// promise: topology.process-domains, topology.domains
TEST(Topology, OneProcessPerDomain) {
    if (setting("ARMCI_DOMAINS") == "node") {
        GTEST_SKIP() << "domains are nodes";
    }
    EXPECT_EQ(armci_domain_count(ARMCI_DOMAIN_SMP), nproc());
    EXPECT_EQ(armci_domain_my_id(ARMCI_DOMAIN_SMP), me());
    EXPECT_EQ(armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1), 1);
    for (int proc = 0; proc < nproc(); ++proc) {
        EXPECT_EQ(armci_domain_nprocs(ARMCI_DOMAIN_SMP, proc), 1);
        EXPECT_EQ(armci_domain_id(ARMCI_DOMAIN_SMP, proc), proc);
        EXPECT_EQ(armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, proc, 0), proc);
        EXPECT_EQ(armci_domain_same_id(ARMCI_DOMAIN_SMP, proc) != 0, proc == me());
        EXPECT_EQ(ARMCI_Same_node(proc) != 0, proc == me());
    }
}

TEST(Topology, DomainsAreNodesWhereAsked) {
    if (setting("ARMCI_DOMAINS") != "node") {
        GTEST_SKIP() << "domains are processes";
    }
    const int size = node_size() > 0 ? node_size() : nproc();
    EXPECT_EQ(armci_domain_count(ARMCI_DOMAIN_SMP), nproc() / size);
    EXPECT_EQ(armci_domain_my_id(ARMCI_DOMAIN_SMP), me() / size);
    EXPECT_EQ(armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1), size);
    for (int proc = 0; proc < nproc(); ++proc) {
        EXPECT_EQ(armci_domain_nprocs(ARMCI_DOMAIN_SMP, proc / size), size);
        EXPECT_EQ(armci_domain_id(ARMCI_DOMAIN_SMP, proc), proc / size);
        EXPECT_EQ(armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, proc / size, proc % size), proc);
        EXPECT_EQ(armci_domain_same_id(ARMCI_DOMAIN_SMP, proc) != 0, proc / size == me() / size);
        EXPECT_EQ(ARMCI_Same_node(proc) != 0, proc / size == me() / size);
    }
}

// Without virtual nodes all ranks of a test share one; with them, k successive ranks do.
// promise: topology.nodes
TEST(Topology, NodesAreAsConfigured) {
    const int size = node_size() > 0 ? node_size() : nproc();
    EXPECT_EQ(ARMCIX_Node_count(), (nproc() + size - 1) / size);
    for (int proc = 0; proc < nproc(); ++proc) {
        EXPECT_EQ(ARMCIX_Node(proc), proc / size) << "rank " << proc;
    }
}

// promise: topology.provider
TEST(Topology, ProviderIsAsConfigured) {
    const std::string_view wanted = setting("ARMCI_PROVIDER");
    if (ARMCIX_Node_count() == 1) {
        EXPECT_STREQ(ARMCIX_Provider(), "none");
    } else if (!wanted.empty()) {
        EXPECT_EQ(wanted, ARMCIX_Provider());
    } else {
        EXPECT_STRNE(ARMCIX_Provider(), "none");
    }
}

// promise: topology.route
TEST(Topology, RoutesAreAsConfigured) {
    const std::string_view wanted = setting("ARMCI_ROUTE");
    for (int proc = 0; proc < nproc(); ++proc) {
        const int route = ARMCIX_Route(proc);
        if (ARMCIX_Node(proc) == ARMCIX_Node(me())) {
            EXPECT_EQ(route, ARMCIX_ROUTE_LOCAL);
        } else if (wanted == "rma") {
            EXPECT_EQ(route, ARMCIX_ROUTE_RMA);
        } else if (wanted == "server") {
            EXPECT_EQ(route, ARMCIX_ROUTE_SERVER);
        } else {
            EXPECT_TRUE(route == ARMCIX_ROUTE_RMA || route == ARMCIX_ROUTE_SERVER) << route;
        }
    }
}

// The transfers of a program really take the routes that were asked for: the counters say so.
// promise: stats.once-per-call, stats.bytes
TEST(Topology, CountersFollowTheRoutes) {
    constexpr int kPutBytes = 50000;
    constexpr int kPuts = 8;
    GlobalMemory memory(kPutBytes);
    std::vector<char> source(kPutBytes, 1);
    for (int target = 0; target < nproc(); ++target) {
        armcix_stats_t before;
        ASSERT_EQ(ARMCIX_Stats(&before, sizeof before), 0);
        for (int i = 0; i < kPuts; ++i) {
            ARMCI_Put(source.data(), memory.at(target), kPutBytes, target);
        }
        armcix_stats_t after;
        ASSERT_EQ(ARMCIX_Stats(&after, sizeof after), 0);
        unsigned long long operations[3];
        unsigned long long bytes = 0;
        for (int route = 0; route < 3; ++route) {
            operations[route] = after.put[route].operations - before.put[route].operations;
            bytes += after.put[route].bytes - before.put[route].bytes;
        }
        EXPECT_EQ(bytes, static_cast<unsigned long long>(kPuts) * kPutBytes);
        EXPECT_EQ(operations[0] + operations[1] + operations[2],
                  static_cast<unsigned long long>(kPuts));
        const std::string_view wanted = setting("ARMCI_ROUTE");
        if (ARMCIX_Node(target) == ARMCIX_Node(me())) {
            EXPECT_EQ(operations[ARMCIX_ROUTE_LOCAL], static_cast<unsigned long long>(kPuts));
        } else if (wanted == "rma") {
            EXPECT_EQ(operations[ARMCIX_ROUTE_RMA], static_cast<unsigned long long>(kPuts));
        } else if (wanted == "server") {
            EXPECT_EQ(operations[ARMCIX_ROUTE_SERVER], static_cast<unsigned long long>(kPuts));
        } else if (wanted == "alternate") {
            EXPECT_EQ(operations[ARMCIX_ROUTE_RMA], static_cast<unsigned long long>(kPuts / 2));
            EXPECT_EQ(operations[ARMCIX_ROUTE_SERVER], static_cast<unsigned long long>(kPuts / 2));
        }
    }
    ARMCI_Barrier();
}

}  // namespace
}  // namespace armci::mp
