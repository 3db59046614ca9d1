// SPDX-License-Identifier: BSD-3-Clause
// Two processes get a liveness connection as follows. One listens and sends its address to the
// others by MPI (core does that), and they connect. Inside a node they use a Unix socket without a
// name in a file system, between nodes TCP. Both introduce themselves by a handshake. Then
// the caller confirms the connection, because it may have given up before the listener answered. A
// random token distinguishes the job's own processes from others.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/config_value.h"
#include "base/ip.h"
#include "node/local_socket.h"
#include "watch/connection.h"

namespace armci::watch {

// A Meeting is the address of a listener, as plain bytes for MPI.
struct Meeting {
    static constexpr int kMaxAddresses = 8;  // as many as a process may have rails
    uint64_t token[2] = {};
    char name[node::LocalListener::kNameBytes] = "";  // inside the node; empty: between nodes
    uint16_t port = 0;
    uint16_t address_count = 0;
    base::IpAddress addresses[kMaxAddresses];  // of the same host, the most likely first
    uint32_t is_ordered = 0;                   // 1: a later one only if an earlier one fails
    uint32_t is_open = 0;                      // 0: no process listens
};

// What both sides send first.
struct Handshake {
    uint64_t token[2];
    Identity who;
};

enum class Reach : uint8_t {
    node,   // processes of this node
    host,   // processes of this host, by its loopback
    hosts,  // processes of all hosts
};

class Listener {
  public:
    // `interfaces` are names or addresses. If this host has one of them, it listens there only. If
    // it has several, it listens everywhere, and callers try these in their order; if none, they
    // try all of the host at once. Between nodes it listens at the first free one of `ports`.
    // Returns false with errno set if the system refuses.
    bool open(Reach reach, const std::vector<std::string>& interfaces = {},
              const base::PortRange& ports = {});
    bool is_open() const { return meeting_.is_open != 0; }
    const Meeting& meeting() const { return meeting_; }

    // Does the handshake with all callers, and returns the connection of the first that has
    // completed it. Returns a closed connection after the time, or when a caller was dropped or has
    // left. Callers that do not show the token are closed and counted (base/strangers.h). Few may
    // be silent at a time, and none for long, so they do not keep others out. Those that leave
    // without a word do not count: a rank calls all addresses at once, and leaves the late ones.
    Connection take_caller(const Identity& self, int timeout_ms);
    // Takes so many callers, if they come before all_have_tried() is true. It is true when call()
    // has returned in all processes that may call.
    void take_callers(const Identity& self, int expected,
                      const std::function<bool()>& all_have_tried,
                      std::vector<Connection>* connections);

  private:
    struct Caller {
        base::Descriptor connection;
        int64_t end_ns = 0;  // the latest time for what is missing
        Handshake handshake{};
        size_t received = 0;  // bytes of it
        bool is_of_job = false;
    };
    enum class Stage : uint8_t { waits, taken, dropped, left };

    int listening_socket() const;
    base::Descriptor accept_caller();
    void accept_callers();
    void wait(int timeout_ms) const;
    Stage hear(Caller& caller, const Identity& self) const;
    void count_stranger() const;

    Meeting meeting_;
    size_t expected_ = 0;          // ranks that may call at the same time
    std::vector<Caller> callers_;  // the oldest first
    node::LocalListener local_;
    base::Descriptor socket_;  // between nodes
};

// Returns "192.0.2.1, 2001:db8::1, port 4711", or an empty text inside a node.
std::string places_of(const Meeting& meeting);

// Connects to the listener, at the first of its addresses that answers within the time. Returns a
// closed connection with errno set if no process can be reached there.
Connection call(const Meeting& meeting, const Identity& self, int timeout_ms);

}  // namespace armci::watch
