// SPDX-License-Identifier: BSD-3-Clause
#include "base/socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "base/clock.h"

namespace armci::base {
namespace {

// Returns what has become of a connection under way: 0 or an error.
int outcome_of(const Descriptor& connecting, int timeout_ms) {
    int error = ETIMEDOUT;
    socklen_t bytes = sizeof error;
    if (!wait_ready(connecting.get(), POLLOUT, timeout_ms) ||
        getsockopt(connecting.get(), SOL_SOCKET, SO_ERROR, &error, &bytes) != 0) {
        return ETIMEDOUT;
    }
    return error;
}

}  // namespace

bool wait_ready(int fd, short events, int timeout_ms) {
    constexpr int64_t kMillisecondNs = 1'000'000;
    const int64_t end_ns = now_ns() + timeout_ms * kMillisecondNs;
    pollfd waiting{fd, events, 0};
    int ready = poll(&waiting, 1, timeout_ms);
    while (ready < 0 && errno == EINTR) {
        const int64_t left_ms = (end_ns - now_ns()) / kMillisecondNs;
        ready = poll(&waiting, 1, static_cast<int>(std::max<int64_t>(left_ms, 0)));
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
    if (listening.valid() && address->sa_family == AF_INET &&
        reinterpret_cast<const sockaddr_in*>(address)->sin_port != 0) {
        setsockopt(listening.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    }
    if (listening.valid() && (bind(listening.get(), address, address_bytes) != 0 ||
                              listen(listening.get(), SOMAXCONN) != 0)) {
        const int error = errno;
        listening.reset();
        errno = error;
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

Descriptor connect_within(const sockaddr_in& address, int timeout_ms) {
    Descriptor connection(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!connection.valid()) {
        return connection;
    }
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    int error = connect(connection.get(), generic, sizeof address) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
        error = outcome_of(connection, timeout_ms);
    }
    if (error != 0) {
        connection.reset();
        errno = error;
        return connection;
    }
    const int flags = fcntl(connection.get(), F_GETFL);
    fcntl(connection.get(), F_SETFL, flags & ~O_NONBLOCK);
    return connection;
}

}  // namespace armci::base
