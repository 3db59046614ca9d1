// SPDX-License-Identifier: BSD-3-Clause
#include "watch/meeting.h"

#include <poll.h>
#include <sched.h>
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
#include "base/strangers.h"

namespace armci::watch {
namespace {

// The time limit for the whole handshake of the other side.
constexpr int kHandshakeMs = 5'000;
constexpr int64_t kNsPerMs = 1'000'000;
// A caller that has proved to belong to the job confirms the connection at once, or closes it. This
// long limit only matters if its host has gone.
constexpr int kTakingMs = 60'000;
constexpr char kTaken = 'y';

// So many callers more than ranks that are expected may be connected that have not shown the token,
// each for a short time.
constexpr size_t kMaxStrangers = 32;

// Returns this host's addresses that others may reach, IPv4 before IPv6.
std::vector<base::InterfaceAddress> reachable_addresses() {
    std::vector<base::InterfaceAddress> entries = base::interface_addresses();
    std::erase_if(entries, [](const base::InterfaceAddress& entry) {
        return !entry.address.is_given() || !entry.is_up || entry.is_loopback ||
               base::is_link_local(entry.address);
    });
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
        return a.address.family == AF_INET && b.address.family != AF_INET;
    });
    return entries;
}

// Returns the first address of each of these interfaces, in their order; nothing for those that
// this host does not have.
std::vector<base::IpAddress> addresses_of(const std::vector<std::string>& interfaces,
                                          const std::vector<base::InterfaceAddress>& entries) {
    std::vector<base::IpAddress> addresses;
    for (const std::string& interface : interfaces) {
        const auto found =
            std::find_if(entries.begin(), entries.end(), [&](const base::InterfaceAddress& entry) {
                return interface == base::text_of(entry.address) || interface == entry.interface;
            });
        if (found != entries.end() &&
            std::find(addresses.begin(), addresses.end(), found->address) == addresses.end()) {
            addresses.push_back(found->address);
        }
    }
    return addresses;
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

// The time that it takes does not tell where the first difference is.
bool is_token_of(const Meeting& meeting, const Handshake& handshake) {
    const uint64_t difference =
        (handshake.token[0] ^ meeting.token[0]) | (handshake.token[1] ^ meeting.token[1]);
    return difference == 0;
}

bool receive_handshake(int socket, const Meeting& meeting, Identity* peer) {
    Handshake handshake{};
    if (!receive(socket, &handshake, sizeof handshake, kHandshakeMs)) {
        return false;
    }
    *peer = handshake.who;
    return is_token_of(meeting, handshake);
}

// Returns the addresses of the listener. An address that this host has, too, such as that of
// docker0, would lead to a process here, which could be a stranger's: it is left out, unless the
// listener is on this host.
std::vector<base::IpAddress> foreign_addresses(const Meeting& meeting) {
    const std::vector<base::IpAddress> all(meeting.addresses,
                                           meeting.addresses + meeting.address_count);
    std::vector<base::IpAddress> foreign = all;
    for (const base::InterfaceAddress& own : base::interface_addresses()) {
        std::erase(foreign, own.address);
    }
    return foreign.empty() ? all : foreign;
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

bool Listener::open(Reach reach, const std::vector<std::string>& interfaces,
                    const base::PortRange& ports) {
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
    std::vector<base::IpAddress> own = {base::parse_ip_address("127.0.0.1")};
    std::vector<base::InterfaceAddress> entries;
    if (reach == Reach::hosts) {
        entries = reachable_addresses();
        own = addresses_of(interfaces, entries);
    }
    uint16_t port = 0;
    base::Descriptor listening = own.size() == 1 ? base::listen_in_range(own.front(), ports, &port)
                                                 : listen_everywhere(ports, &port);
    if (!listening.valid()) {
        return false;
    }
    meeting_.port = port;
    meeting_.is_ordered = own.empty() ? 0 : 1;
    if (own.empty()) {
        for (const base::InterfaceAddress& entry : entries) {
            own.push_back(entry.address);
        }
    }
    own.resize(std::min<size_t>(own.size(), Meeting::kMaxAddresses));
    meeting_.address_count = static_cast<uint16_t>(own.size());
    std::copy(own.begin(), own.end(), meeting_.addresses);
    socket_ = std::move(listening);
    meeting_.is_open = 1;
    return true;
}

base::Descriptor Listener::accept_caller() {
    return meeting_.port == 0 ? local_.take_caller(0) : base::accept_within(socket_, 0);
}

int Listener::listening_socket() const {
    return meeting_.port == 0 ? local_.socket() : socket_.get();
}

// Sleeps until somebody calls or says something, or the time is over.
void Listener::wait(int timeout_ms) const {
    std::vector<pollfd> events = {{listening_socket(), POLLIN, 0}};
    for (const Caller& caller : callers_) {
        events.push_back({caller.connection.get(), POLLIN, 0});
    }
    poll(events.data(), events.size(), timeout_ms);
}

void Listener::accept_callers() {
    const auto is_unknown = [](const Caller& caller) { return !caller.is_of_job; };
    for (size_t i = 0; i < kMaxStrangers; ++i) {
        base::Descriptor connection = accept_caller();
        if (!connection.valid()) {
            return;
        }
        // The one that has said nothing for the longest makes room. All ranks may call at once, and
        // not be heard yet.
        if (static_cast<size_t>(std::count_if(callers_.begin(), callers_.end(), is_unknown)) >=
            kMaxStrangers + expected_) {
            callers_.erase(std::find_if(callers_.begin(), callers_.end(), is_unknown));
            count_stranger();
        }
        callers_.push_back({.connection = std::move(connection),
                            .end_ns = base::now_ns() + kHandshakeMs * kNsPerMs});
    }
}

void Listener::count_stranger() const {
    base::drop_from_stranger(base::FromStranger::connection,
                             "closed a connection whose other end did not show that it is of this "
                             "job, at %s%d",
                             meeting_.port == 0 ? "a local socket " : "port ", meeting_.port);
}

// A process that is not of the job gets no answer. A caller that gave up meanwhile has left its
// handshake; it must not look like a process whose connection ends later.
Listener::Stage Listener::hear(Caller& caller, const Identity& self) const {
    const int socket = caller.connection.get();
    if (!caller.is_of_job) {
        char* const bytes = reinterpret_cast<char*>(&caller.handshake);
        const ssize_t more = recv(socket, bytes + caller.received,
                                  sizeof caller.handshake - caller.received, MSG_DONTWAIT);
        caller.received += static_cast<size_t>(std::max<ssize_t>(more, 0));
        const bool has_ended = more == 0 || (more < 0 && errno != EAGAIN && errno != EINTR);
        const bool is_wrong = caller.received >= sizeof caller.handshake.token &&
                              !is_token_of(meeting_, caller.handshake);
        if (is_wrong || has_ended) {
            return caller.received == 0 ? Stage::left : Stage::dropped;
        }
        if (caller.received < sizeof caller.handshake) {
            return Stage::waits;
        }
        caller.is_of_job = true;
        caller.end_ns = base::now_ns() + kTakingMs * kNsPerMs;
        if (!send_handshake(socket, meeting_, self)) {
            return Stage::dropped;
        }
    }
    char taken = 0;
    const ssize_t more = recv(socket, &taken, sizeof taken, MSG_DONTWAIT);
    if (more == sizeof taken) {
        return Stage::taken;
    }
    const bool waits = more < 0 && (errno == EAGAIN || errno == EINTR);
    return waits ? Stage::waits : Stage::dropped;
}

Connection Listener::take_caller(const Identity& self, int timeout_ms) {
    const int64_t end_ns = base::now_ns() + timeout_ms * kNsPerMs;
    while (true) {
        accept_callers();
        const int64_t now_ns = base::now_ns();
        for (auto caller = callers_.begin(); caller != callers_.end(); ++caller) {
            const Stage stage = hear(*caller, self);
            if (stage == Stage::waits && now_ns < caller->end_ns) {
                continue;
            }
            Connection connection;
            if (stage == Stage::taken) {
                connection = Connection(std::move(caller->connection), caller->handshake.who);
            } else if (!caller->is_of_job && stage != Stage::left) {
                count_stranger();
            }
            callers_.erase(caller);
            return connection;
        }
        if (now_ns >= end_ns) {
            return {};
        }
        wait(static_cast<int>((end_ns - now_ns) / kNsPerMs) + 1);
    }
}

void Listener::take_callers(const Identity& self, int expected,
                            const std::function<bool()>& all_have_tried,
                            std::vector<Connection>* connections) {
    expected_ = static_cast<size_t>(expected);
    // A caller whose call() has returned has this rank's answer and has confirmed it. That may
    // arrive later than what says that all have tried.
    const auto has_answered = [&] {
        return std::any_of(callers_.begin(), callers_.end(),
                           [](const Caller& caller) { return caller.is_of_job; });
    };
    for (bool have_tried = false; is_open() && expected > 0 && (!have_tried || has_answered());) {
        Connection connection = take_caller(self, 1);
        if (connection.is_open()) {
            connections->push_back(std::move(connection));
            --expected;
        } else {
            sched_yield();  // where the system refuses to accept, this does not wait
        }
        have_tried = have_tried || all_have_tried();
    }
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
    for (const base::IpAddress& address : foreign_addresses(meeting)) {
        left.push_back(base::socket_address(address, meeting.port));
    }
    // Another host may have one of the addresses, and answer first. One connection at a time does
    // the handshake, because the listener waits for that of each.
    const int64_t end_ns = base::now_ns() + int64_t{timeout_ms} * 1'000'000;
    int error = EPROTO;
    while (!left.empty()) {
        const int64_t left_ms = std::max<int64_t>((end_ns - base::now_ns()) / 1'000'000, 0);
        const size_t at_once = meeting.is_ordered != 0 ? 1 : left.size();
        const auto wait_ms = static_cast<int>(left_ms * at_once / left.size());
        const auto tried_end = left.begin() + static_cast<ptrdiff_t>(at_once);
        size_t chosen = 0;
        base::Descriptor connected =
            base::connect_to_any({left.begin(), tried_end}, wait_ms, &chosen);
        if (!connected.valid()) {
            error = errno;
            left.erase(left.begin(), tried_end);
            continue;
        }
        Connection connection = handshake_done(std::move(connected), meeting, self);
        if (connection.is_open()) {
            return connection;
        }
        error = EPROTO;
        left.erase(left.begin() + static_cast<ptrdiff_t>(chosen));
    }
    errno = error;
    return {};
}

}  // namespace armci::watch
