// SPDX-License-Identifier: BSD-3-Clause
#include "base/ip.h"

#include <gtest/gtest.h>

#include <string>

namespace armci::base::test {
namespace {

TEST(Ip, TextIsReadAndWritten) {
    for (const char* text : {"192.0.2.1", "2001:db8::1", "::1", "fe80::1"}) {
        EXPECT_EQ(text_of(parse_ip_address(text)), text);
    }
    EXPECT_FALSE(parse_ip_address("eth0").is_given());
    EXPECT_FALSE(parse_ip_address("").is_given());
    EXPECT_EQ(text_of(IpAddress{}), "");
}

TEST(Ip, PortsFollowTheAddress) {
    EXPECT_EQ(text_of(parse_ip_address("192.0.2.1"), 4711), "192.0.2.1:4711");
    EXPECT_EQ(text_of(parse_ip_address("2001:db8::1"), 4711), "[2001:db8::1]:4711");
}

TEST(Ip, SocketAddressKeepsAddressAndPort) {
    for (const char* text : {"192.0.2.1", "2001:db8::1"}) {
        const SocketAddress full = socket_address(parse_ip_address(text), 4711);
        EXPECT_EQ(text_of(ip_address(full.get())), text);
        EXPECT_EQ(port_of(full.get()), 4711);
    }
    const sockaddr other{AF_UNIX, {}};
    EXPECT_FALSE(ip_address(&other).is_given());
    EXPECT_EQ(port_of(&other), 0);
}

TEST(Ip, Ipv4WithinIpv6IsIpv4) {
    const SocketAddress mapped = socket_address(parse_ip_address("::ffff:192.0.2.1"), 1);
    EXPECT_EQ(ip_address(mapped.get()), parse_ip_address("192.0.2.1"));
}

TEST(Ip, PrefixKeepsTheFirstBits) {
    const auto prefix = [](const char* text, int bits) {
        return text_of(prefix_of(parse_ip_address(text), bits));
    };
    EXPECT_EQ(prefix("192.0.2.77", 24), "192.0.2.0");
    EXPECT_EQ(prefix("192.0.2.77", 27), "192.0.2.64");
    EXPECT_EQ(prefix("192.0.2.77", 32), "192.0.2.77");
    EXPECT_EQ(prefix("192.0.2.77", 0), "0.0.0.0");
    EXPECT_EQ(prefix("2001:db8:1:2::3", 48), "2001:db8:1::");
    EXPECT_EQ(bits_of(parse_ip_address("192.0.2.77")), 32);
    EXPECT_EQ(bits_of(parse_ip_address("2001:db8::1")), 128);
}

TEST(Ip, RecognisesLoopback) {
    EXPECT_TRUE(is_loopback(parse_ip_address("127.0.0.1")));
    EXPECT_TRUE(is_loopback(parse_ip_address("127.1.2.3")));
    EXPECT_TRUE(is_loopback(parse_ip_address("::1")));
    EXPECT_FALSE(is_loopback(parse_ip_address("172.17.0.1")));
    EXPECT_FALSE(is_loopback(parse_ip_address("2001:db8::1")));
    EXPECT_FALSE(is_loopback(IpAddress{}));
}

TEST(Ip, RecognisesLinkLocal) {
    EXPECT_TRUE(is_link_local(parse_ip_address("fe80::1")));
    EXPECT_TRUE(is_link_local(parse_ip_address("febf::1")));
    EXPECT_FALSE(is_link_local(parse_ip_address("fec0::1")));
    EXPECT_FALSE(is_link_local(parse_ip_address("169.254.0.1")));
}

}  // namespace
}  // namespace armci::base::test
