// SPDX-License-Identifier: BSD-3-Clause
// Domains as programs see them, the library's own view of nodes, and a check that a test's
// configuration is in force.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
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

// One process per domain unless nodes are configured.
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

TEST(Topology, DomainsAreNodesIfConfigured) {
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

// Without virtual nodes all ranks of a test share one node. With them, k successive ranks do.
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

// The transfers of a program take the configured routes: the counters prove it.
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

unsigned long long total_of(const armcix_counter_t (&counters)[3]) {
    return counters[0].operations + counters[1].operations + counters[2].operations;
}

// Every call is counted, of any size and form. Calls that move nothing are not counted.
// promise: stats.once-per-call, stats.bytes, stats.rmw, stats.messages
TEST(Topology, EveryCallIsCountedOnce) {
    constexpr int kMax = 400000;
    GlobalMemory memory(kMax);
    std::vector<char> local(kMax, 0);
    double one = 1.0;
    for (int target = 0; target < nproc(); ++target) {
        char* remote = memory.at(target);
        armcix_stats_t before;
        armcix_stats_t after;
        ARMCIX_Stats(&before, sizeof before);
        unsigned long long bytes = 0;
        for (const int size : {8, 2000, kMax, 0}) {
            ARMCI_Put(local.data(), remote, size, target);
            ARMCI_Get(remote, local.data(), size, target);
            ARMCI_Acc(ARMCI_ACC_DBL, &one, local.data(), remote, size, target);
            bytes += static_cast<unsigned long long>(size);
        }
        for (const int blocks : {1, 5, 100, 0}) {
            int count[2] = {128, blocks};
            int stride[1] = {256};
            ARMCI_PutS(local.data(), stride, remote, stride, count, 1, target);
            ARMCI_GetS(remote, stride, local.data(), stride, count, 1, target);
            ARMCI_AccS(ARMCI_ACC_DBL, &one, local.data(), stride, remote, stride, count, 1, target);
            bytes += 128U * static_cast<unsigned long long>(blocks);
        }
        for (int i = 0; i < 4; ++i) {
            long old = 0;
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, remote, 1, target);
        }
        ARMCIX_Stats(&after, sizeof after);
        for (const auto counters :
             {&armcix_stats_t::put, &armcix_stats_t::get, &armcix_stats_t::acc}) {
            EXPECT_EQ(total_of(after.*counters) - total_of(before.*counters), 6U);
            unsigned long long moved = 0;
            for (int route = 0; route < 3; ++route) {
                moved += (after.*counters)[route].bytes - (before.*counters)[route].bytes;
            }
            EXPECT_EQ(moved, bytes);
        }
        EXPECT_EQ(after.rmw - before.rmw, 4U);
        const unsigned long long chunks = after.chunks_sent - before.chunks_sent;
        const unsigned long long messages = after.messages_sent - before.messages_sent;
        if (ARMCIX_Node(target) == ARMCIX_Node(me())) {
            EXPECT_EQ(chunks, 0U);
            EXPECT_EQ(messages, 0U);
        } else {
            EXPECT_GE(messages, 4U);  // each rmw waits for an answer
            EXPECT_GE(messages, chunks);
            EXPECT_GE(chunks, 1U);  // accumulates go to the server on every route
        }
        EXPECT_LE(after.buffer_high_water_bytes, after.buffer_bytes);
    }
    ARMCI_Barrier();
}

// Programs may know fewer counters than the library, or more.
// promise: stats.copied-bytes
TEST(Topology, CopiesStatisticsUpToTheGivenBytes) {
    constexpr char kUntouched = 0x5a;
    armcix_stats_t whole;
    ASSERT_EQ(ARMCIX_Stats(&whole, sizeof whole), 0);
    for (const size_t bytes : {size_t{0}, sizeof(armcix_counter_t), sizeof whole.put,
                               sizeof whole - 8, sizeof whole, sizeof whole + 40}) {
        std::vector<char> copy(sizeof whole + 80, kUntouched);
        EXPECT_EQ(ARMCIX_Stats(reinterpret_cast<armcix_stats_t*>(copy.data()), bytes), 0);
        const size_t copied = std::min(bytes, sizeof whole);
        EXPECT_EQ(std::memcmp(copy.data(), &whole, copied), 0) << bytes;
        EXPECT_EQ(
            std::count(copy.begin() + static_cast<std::ptrdiff_t>(copied), copy.end(), kUntouched),
            static_cast<std::ptrdiff_t>(copy.size() - copied));
    }
}

}  // namespace
}  // namespace armci::mp
