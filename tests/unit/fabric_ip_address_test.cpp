// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/ip_address.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <rdma/fabric.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

#include "fabric/provider.h"

namespace armci::fabric::test {
namespace {

sockaddr_in ipv4(const char* host, uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    inet_pton(AF_INET, host, &address.sin_addr);
    return address;
}

int stream_socket() {
    return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

// A socket on loopback, and its address. With a queue of that length it listens, and never accepts
// a connection, like a process that is stopped.
struct Port {
    explicit Port(int queue) : descriptor(stream_socket()), address(ipv4("127.0.0.1", 0)) {
        socklen_t bytes = sizeof address;
        auto* generic = reinterpret_cast<sockaddr*>(&address);
        EXPECT_EQ(bind(descriptor, generic, bytes), 0);
        EXPECT_EQ(getsockname(descriptor, generic, &bytes), 0);
        if (queue >= 0) {
            EXPECT_EQ(listen(descriptor, queue), 0);
        }
    }
    ~Port() { close(descriptor); }
    Port(const Port&) = delete;
    Port& operator=(const Port&) = delete;

    int descriptor;
    sockaddr_in address;
};

TEST(IpAddress, FormatsAsText) {
    const sockaddr_in address = ipv4("192.0.2.1", 4711);
    EXPECT_EQ(address_text(FI_SOCKADDR_IN, &address), "192.0.2.1:4711");
    EXPECT_EQ(address_text(FI_ADDR_GNI, &address), "");
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
        connect(callers.back(), reinterpret_cast<const sockaddr*>(&port.address),
                sizeof port.address);
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
