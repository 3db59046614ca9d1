// SPDX-License-Identifier: BSD-3-Clause
// How two processes come to have a line: one listens, tells the others by MPI where (core does
// that), and they connect. Inside a node over a Unix socket without a name in a file system,
// between nodes over TCP (IPv4). Both introduce themselves; then the caller says that it has the
// line, because it may have given up before it was heard. A random token tells the job's own
// processes from others.
#pragma once

#include <cstdint>
#include <string>

#include "node/local_socket.h"
#include "watch/line.h"

namespace armci::watch {

// Where somebody listens; plain bytes, for MPI.
struct Meeting {
    static constexpr int kMaxAddresses = 6;
    uint64_t token[2] = {};
    char name[node::LocalListener::kNameBytes] = "";  // inside the node; empty: between nodes
    uint16_t port = 0;
    uint16_t address_count = 0;              // of the same host, the most likely first
    uint32_t addresses[kMaxAddresses] = {};  // IPv4, as the network has them
    uint32_t is_open = 0;                    // 0: nobody listens
};

enum class Reach : uint8_t {
    node,   // processes of this node
    host,   // of this host, by its loopback
    hosts,  // of all hosts
};

class Listener {
  public:
    // `interface`: name or IPv4 address of the one to be reached by first; may be empty. False with
    // errno set when the system refuses.
    bool open(Reach reach, const std::string& interface);
    bool is_open() const { return meeting_.is_open != 0; }
    const Meeting& meeting() const { return meeting_; }

    // Takes one caller within the time, if there is one, and introduces itself. A closed line:
    // there was none.
    Line take_caller(const Identity& self, int timeout_ms);

  private:
    node::Descriptor take_connection(int timeout_ms);

    Meeting meeting_;
    node::LocalListener local_;
    node::Descriptor socket_;  // between nodes
};

// A closed line when nobody can be reached there.
Line call(const Meeting& meeting, const Identity& self);

}  // namespace armci::watch
