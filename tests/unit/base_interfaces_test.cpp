// SPDX-License-Identifier: BSD-3-Clause
#include "base/interfaces.h"

#include <gtest/gtest.h>
#include <net/if.h>

#include <algorithm>
#include <set>
#include <string>

namespace armci::base::test {
namespace {

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
        if (entry.address == parse_ip_address("127.0.0.1")) {
            is_found = true;
            EXPECT_TRUE(entry.is_up);
            EXPECT_TRUE(entry.is_loopback);
            EXPECT_EQ(entry.prefix_bits, 8);
            EXPECT_EQ(interface_of(entry.address), entry.interface);
        }
    }
    EXPECT_TRUE(is_found);
}

TEST(Interfaces, NoInterfaceHasAnAddressForDocumentation) {
    EXPECT_EQ(interface_of(parse_ip_address("192.0.2.1")), "");
}

}  // namespace
}  // namespace armci::base::test
