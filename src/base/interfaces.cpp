// SPDX-License-Identifier: BSD-3-Clause
#include "base/interfaces.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

namespace armci::base {
namespace {

InterfaceAddress make_entry(const ifaddrs& listed) {
    InterfaceAddress entry;
    entry.interface = listed.ifa_name;
    entry.is_up = (listed.ifa_flags & IFF_UP) != 0;
    entry.is_loopback = (listed.ifa_flags & IFF_LOOPBACK) != 0;
    if (listed.ifa_addr == nullptr) {
        return entry;
    }
    if (listed.ifa_addr->sa_family == AF_INET) {
        entry.family = AF_INET;
        entry.ipv4 = reinterpret_cast<const sockaddr_in*>(listed.ifa_addr)->sin_addr;
    } else if (listed.ifa_addr->sa_family == AF_INET6) {
        entry.family = AF_INET6;
        entry.ipv6 = reinterpret_cast<const sockaddr_in6*>(listed.ifa_addr)->sin6_addr;
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

std::string interface_of(const in_addr& address) {
    for (const InterfaceAddress& entry : interface_addresses()) {
        if (entry.family == AF_INET && entry.ipv4.s_addr == address.s_addr) {
            return entry.interface;
        }
    }
    return {};
}

std::string text_of(const in_addr& address) {
    char text[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &address, text, sizeof text);
    return text;
}

std::string text_of(const in6_addr& address) {
    char text[INET6_ADDRSTRLEN] = "";
    inet_ntop(AF_INET6, &address, text, sizeof text);
    return text;
}

bool is_loopback(const in_addr& address) {
    return (ntohl(address.s_addr) >> 24) == 127;
}

}  // namespace armci::base
