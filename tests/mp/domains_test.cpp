// SPDX-License-Identifier: BSD-3-Clause
// With ARMCI_DOMAINS=node the domains that programs see are the nodes, and the scopes of the
// message layer follow them.
#include <gtest/gtest.h>

#include <algorithm>

#include "armci/armcix.h"
#include "armci/message.h"
#include "support/check.h"
#include "support/global_memory.h"

namespace armci::mp {
namespace {

char* plus() {
    static char text[] = "+";
    return text;
}

// The ranks of a list that are on a node, in the list's order.
std::vector<int> on_node(const std::vector<int>& ranks, int node) {
    std::vector<int> found;
    std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(found),
                 [node](int rank) { return ARMCIX_Node(rank) == node; });
    return found;
}

std::vector<int> all_ranks() {
    std::vector<int> ranks;
    for (int rank = 0; rank < nproc(); ++rank) {
        ranks.push_back(rank);
    }
    return ranks;
}

int my_node() {
    return ARMCIX_Node(me());
}

long sum_of(const std::vector<int>& ranks) {
    long sum = 0;
    for (const int rank : ranks) {
        sum += 10 + rank;
    }
    return sum;
}

// promise: topology.node-domains, topology.domains
TEST(Domains, DomainsAreTheNodes) {
    EXPECT_EQ(armci_domain_count(ARMCI_DOMAIN_SMP), ARMCIX_Node_count());
    EXPECT_EQ(armci_domain_my_id(ARMCI_DOMAIN_SMP), my_node());
    for (int node = 0; node < ARMCIX_Node_count(); ++node) {
        const std::vector<int> members = on_node(all_ranks(), node);
        EXPECT_EQ(armci_domain_nprocs(ARMCI_DOMAIN_SMP, node), static_cast<int>(members.size()));
        for (size_t i = 0; i < members.size(); ++i) {
            EXPECT_EQ(armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, node, static_cast<int>(i)),
                      members[i]);
        }
    }
    EXPECT_EQ(armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1),
              static_cast<int>(on_node(all_ranks(), my_node()).size()));
    for (int proc = 0; proc < nproc(); ++proc) {
        EXPECT_EQ(armci_domain_id(ARMCI_DOMAIN_SMP, proc), ARMCIX_Node(proc));
        EXPECT_EQ(armci_domain_same_id(ARMCI_DOMAIN_SMP, proc) != 0,
                  ARMCIX_Node(proc) == my_node());
        EXPECT_EQ(ARMCI_Same_node(proc) != 0, ARMCIX_Node(proc) == my_node());
    }
}

// promise: topology.node-domains
TEST(Domains, DataTakesTheSameRoutes) {
    GlobalMemory memory(100000);
    std::vector<char> source(100000, static_cast<char>(me() + 1));
    std::vector<char> found(100000);
    for (int target = 0; target < nproc(); ++target) {
        EXPECT_EQ(ARMCIX_Route(target) == ARMCIX_ROUTE_LOCAL, ARMCIX_Node(target) == my_node());
    }
    ARMCI_Put(source.data(), memory.at(right()), 100000, right());
    ARMCI_Get(memory.at(right()), found.data(), 100000, right());
    expect_same_bytes(source.data(), found.data(), 100000, "put and get");
    ARMCI_Barrier();
    EXPECT_EQ(memory.mine()[99999], static_cast<char>(left() + 1));
    ARMCI_Barrier();
}

// promise: message.domains
TEST(Domains, ScopesFollowTheNodes) {
    const std::vector<int> node = on_node(all_ranks(), my_node());
    std::vector<int> masters;
    for (int i = 0; i < ARMCIX_Node_count(); ++i) {
        masters.push_back(on_node(all_ranks(), i).front());
    }
    const bool is_master = me() == node.front();
    long sum = 10 + me();
    armci_msg_gop_scope(SCOPE_NODE, &sum, 1, plus(), ARMCI_LONG);
    EXPECT_EQ(sum, sum_of(node));
    sum = 10 + me();
    armci_msg_gop_scope(SCOPE_MASTERS, &sum, 1, plus(), ARMCI_LONG);
    EXPECT_EQ(sum, is_master ? sum_of(masters) : 10 + me());
    int word = me();
    armci_msg_bcast_scope(SCOPE_NODE, &word, sizeof word, node.back());
    EXPECT_EQ(word, node.back());
    word = me();
    armci_msg_bcast_scope(SCOPE_MASTERS, &word, sizeof word, masters.back());
    EXPECT_EQ(word, is_master ? masters.back() : me());
    double record = me();
    char largest[] = "max";
    armci_msg_sel_scope(SCOPE_NODE, &record, sizeof record, largest, ARMCI_DOUBLE, 1);
    EXPECT_EQ(record, node.back());
}

template <typename T>
void check_sum_of_node(void (*reduce)(T*, int, char*)) {
    T sum[2] = {static_cast<T>(10 + me()), 1};
    reduce(sum, 2, plus());
    const std::vector<int> node = on_node(all_ranks(), my_node());
    EXPECT_EQ(sum[0], static_cast<T>(sum_of(node)));
    EXPECT_EQ(sum[1], static_cast<T>(node.size()));
}

// promise: message.cluster
TEST(Domains, ClusterCallsDescribeTheNodes) {
    check_sum_of_node(armci_msg_clus_igop);
    check_sum_of_node(armci_msg_clus_lgop);
    check_sum_of_node(armci_msg_clus_llgop);
    check_sum_of_node(armci_msg_clus_fgop);
    check_sum_of_node(armci_msg_clus_dgop);
    int word = me();
    armci_msg_clus_brdcst(&word, sizeof word);
    EXPECT_EQ(word, on_node(all_ranks(), my_node()).front());
}

// A group of the odd ranks and one of the even ones, last ranks first.
class DomainsOfGroup : public testing::Test {
  protected:
    DomainsOfGroup() {
        for (int rank = nproc() - 1; rank >= 0; --rank) {
            if (rank % 2 == me() % 2) {
                ranks_.push_back(rank);
            }
        }
        ARMCI_Group_create(static_cast<int>(ranks_.size()), ranks_.data(), &group_);
        node_ = on_node(ranks_, my_node());
    }
    ~DomainsOfGroup() override { ARMCI_Group_free(&group_); }

    std::vector<int> ranks_;
    std::vector<int> node_;  // members on my node, by group rank
    ARMCI_Group group_{};
};

// promise: message.domains
TEST_F(DomainsOfGroup, ScopesFollowTheNodesOfItsMembers) {
    std::vector<int> masters;
    for (int i = 0; i < ARMCIX_Node_count(); ++i) {
        const std::vector<int> members = on_node(ranks_, i);
        if (!members.empty()) {
            masters.push_back(members.front());
        }
    }
    const bool is_master = me() == node_.front();
    long sum = 10 + me();
    armci_msg_group_gop_scope(SCOPE_NODE, &sum, 1, plus(), ARMCI_LONG, &group_);
    EXPECT_EQ(sum, sum_of(node_));
    sum = 10 + me();
    armci_msg_group_gop_scope(SCOPE_MASTERS, &sum, 1, plus(), ARMCI_LONG, &group_);
    EXPECT_EQ(sum, is_master ? sum_of(masters) : 10 + me());
    int word = me();
    armci_msg_group_bcast_scope(SCOPE_NODE, &word, sizeof word, node_.back(), &group_);
    EXPECT_EQ(word, node_.back());
    word = me();
    armci_msg_group_bcast_scope(SCOPE_MASTERS, &word, sizeof word, masters.back(), &group_);
    EXPECT_EQ(word, is_master ? masters.back() : me());
}

// promise: message.cluster
TEST_F(DomainsOfGroup, ClusterBroadcastReachesItsMembers) {
    int word = me();
    armci_grp_clus_brdcst(&word, sizeof word, 0, 0, &group_);
    EXPECT_EQ(word, node_.front());
}

}  // namespace
}  // namespace armci::mp
