// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/ip_address.h"

#include <rdma/fabric.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/interfaces.h"
#include "base/socket.h"

namespace armci::fabric {

bool is_unreachable(int error) {
    return error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH ||
           error == EHOSTDOWN || error == ENETDOWN;
}

bool is_ip_format(uint32_t format) {
    return format == FI_SOCKADDR || format == FI_SOCKADDR_IN || format == FI_SOCKADDR_IN6;
}

base::IpAddress ip_of(uint32_t format, const void* address) {
    return is_ip_format(format) && address != nullptr
               ? base::ip_address(static_cast<const sockaddr*>(address))
               : base::IpAddress{};
}

uint16_t port_of(uint32_t format, const void* address) {
    return is_ip_format(format) && address != nullptr
               ? base::port_of(static_cast<const sockaddr*>(address))
               : uint16_t{0};
}

std::string address_text(uint32_t format, const void* address) {
    const base::IpAddress host = ip_of(format, address);
    return host.is_given() ? base::text_of(host, port_of(format, address)) : std::string();
}

std::string explain_missing_address(const std::string& interface) {
    bool has_interface = interface.empty();
    for (const base::InterfaceAddress& entry : base::interface_addresses()) {
        if (entry.is_loopback || (!interface.empty() && interface != entry.interface)) {
            continue;
        }
        has_interface = true;
        if (entry.address.is_given() && !base::is_link_local(entry.address)) {
            return {};
        }
    }
    if (!has_interface) {
        return {};
    }
    return (interface.empty() ? std::string("no interface but loopback has") : interface + " has") +
           (interface.empty() ? " an address" : " no address") +
           " of IPv4, or of IPv6 except link-local ones. Give one to the interface that connects "
           "the hosts";
}

HostAnswer ask_host(const base::SocketAddress& address, int timeout_ms) {
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
