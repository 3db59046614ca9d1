// SPDX-License-Identifier: BSD-3-Clause
#include "base/interfaces.h"

#include <ifaddrs.h>
#include <net/if.h>

#include <bit>

namespace armci::base {
namespace {

int prefix_bits(const sockaddr* mask) {
    int bits = 0;
    if (mask != nullptr) {
        for (const unsigned char byte : ip_address(mask).bytes) {
            bits += std::popcount(byte);
        }
    }
    return bits;
}

InterfaceAddress make_entry(const ifaddrs& listed) {
    InterfaceAddress entry;
    entry.interface = listed.ifa_name;
    entry.is_up = (listed.ifa_flags & IFF_UP) != 0;
    entry.is_loopback = (listed.ifa_flags & IFF_LOOPBACK) != 0;
    if (listed.ifa_addr != nullptr) {
        entry.address = ip_address(listed.ifa_addr);
        entry.prefix_bits = prefix_bits(listed.ifa_netmask);
    }
    return entry;
}

}  // namespace

std::vector<InterfaceAddress> interface_addresses() {
    std::vector<InterfaceAddress> entries;
    ifaddrs* all = nullptr;
    if (getifaddrs(&all) != 0) {
        return entries;
    }
    for (const ifaddrs* listed = all; listed != nullptr; listed = listed->ifa_next) {
        entries.push_back(make_entry(*listed));
    }
    freeifaddrs(all);
    return entries;
}

std::string interface_of(const IpAddress& address) {
    for (const InterfaceAddress& entry : interface_addresses()) {
        if (entry.address.is_given() && entry.address == address) {
            return entry.interface;
        }
    }
    return {};
}

}  // namespace armci::base
