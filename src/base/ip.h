// SPDX-License-Identifier: BSD-3-Clause
// Addresses of IPv4 and IPv6, of hosts and of their ports.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <string>

namespace armci::base {

// The address of a host, as plain bytes for MPI.
struct IpAddress {
    uint16_t family = AF_UNSPEC;            // AF_INET or AF_INET6; AF_UNSPEC: none
    std::array<unsigned char, 16> bytes{};  // as the network has them; IPv4 uses the first four

    bool is_given() const { return family != AF_UNSPEC; }
    bool operator==(const IpAddress&) const = default;
};

// An address and a port, as the system takes it.
struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t bytes = 0;

    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
    sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

SocketAddress socket_address(const IpAddress& address, uint16_t port);
// Returns no address if `address` is of another family. What IPv6 calls an address of IPv4 is one.
IpAddress ip_address(const sockaddr* address);
// Returns 0 if `address` is of another family.
uint16_t port_of(const sockaddr* address);

inline constexpr int kIpv4Bits = 32;
inline constexpr int kIpv6Bits = 128;
int bits_of(const IpAddress& address);
// Returns the address with only its first bits, as of a network.
IpAddress prefix_of(const IpAddress& address, int bits);

// Returns "192.0.2.1" or "2001:db8::1".
std::string text_of(const IpAddress& address);
// Returns "192.0.2.1:4711" or "[2001:db8::1]:4711".
std::string text_of(const IpAddress& address, uint16_t port);
// Reads what text_of() writes of a host. Returns no address if the text is not one.
IpAddress parse_ip_address(const std::string& text);

// 127.x.y.z or ::1, which other hosts cannot reach.
bool is_loopback(const IpAddress& address);
// An address of IPv6 that has a meaning only together with an interface.
bool is_link_local(const IpAddress& address);

}  // namespace armci::base
