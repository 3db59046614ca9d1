// SPDX-License-Identifier: BSD-3-Clause
// Network addresses of providers over IP, and questions about the host that has one.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <string>

namespace armci::fabric {

// Returns "192.0.2.1:4711" for an endpoint's name in libfabric's address format, or an empty text
// if that is not IPv4.
std::string address_text(uint32_t format, const void* address);

// Returns a text for messages if this host, or this interface of it, has no IPv4 address except
// loopback. It says which IPv6 addresses there are. Returns an empty text if there is one.
// `interface` may be empty.
std::string explain_missing_ipv4(const std::string& interface);

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
HostAnswer ask_host(const sockaddr_in& address, int timeout_ms);

}  // namespace armci::fabric
