// SPDX-License-Identifier: BSD-3-Clause
#include "watch/meeting.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/interfaces.h"
#include "base/random.h"
#include "base/socket.h"

namespace armci::watch {
namespace {

// The time limit for connecting to one address, and for the whole handshake of the other side.
constexpr int kPatienceMs = 5'000;
// A caller that has proved to belong to the job confirms the connection at once, or closes it. This
// long limit only matters if its host has gone.
constexpr int kTakingMs = 60'000;
constexpr char kTaken = 'y';

struct Handshake {
    uint64_t token[2];
    Identity who;
};

sockaddr_in network_address(uint32_t address, uint16_t port) {
    sockaddr_in full{};
    full.sin_family = AF_INET;
    full.sin_addr.s_addr = address;
    full.sin_port = htons(port);
    return full;
}

// Returns this host's IPv4 addresses that others may reach, beginning with the wanted interface.
std::vector<uint32_t> own_addresses(const std::string& interface) {
    std::vector<uint32_t> found;
    for (const base::InterfaceAddress& entry : base::interface_addresses()) {
        if (entry.family == AF_INET && entry.is_up && !entry.is_loopback) {
            const bool is_wanted =
                interface == base::text_of(entry.ipv4) || interface == entry.interface;
            found.insert(is_wanted ? found.begin() : found.end(), entry.ipv4.s_addr);
        }
    }
    found.resize(std::min<size_t>(found.size(), Meeting::kMaxAddresses));
    return found;
}

bool send_handshake(int socket, const Meeting& meeting, const Identity& self) {
    Handshake handshake{{meeting.token[0], meeting.token[1]}, self};
    return send(socket, &handshake, sizeof handshake, MSG_NOSIGNAL) ==
           static_cast<ssize_t>(sizeof handshake);
}

// Receives all bytes within the time, or returns false.
bool receive(int socket, void* data, size_t bytes, int timeout_ms) {
    const int64_t deadline_ns = base::now_ns() + int64_t{timeout_ms} * 1'000'000;
    for (size_t received = 0; received < bytes;) {
        const int64_t left_ms = (deadline_ns - base::now_ns()) / 1'000'000;
        if (left_ms < 0 || !base::wait_ready(socket, POLLIN, static_cast<int>(left_ms))) {
            return false;
        }
        const ssize_t more = recv(socket, static_cast<char*>(data) + received, bytes - received, 0);
        if (more <= 0) {
            return false;
        }
        received += static_cast<size_t>(more);
    }
    return true;
}

bool receive_handshake(int socket, const Meeting& meeting, Identity* peer) {
    Handshake handshake{};
    if (!receive(socket, &handshake, sizeof handshake, kPatienceMs)) {
        return false;
    }
    *peer = handshake.who;
    return std::equal(handshake.token, handshake.token + 2, meeting.token);
}

Connection handshake_done(base::Descriptor connection, const Meeting& meeting,
                          const Identity& self) {
    Identity peer;
    if (!connection.valid() || !send_handshake(connection.get(), meeting, self) ||
        !receive_handshake(connection.get(), meeting, &peer) ||
        send(connection.get(), &kTaken, sizeof kTaken, MSG_NOSIGNAL) != sizeof kTaken) {
        return {};
    }
    return {std::move(connection), peer};
}

}  // namespace

bool Listener::open(Reach reach, const std::string& interface, const base::PortRange& ports) {
    if (!base::draw_random(meeting_.token, sizeof meeting_.token)) {
        return false;
    }
    if (reach == Reach::node) {
        if (!local_.open()) {
            return false;
        }
        std::strncpy(meeting_.name, local_.name().c_str(), sizeof meeting_.name - 1);
        meeting_.is_open = 1;
        return true;
    }
    const uint32_t any = reach == Reach::host ? htonl(INADDR_LOOPBACK) : htonl(INADDR_ANY);
    sockaddr_in address = network_address(any, ports.first);
    socklen_t bytes = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    base::Descriptor listening = base::listen_at(generic, bytes);
    for (int port = ports.first; !listening.valid() && errno == EADDRINUSE && port < ports.last;) {
        address = network_address(any, static_cast<uint16_t>(++port));
        listening = base::listen_at(generic, bytes);
    }
    if (!listening.valid() || getsockname(listening.get(), generic, &bytes) != 0) {
        return false;
    }
    meeting_.port = ntohs(address.sin_port);
    const std::vector<uint32_t> own =
        reach == Reach::host ? std::vector<uint32_t>{any} : own_addresses(interface);
    meeting_.address_count = static_cast<uint16_t>(own.size());
    std::copy(own.begin(), own.end(), meeting_.addresses);
    socket_ = std::move(listening);
    meeting_.is_open = 1;
    return true;
}

base::Descriptor Listener::take_connection(int timeout_ms) {
    return meeting_.port == 0 ? local_.take_caller(timeout_ms)
                              : base::accept_within(socket_, timeout_ms);
}

Connection Listener::take_caller(const Identity& self, int timeout_ms) {
    base::Descriptor connection = take_connection(timeout_ms);
    Identity peer;
    char taken = 0;
    // A process that is not of the job gets no answer. A caller that gave up meanwhile has left its
    // handshake; it must not look like a process whose connection ends later.
    if (!connection.valid() || !receive_handshake(connection.get(), meeting_, &peer) ||
        !send_handshake(connection.get(), meeting_, self) ||
        !receive(connection.get(), &taken, sizeof taken, kTakingMs)) {
        return {};
    }
    return {std::move(connection), peer};
}

Connection call(const Meeting& meeting, const Identity& self) {
    if (meeting.is_open == 0) {
        return {};
    }
    if (meeting.port == 0) {
        return handshake_done(node::connect_to(meeting.name), meeting, self);
    }
    for (int i = 0; i < meeting.address_count; ++i) {
        const sockaddr_in address = network_address(meeting.addresses[i], meeting.port);
        Connection connection =
            handshake_done(base::connect_within(address, kPatienceMs), meeting, self);
        if (connection.is_open()) {
            return connection;
        }
    }
    return {};
}

}  // namespace armci::watch
