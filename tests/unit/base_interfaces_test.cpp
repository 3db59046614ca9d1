// SPDX-License-Identifier: BSD-3-Clause
#include "base/interfaces.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <net/if.h>

#include <algorithm>
#include <set>
#include <string>

namespace armci::base::test {
namespace {

in_addr ipv4(const char* text) {
    in_addr address{};
    EXPECT_EQ(inet_pton(AF_INET, text, &address), 1);
    return address;
}

TEST(Interfaces, AddressesFormatAsText) {
    EXPECT_EQ(text_of(ipv4("192.0.2.1")), "192.0.2.1");
    in6_addr ipv6{};
    ASSERT_EQ(inet_pton(AF_INET6, "2001:db8::1", &ipv6), 1);
    EXPECT_EQ(text_of(ipv6), "2001:db8::1");
}

TEST(Interfaces, RecognisesLoopback) {
    EXPECT_TRUE(is_loopback(ipv4("127.0.0.1")));
    EXPECT_TRUE(is_loopback(ipv4("127.1.2.3")));
    EXPECT_FALSE(is_loopback(ipv4("172.17.0.1")));
}

// Labels of addresses may be listed, too.
TEST(Interfaces, ListsThoseThatTheSystemNumbers) {
    std::set<std::string> expected;
    struct if_nameindex* all = if_nameindex();
    ASSERT_NE(all, nullptr);
    for (const struct if_nameindex* one = all; one->if_index != 0; ++one) {
        expected.insert(one->if_name);
    }
    if_freenameindex(all);
    std::set<std::string> listed;
    for (const InterfaceAddress& entry : interface_addresses()) {
        listed.insert(entry.interface);
    }
    EXPECT_TRUE(std::includes(listed.begin(), listed.end(), expected.begin(), expected.end()));
}

TEST(Interfaces, LoopbackHasItsAddress) {
    bool is_found = false;
    for (const InterfaceAddress& entry : interface_addresses()) {
        if (entry.family == AF_INET && entry.ipv4.s_addr == htonl(INADDR_LOOPBACK)) {
            is_found = true;
            EXPECT_TRUE(entry.is_up);
            EXPECT_TRUE(entry.is_loopback);
            EXPECT_EQ(interface_of(entry.ipv4), entry.interface);
        }
    }
    EXPECT_TRUE(is_found);
}

TEST(Interfaces, NoInterfaceHasAnAddressForDocumentation) {
    EXPECT_EQ(interface_of(ipv4("192.0.2.1")), "");
}

}  // namespace
}  // namespace armci::base::test
