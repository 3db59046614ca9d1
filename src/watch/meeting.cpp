// SPDX-License-Identifier: BSD-3-Clause
#include "watch/meeting.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/interfaces.h"
#include "base/random.h"
#include "base/socket.h"

namespace armci::watch {
namespace {

// The time limit for the whole handshake of the other side.
constexpr int kHandshakeMs = 5'000;
// A caller that has proved to belong to the job confirms the connection at once, or closes it. This
// long limit only matters if its host has gone.
constexpr int kTakingMs = 60'000;
constexpr char kTaken = 'y';

struct Handshake {
    uint64_t token[2];
    Identity who;
};

// Returns this host's addresses that others may reach, beginning with the wanted interface, and
// IPv4 before IPv6.
std::vector<base::IpAddress> own_addresses(const std::string& interface) {
    struct Own {
        base::IpAddress address;
        bool is_wanted = false;
    };
    std::vector<Own> all;
    for (const base::InterfaceAddress& entry : base::interface_addresses()) {
        if (entry.address.is_given() && entry.is_up && !entry.is_loopback &&
            !base::is_link_local(entry.address)) {
            all.push_back({entry.address, interface == base::text_of(entry.address) ||
                                              interface == entry.interface});
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const Own& a, const Own& b) {
        return std::pair(!a.is_wanted, a.address.family != AF_INET) <
               std::pair(!b.is_wanted, b.address.family != AF_INET);
    });
    all.resize(std::min<size_t>(all.size(), Meeting::kMaxAddresses));
    std::vector<base::IpAddress> found;
    for (const Own& own : all) {
        found.push_back(own.address);
    }
    return found;
}

// Listens at all addresses of the host, of IPv4 only where the system has no IPv6.
base::Descriptor listen_everywhere(const base::PortRange& ports, uint16_t* port) {
    base::Descriptor listening = base::listen_in_range(base::parse_ip_address("::"), ports, port);
    return listening.valid() || errno == EADDRINUSE
               ? std::move(listening)
               : base::listen_in_range(base::parse_ip_address("0.0.0.0"), ports, port);
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
    if (!receive(socket, &handshake, sizeof handshake, kHandshakeMs)) {
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
    const base::IpAddress loopback = base::parse_ip_address("127.0.0.1");
    uint16_t port = 0;
    base::Descriptor listening = reach == Reach::host
                                     ? base::listen_in_range(loopback, ports, &port)
                                     : listen_everywhere(ports, &port);
    if (!listening.valid()) {
        return false;
    }
    const std::vector<base::IpAddress> own =
        reach == Reach::host ? std::vector{loopback} : own_addresses(interface);
    meeting_.port = port;
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

std::string places_of(const Meeting& meeting) {
    if (meeting.port == 0) {
        return {};
    }
    std::string text;
    for (int i = 0; i < meeting.address_count; ++i) {
        text += base::text_of(meeting.addresses[i]) + ", ";
    }
    return text + "port " + std::to_string(meeting.port);
}

Connection call(const Meeting& meeting, const Identity& self, int timeout_ms) {
    if (meeting.is_open == 0) {
        return {};
    }
    if (meeting.port == 0) {
        return handshake_done(node::connect_to(meeting.name), meeting, self);
    }
    std::vector<base::SocketAddress> left;
    for (int i = 0; i < meeting.address_count; ++i) {
        left.push_back(base::socket_address(meeting.addresses[i], meeting.port));
    }
    // Another host may have one of the addresses, and answer first. One connection at a time does
    // the handshake, because the listener waits for that of each.
    const int64_t end_ns = base::now_ns() + int64_t{timeout_ms} * 1'000'000;
    while (!left.empty()) {
        const int64_t left_ms = std::max<int64_t>((end_ns - base::now_ns()) / 1'000'000, 0);
        size_t chosen = 0;
        base::Descriptor connected = base::connect_to_any(left, static_cast<int>(left_ms), &chosen);
        if (!connected.valid()) {
            return {};
        }
        Connection connection = handshake_done(std::move(connected), meeting, self);
        if (connection.is_open()) {
            return connection;
        }
        left.erase(left.begin() + static_cast<ptrdiff_t>(chosen));
    }
    errno = EPROTO;
    return {};
}

}  // namespace armci::watch
