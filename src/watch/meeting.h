// SPDX-License-Identifier: BSD-3-Clause
// Two processes get a liveness connection as follows. One listens and sends its address to the
// others by MPI (core does that), and they connect. Inside a node they use a Unix socket without a
// name in a file system, between nodes TCP. Both introduce themselves by a handshake. Then
// the caller confirms the connection, because it may have given up before the listener answered. A
// random token distinguishes the job's own processes from others.
#pragma once

#include <cstdint>
#include <string>

#include "base/config_value.h"
#include "base/ip.h"
#include "node/local_socket.h"
#include "watch/connection.h"

namespace armci::watch {

// A Meeting is the address of a listener, as plain bytes for MPI.
struct Meeting {
    static constexpr int kMaxAddresses = 6;
    uint64_t token[2] = {};
    char name[node::LocalListener::kNameBytes] = "";  // inside the node; empty: between nodes
    uint16_t port = 0;
    uint16_t address_count = 0;
    base::IpAddress addresses[kMaxAddresses];  // of the same host, the most likely first
    uint32_t is_open = 0;                      // 0: no process listens
};

enum class Reach : uint8_t {
    node,   // processes of this node
    host,   // processes of this host, by its loopback
    hosts,  // processes of all hosts
};

class Listener {
  public:
    // `interface` is the name or an address of the preferred interface; it may be empty.
    // Between nodes it listens at the first free one of `ports`. Returns false with errno set if
    // the system refuses.
    bool open(Reach reach, const std::string& interface, const base::PortRange& ports = {});
    bool is_open() const { return meeting_.is_open != 0; }
    const Meeting& meeting() const { return meeting_; }

    // Accepts one caller within the time and does the handshake with it. Returns a closed
    // connection if there was no caller.
    Connection take_caller(const Identity& self, int timeout_ms);

  private:
    base::Descriptor take_connection(int timeout_ms);

    Meeting meeting_;
    node::LocalListener local_;
    base::Descriptor socket_;  // between nodes
};

// Returns "192.0.2.1, 2001:db8::1, port 4711", or an empty text inside a node.
std::string places_of(const Meeting& meeting);

// Connects to the listener, at the first of its addresses that answers within the time. Returns a
// closed connection with errno set if no process can be reached there.
Connection call(const Meeting& meeting, const Identity& self, int timeout_ms);

}  // namespace armci::watch
