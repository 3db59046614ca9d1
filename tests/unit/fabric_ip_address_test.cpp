// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/ip_address.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rdma/fabric.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

#include "fabric/provider.h"

namespace armci::fabric::test {
namespace {

base::SocketAddress on(const char* host, uint16_t port) {
    return base::socket_address(base::parse_ip_address(host), port);
}

int stream_socket() {
    return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

// A socket on loopback, and its address. With a queue of that length it listens, and never accepts
// a connection, like a process that is stopped.
struct Port {
    explicit Port(int queue) : descriptor(stream_socket()), address(on("127.0.0.1", 0)) {
        EXPECT_EQ(bind(descriptor, address.get(), address.bytes), 0);
        EXPECT_EQ(getsockname(descriptor, address.get(), &address.bytes), 0);
        if (queue >= 0) {
            EXPECT_EQ(listen(descriptor, queue), 0);
        }
    }
    ~Port() { close(descriptor); }
    Port(const Port&) = delete;
    Port& operator=(const Port&) = delete;

    int descriptor;
    base::SocketAddress address;
};

TEST(IpAddress, FormatsAsText) {
    const base::SocketAddress ipv4 = on("192.0.2.1", 4711);
    const base::SocketAddress ipv6 = on("2001:db8::1", 4711);
    EXPECT_EQ(address_text(FI_SOCKADDR_IN, &ipv4.storage), "192.0.2.1:4711");
    EXPECT_EQ(address_text(FI_SOCKADDR_IN6, &ipv6.storage), "[2001:db8::1]:4711");
    EXPECT_EQ(address_text(FI_SOCKADDR, &ipv6.storage), "[2001:db8::1]:4711");
    EXPECT_EQ(address_text(FI_ADDR_GNI, &ipv4.storage), "");
    EXPECT_EQ(port_of(FI_ADDR_GNI, &ipv4.storage), 0);
}

TEST(IpAddress, HostAcceptsForAStoppedProcess) {
    const Port port(8);
    EXPECT_EQ(ask_host(port.address, 5000), HostAnswer::accepts);
}

TEST(IpAddress, HostRefusesWhereNoProcessListens) {
    const Port port(-1);
    EXPECT_EQ(ask_host(port.address, 5000), HostAnswer::refuses);
}

// Where the queue is full the system drops packets, as a firewall does.
TEST(IpAddress, HostDoesNotAnswerWherePacketsAreDropped) {
    const Port port(0);
    std::vector<int> callers;
    for (int i = 0; i < 4; ++i) {
        callers.push_back(stream_socket());
        connect(callers.back(), port.address.get(), port.address.bytes);
    }
    EXPECT_EQ(ask_host(port.address, 200), HostAnswer::none);
    for (const int caller : callers) {
        close(caller);
    }
}

TEST(IpAddress, ChoosesABridgeOnlyWithoutOrdinaryInterface) {
    using enum InterfaceKind;
    EXPECT_EQ(most_likely({bridge, ordinary, ordinary}), 1U);
    EXPECT_EQ(most_likely({loopback, bridge, bridge}), 1U);
    EXPECT_EQ(most_likely({ordinary, bridge, loopback}), 0U);
    EXPECT_EQ(most_likely({loopback}), 0U);
}

}  // namespace
}  // namespace armci::fabric::test
