// SPDX-License-Identifier: BSD-3-Clause
// The network interfaces of this host, and their addresses.
#pragma once

#include <netinet/in.h>

#include <string>
#include <vector>

namespace armci::base {

struct InterfaceAddress {
    std::string interface;     // "eth0"
    bool is_up = false;        // the interface
    bool is_loopback = false;  // the interface
    int family = AF_UNSPEC;  // which of the addresses below is valid: AF_INET, AF_INET6 or neither
    in_addr ipv4{};
    in6_addr ipv6{};
};

// Returns at least one entry for each interface, and one for each of its addresses, in the system's
// order. Is empty if the system refuses the list.
std::vector<InterfaceAddress> interface_addresses();
// Returns the name of the interface that has this address, or an empty text.
std::string interface_of(const in_addr& address);

// Return an address as "192.0.2.1" or "2001:db8::1".
std::string text_of(const in_addr& address);
std::string text_of(const in6_addr& address);
// Returns whether an address is of the kind 127.x.y.z, which other hosts cannot reach.
bool is_loopback(const in_addr& address);

}  // namespace armci::base
