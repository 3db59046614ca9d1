// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/ip_address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <rdma/fabric.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/socket.h"

namespace armci::fabric {

bool is_unreachable(int error) {
    return error == ETIMEDOUT || error == EHOSTUNREACH || error == ENETUNREACH ||
           error == EHOSTDOWN || error == ENETDOWN;
}

bool is_loopback(const sockaddr_in& address) {
    return (ntohl(address.sin_addr.s_addr) >> 24) == 127;
}

std::string host_text(const sockaddr_in& address) {
    char text[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
    return text;
}

std::string address_text(uint32_t format, const void* address) {
    if (format != FI_SOCKADDR_IN) {
        return {};
    }
    const auto& ipv4 = *static_cast<const sockaddr_in*>(address);
    return host_text(ipv4) + ":" + std::to_string(ntohs(ipv4.sin_port));
}

std::string explain_missing_ipv4(const std::string& interface) {
    ifaddrs* all = nullptr;
    if (getifaddrs(&all) != 0) {
        return {};
    }
    bool has_ipv4 = false;
    bool has_interface = interface.empty();
    std::string others;
    for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
        const std::string name = one->ifa_name;
        if ((one->ifa_flags & IFF_LOOPBACK) != 0 || (!interface.empty() && interface != name)) {
            continue;
        }
        has_interface = true;
        if (one->ifa_addr == nullptr) {
            continue;
        }
        has_ipv4 |= one->ifa_addr->sa_family == AF_INET;
        if (one->ifa_addr->sa_family != AF_INET6) {
            continue;
        }
        const in6_addr& address = reinterpret_cast<const sockaddr_in6*>(one->ifa_addr)->sin6_addr;
        if (!IN6_IS_ADDR_LINKLOCAL(&address)) {
            char text[INET6_ADDRSTRLEN] = "";
            inet_ntop(AF_INET6, &address, text, sizeof text);
            others += (others.empty() ? "; " : ", ") + name + " has " + text;
        }
    }
    freeifaddrs(all);
    if (has_ipv4 || !has_interface) {
        return {};
    }
    return (interface.empty() ? std::string("no interface but loopback has an IPv4 address")
                              : interface + " has no IPv4 address") +
           ", and this library needs one (it does not use IPv6" + others +
           "). Give one to the interface that connects the hosts";
}

bool host_answers(const sockaddr_in& address, int timeout_ms) {
    // Any other error of this system says nothing about the other one.
    return base::connect_within(address, timeout_ms).valid() || !is_unreachable(errno);
}

}  // namespace armci::fabric
