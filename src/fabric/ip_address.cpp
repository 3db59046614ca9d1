// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/ip_address.h"

#include <rdma/fabric.h>
#include <sys/socket.h>

#include <cerrno>
#include <vector>

#include "base/interfaces.h"
#include "base/socket.h"

namespace armci::fabric {

bool is_unreachable(int error) {
    return error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH ||
           error == EHOSTDOWN || error == ENETDOWN;
}

std::string address_text(uint32_t format, const void* address) {
    if (format != FI_SOCKADDR_IN) {
        return {};
    }
    const auto& ipv4 = *static_cast<const sockaddr_in*>(address);
    return base::text_of(ipv4.sin_addr) + ":" + std::to_string(ntohs(ipv4.sin_port));
}

std::string explain_missing_ipv4(const std::string& interface) {
    const std::vector<base::InterfaceAddress> all = base::interface_addresses();
    if (all.empty()) {
        return {};
    }
    bool has_ipv4 = false;
    bool has_interface = interface.empty();
    std::string others;
    for (const base::InterfaceAddress& entry : all) {
        if (entry.is_loopback || (!interface.empty() && interface != entry.interface)) {
            continue;
        }
        has_interface = true;
        has_ipv4 |= entry.family == AF_INET;
        if (entry.family == AF_INET6 && !IN6_IS_ADDR_LINKLOCAL(&entry.ipv6)) {
            others += (others.empty() ? "; " : ", ") + entry.interface + " has " +
                      base::text_of(entry.ipv6);
        }
    }
    if (has_ipv4 || !has_interface) {
        return {};
    }
    return (interface.empty() ? std::string("no interface but loopback has an IPv4 address")
                              : interface + " has no IPv4 address") +
           ", and this library needs one (it does not use IPv6" + others +
           "). Give one to the interface that connects the hosts";
}

HostAnswer ask_host(const sockaddr_in& address, int timeout_ms) {
    if (base::connect_within(address, timeout_ms).valid()) {
        return HostAnswer::accepts;
    }
    if (errno == ECONNREFUSED) {
        return HostAnswer::refuses;
    }
    // Any other error of this system says nothing about the other one.
    return is_unreachable(errno) ? HostAnswer::none : HostAnswer::accepts;
}

}  // namespace armci::fabric
