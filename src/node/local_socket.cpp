// SPDX-License-Identifier: BSD-3-Clause
#include "node/local_socket.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "base/random.h"
#include "base/socket.h"

namespace armci::node {
namespace {

// An abstract name starts with a zero byte and is exactly as long as the address says.
socklen_t abstract_address(const std::string& name, sockaddr_un* address) {
    *address = sockaddr_un{};
    address->sun_family = AF_UNIX;
    std::memcpy(address->sun_path + 1, name.data(), name.size());
    return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

bool same_user(int connection) {
    ucred peer{};
    socklen_t peer_bytes = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &peer_bytes) == 0 &&
           peer.uid == geteuid();
}

}  // namespace

bool LocalListener::open() {
    uint64_t token[2];
    if (!base::draw_random(token, sizeof token)) {
        return false;
    }
    char name[kNameBytes];
    std::snprintf(name, sizeof name, "armci-%016llx%016llx",
                  static_cast<unsigned long long>(token[0]),
                  static_cast<unsigned long long>(token[1]));
    sockaddr_un address;
    const socklen_t address_bytes = abstract_address(name, &address);
    socket_ = base::listen_at(reinterpret_cast<sockaddr*>(&address), address_bytes);
    if (!socket_.valid()) {
        return false;
    }
    name_ = name;
    return true;
}

base::Descriptor LocalListener::take_caller(int timeout_ms) {
    base::Descriptor caller = base::accept_within(socket_, timeout_ms);
    if (caller.valid() && !same_user(caller.get())) {
        caller.reset();
        errno = EAGAIN;
    }
    return caller;
}

base::Descriptor connect_to(const std::string& listener_name) {
    base::Descriptor connection(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!connection.valid()) {
        return connection;
    }
    sockaddr_un address;
    const socklen_t address_bytes = abstract_address(listener_name, &address);
    if (connect(connection.get(), reinterpret_cast<sockaddr*>(&address), address_bytes) != 0) {
        return {};
    }
    if (!same_user(connection.get())) {
        errno = EACCES;
        return {};
    }
    return connection;
}

}  // namespace armci::node
