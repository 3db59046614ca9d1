// SPDX-License-Identifier: BSD-3-Clause
#include "watch/reach.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

namespace armci::watch::test {
namespace {

NodeAddress node(uint64_t host, const char* address) {
    NodeAddress node;
    node.host = host;
    inet_pton(AF_INET, address, &node.ipv4);
    return node;
}

void expect_conflict(const std::vector<NodeAddress>& addresses, int first, int second) {
    const AddressConflict conflict = find_conflict(addresses);
    EXPECT_EQ(conflict.first, first);
    EXPECT_EQ(conflict.second, second);
}

TEST(Reach, NoConflictBetweenDifferentAddresses) {
    expect_conflict({}, -1, -1);
    expect_conflict({node(1, "192.0.2.1"), node(2, "192.0.2.2"), node(3, "192.0.2.3")}, -1, -1);
}

TEST(Reach, NoConflictBetweenVirtualNodesOfOneHost) {
    expect_conflict({node(1, "192.0.2.1"), node(2, "192.0.2.2"), node(1, "192.0.2.1")}, -1, -1);
}

TEST(Reach, ConflictBetweenHostsWithOneAddress) {
    expect_conflict({node(1, "192.0.2.1"), node(2, "172.17.0.1"), node(3, "172.17.0.1")}, 1, 2);
}

TEST(Reach, LoopbackConflicts) {
    expect_conflict({node(1, "192.0.2.1"), node(2, "127.0.0.1")}, 1, 1);
}

}  // namespace
}  // namespace armci::watch::test
