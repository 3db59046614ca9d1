// SPDX-License-Identifier: BSD-3-Clause
#include "watch/connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/ip.h"
#include "fabric/ip_address.h"

namespace armci::watch {

Connection::Connection(base::Descriptor socket, const Identity& peer)
    : socket_(std::move(socket)), peer_(peer) {
    base::SocketAddress end;
    end.bytes = sizeof end.storage;
    if (getpeername(socket_.get(), end.get(), &end.bytes) == 0) {
        const base::IpAddress host = base::ip_address(end.get());
        const bool is_elsewhere = host.is_given() && !base::is_loopback(host);
        place_ = is_elsewhere ? base::text_of(host, base::port_of(end.get())) : "";
    }
}

bool Connection::say(const Note& note) {
    // If the socket is full, the peer has not read thousands of notes. Half a note is useless, too.
    return is_open() && send(socket_.get(), &note, sizeof note, MSG_DONTWAIT | MSG_NOSIGNAL) ==
                            static_cast<ssize_t>(sizeof note);
}

// A process that ends with unread notes resets its connections, too. Inside a host nothing else
// does.
Reason Connection::reason_of(int error) const {
    if (fabric::is_unreachable(error)) {
        return Reason::unreachable;
    }
    return place_.empty() ? Reason::ended : Reason::reset;
}

Connection::Heard Connection::hear(Note* note, Reason* reason) {
    for (;;) {
        const ssize_t bytes = recv(socket_.get(), partial_ + partial_bytes_,
                                   sizeof partial_ - partial_bytes_, MSG_DONTWAIT);
        if (bytes > 0) {
            partial_bytes_ += static_cast<size_t>(bytes);
            if (partial_bytes_ < sizeof partial_) {
                continue;
            }
            std::memcpy(note, partial_, sizeof *note);
            partial_bytes_ = 0;
            return Heard::note;
        }
        if (bytes < 0 && errno == EINTR) {
            continue;
        }
        if (bytes < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            return Heard::nothing;
        }
        *reason = bytes == 0 ? Reason::ended : reason_of(errno);
        return Heard::end;
    }
}

void limit_silence_of_system(int socket, int64_t timeout_s) {
    // A third of the time passes without anything; four probes share the rest.
    constexpr int kQuestions = 4;
    const int idle_s = static_cast<int>(std::max<int64_t>(1, timeout_s / 3));
    const int interval_s =
        static_cast<int>(std::max<int64_t>(1, (timeout_s - idle_s) / kQuestions));
    const int unanswered_ms = static_cast<int>(timeout_s * 1000);
    const int on = 1;
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof interval_s);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &kQuestions, sizeof kQuestions);
    setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered_ms, sizeof unanswered_ms);
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace armci::watch
