// SPDX-License-Identifier: BSD-3-Clause
#include "base/ip.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

namespace armci::base {

SocketAddress socket_address(const IpAddress& address, uint16_t port) {
    SocketAddress full;
    if (address.family == AF_INET) {
        sockaddr_in ipv4{};
        ipv4.sin_family = AF_INET;
        ipv4.sin_port = htons(port);
        std::memcpy(&ipv4.sin_addr, address.bytes.data(), sizeof ipv4.sin_addr);
        std::memcpy(&full.storage, &ipv4, sizeof ipv4);
        full.bytes = sizeof ipv4;
    } else if (address.family == AF_INET6) {
        sockaddr_in6 ipv6{};
        ipv6.sin6_family = AF_INET6;
        ipv6.sin6_port = htons(port);
        std::memcpy(&ipv6.sin6_addr, address.bytes.data(), sizeof ipv6.sin6_addr);
        std::memcpy(&full.storage, &ipv6, sizeof ipv6);
        full.bytes = sizeof ipv6;
    }
    return full;
}

IpAddress ip_address(const sockaddr* address) {
    IpAddress found;
    if (address->sa_family == AF_INET) {
        found.family = AF_INET;
        sockaddr_in ipv4;
        std::memcpy(&ipv4, address, sizeof ipv4);
        std::memcpy(found.bytes.data(), &ipv4.sin_addr, sizeof ipv4.sin_addr);
    } else if (address->sa_family == AF_INET6) {
        found.family = AF_INET6;
        sockaddr_in6 ipv6;
        std::memcpy(&ipv6, address, sizeof ipv6);
        std::memcpy(found.bytes.data(), &ipv6.sin6_addr, sizeof ipv6.sin6_addr);
        constexpr size_t kIpv4Place = 12;
        if (IN6_IS_ADDR_V4MAPPED(&ipv6.sin6_addr)) {
            found = {AF_INET, {}};
            std::memcpy(found.bytes.data(), &ipv6.sin6_addr.s6_addr[kIpv4Place], 4);
        }
    }
    return found;
}

uint16_t port_of(const sockaddr* address) {
    if (address->sa_family == AF_INET) {
        sockaddr_in ipv4;
        std::memcpy(&ipv4, address, sizeof ipv4);
        return ntohs(ipv4.sin_port);
    }
    if (address->sa_family == AF_INET6) {
        sockaddr_in6 ipv6;
        std::memcpy(&ipv6, address, sizeof ipv6);
        return ntohs(ipv6.sin6_port);
    }
    return 0;
}

int bits_of(const IpAddress& address) {
    return address.family == AF_INET6 ? kIpv6Bits : kIpv4Bits;
}

IpAddress prefix_of(const IpAddress& address, int bits) {
    IpAddress prefix = address;
    for (int i = 0; i < static_cast<int>(prefix.bytes.size()); ++i) {
        const int kept = std::clamp(bits - 8 * i, 0, 8);
        prefix.bytes[static_cast<size_t>(i)] &= static_cast<unsigned char>(0xff00 >> kept);
    }
    return prefix;
}

std::string text_of(const IpAddress& address) {
    char text[INET6_ADDRSTRLEN] = "";
    if (address.is_given()) {
        inet_ntop(address.family, address.bytes.data(), text, sizeof text);
    }
    return text;
}

std::string text_of(const IpAddress& address, uint16_t port) {
    const std::string host = text_of(address);
    return (address.family == AF_INET6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

IpAddress parse_ip_address(const std::string& text) {
    IpAddress address;
    for (const uint16_t family : {AF_INET, AF_INET6}) {
        if (inet_pton(family, text.c_str(), address.bytes.data()) == 1) {
            address.family = family;
            return address;
        }
    }
    return {};
}

bool is_loopback(const IpAddress& address) {
    constexpr unsigned char kIpv4 = 127;
    if (address.family == AF_INET) {
        return address.bytes[0] == kIpv4;
    }
    return address.family == AF_INET6 && address == parse_ip_address("::1");
}

bool is_link_local(const IpAddress& address) {
    return address.family == AF_INET6 && prefix_of(address, 10) == parse_ip_address("fe80::");
}

}  // namespace armci::base
