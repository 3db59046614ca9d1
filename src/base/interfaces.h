// SPDX-License-Identifier: BSD-3-Clause
// The network interfaces of this host, and their addresses.
#pragma once

#include <string>
#include <vector>

#include "base/ip.h"

namespace armci::base {

struct InterfaceAddress {
    std::string interface;     // "eth0"
    bool is_up = false;        // the interface
    bool is_loopback = false;  // the interface
    IpAddress address;         // none if the entry is not of IPv4 or IPv6
    int prefix_bits = 0;       // how many bits all addresses of its network have in common
};

// Returns at least one entry for each interface, and one for each of its addresses, in the system's
// order. Is empty if the system refuses the list.
std::vector<InterfaceAddress> interface_addresses();
// Returns the name of the interface that has this address, or an empty text.
std::string interface_of(const IpAddress& address);

}  // namespace armci::base
