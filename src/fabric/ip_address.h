// SPDX-License-Identifier: BSD-3-Clause
// Network addresses of providers over IP, and questions about the host that has one.
#pragma once

#include <cstdint>
#include <string>

#include "base/ip.h"

namespace armci::fabric {

// Returns whether libfabric's address format is that of IPv4 or IPv6.
bool is_ip_format(uint32_t format);
// Return the parts of an address in such a format. In any other format there is no address, and the
// port is 0.
base::IpAddress ip_of(uint32_t format, const void* address);
uint16_t port_of(uint32_t format, const void* address);
// Returns "192.0.2.1:4711" for it, or an empty text.
std::string address_text(uint32_t format, const void* address);

// Returns a text for messages if this host, or this interface of it, has no address that other
// hosts can reach, except those of loopback and link-local ones. Returns an empty text if there is
// one. `interface` may be empty.
std::string explain_missing_address(const std::string& interface);

// Says whether the error means that packets do not arrive, or that no host has answered them.
bool is_unreachable(int error);

inline constexpr const char* kInterfaceRemedy =
    "Set ARMCI_INTERFACE to the network between the hosts: the name of an interface, or in each "
    "rank's environment an address";

// What comes back when a connection over TCP is asked for.
enum class HostAnswer : uint8_t {
    accepts,  // the host's system accepts it; the process that listens need not run
    refuses,  // no process listens there, or a firewall refuses connections in its name
    none,     // nothing within the time, or a message that the host cannot be reached
};
HostAnswer ask_host(const base::SocketAddress& address, int timeout_ms);

}  // namespace armci::fabric
