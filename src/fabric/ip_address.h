// SPDX-License-Identifier: BSD-3-Clause
// Network addresses of providers over IP, and what can be asked about the host that has one.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <string>

namespace armci::fabric {

bool is_loopback(const sockaddr_in& address);
// "192.0.2.1".
std::string host_text(const sockaddr_in& address);
// "192.0.2.1:4711" of an endpoint's name in libfabric's address format; empty where that is not
// IPv4.
std::string address_text(uint32_t format, const void* address);

// For messages: that this host, or this interface of it, has no IPv4 address but loopback's, and
// which of IPv6 it has; empty where it has one. `interface` may be empty.
std::string explain_missing_ipv4(const std::string& interface);

// Whether the error says that packets do not arrive, or that nobody has answered them.
bool is_unreachable(int error);

inline constexpr const char* kInterfaceRemedy =
    "Set ARMCI_INTERFACE to the network between the hosts: the name of an interface, or in each "
    "rank's environment an address";

// Whether the system of that host answers within the time, also with a refusal: the process that
// listens need not run, and not every provider over IP listens by TCP.
bool host_answers(const sockaddr_in& address, int timeout_ms);

}  // namespace armci::fabric
