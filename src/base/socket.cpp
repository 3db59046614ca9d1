// SPDX-License-Identifier: BSD-3-Clause
#include "base/socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "base/clock.h"

namespace armci::base {
namespace {

constexpr int64_t kMillisecondNs = 1'000'000;

int milliseconds_until(int64_t end_ns) {
    return static_cast<int>(std::max<int64_t>((end_ns - now_ns()) / kMillisecondNs, 0));
}

}  // namespace

bool wait_ready(int fd, short events, int timeout_ms) {
    const int64_t end_ns = now_ns() + timeout_ms * kMillisecondNs;
    pollfd waiting{fd, events, 0};
    int ready = poll(&waiting, 1, timeout_ms);
    while (ready < 0 && errno == EINTR) {
        ready = poll(&waiting, 1, milliseconds_until(end_ns));
    }
    if (ready == 0) {
        errno = EAGAIN;
    }
    return ready > 0;
}

Descriptor listen_at(const sockaddr* address, socklen_t address_bytes) {
    Descriptor listening(socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    // A port that is asked for may still have connections of an earlier process that listened
    // there.
    const int on = 1;
    if (listening.valid() && port_of(address) != 0) {
        setsockopt(listening.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    }
    const int off = 0;
    if (listening.valid() && address->sa_family == AF_INET6) {
        setsockopt(listening.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    }
    if (listening.valid() && (bind(listening.get(), address, address_bytes) != 0 ||
                              listen(listening.get(), SOMAXCONN) != 0)) {
        const int error = errno;
        listening.reset();
        errno = error;
    }
    return listening;
}

Descriptor listen_in_range(const IpAddress& address, const PortRange& ports, uint16_t* port) {
    int wanted = ports.first;
    SocketAddress place = socket_address(address, ports.first);
    Descriptor listening = listen_at(place.get(), place.bytes);
    while (!listening.valid() && errno == EADDRINUSE && wanted < ports.last) {
        place = socket_address(address, static_cast<uint16_t>(++wanted));
        listening = listen_at(place.get(), place.bytes);
    }
    if (listening.valid() && getsockname(listening.get(), place.get(), &place.bytes) == 0) {
        *port = port_of(place.get());
    }
    return listening;
}

Descriptor accept_within(const Descriptor& listening, int timeout_ms) {
    if (!wait_ready(listening.get(), POLLIN, timeout_ms)) {
        return {};
    }
    Descriptor caller(accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!caller.valid() && (errno == EINTR || errno == ECONNABORTED)) {
        errno = EAGAIN;
    }
    return caller;
}

Descriptor begin_connection(const SocketAddress& to, const IpAddress& from) {
    Descriptor connecting(
        socket(to.get()->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const SocketAddress own = socket_address(from, 0);
    if (connecting.valid() &&
        ((from.is_given() && bind(connecting.get(), own.get(), own.bytes) != 0) ||
         (connect(connecting.get(), to.get(), to.bytes) != 0 && errno != EINPROGRESS))) {
        const int error = errno;
        connecting.reset();
        errno = error;
    }
    return connecting;
}

int outcome_of(const Descriptor& connecting) {
    if (!wait_ready(connecting.get(), POLLOUT, 0)) {
        return errno == EAGAIN ? EINPROGRESS : errno;
    }
    int error = 0;
    socklen_t bytes = sizeof error;
    return getsockopt(connecting.get(), SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 ? error : errno;
}

Descriptor connect_to_any(const std::vector<SocketAddress>& addresses, int timeout_ms,
                          size_t* chosen) {
    const int64_t end_ns = now_ns() + timeout_ms * kMillisecondNs;
    std::vector<Descriptor> connecting;
    std::vector<pollfd> waiting;
    size_t under_way = 0;
    int last_error = ETIMEDOUT;
    for (const SocketAddress& address : addresses) {
        connecting.push_back(begin_connection(address));
        const bool has_begun = connecting.back().valid();
        last_error = has_begun ? last_error : errno;
        under_way += has_begun ? 1 : 0;
        waiting.push_back({connecting.back().get(), POLLOUT, 0});  // poll() skips invalid ones
    }
    for (bool is_last_look = false; under_way > 0 && !is_last_look;) {
        const int left_ms = milliseconds_until(end_ns);
        is_last_look = left_ms == 0;
        poll(waiting.data(), waiting.size(), left_ms);
        for (size_t i = 0; i < waiting.size(); ++i) {
            const int outcome = connecting[i].valid() ? outcome_of(connecting[i]) : EINPROGRESS;
            if (outcome == 0) {
                const int flags = fcntl(connecting[i].get(), F_GETFL);
                fcntl(connecting[i].get(), F_SETFL, flags & ~O_NONBLOCK);
                *chosen = i;
                return std::move(connecting[i]);
            }
            if (outcome != EINPROGRESS) {
                last_error = outcome;
                connecting[i].reset();
                waiting[i].fd = -1;
                --under_way;
            }
        }
    }
    errno = under_way > 0 ? ETIMEDOUT : last_error;
    return {};
}

Descriptor connect_within(const SocketAddress& address, int timeout_ms) {
    size_t chosen = 0;
    return connect_to_any({address}, timeout_ms, &chosen);
}

}  // namespace armci::base
