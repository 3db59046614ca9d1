// SPDX-License-Identifier: BSD-3-Clause
// The memory that the ranks of a node share: an anonymous file, passed between processes as a file
// descriptor over an abstract Unix socket and mapped at one agreed address. Nothing here ever has a
// name in a file system, so nothing can be left behind, however the processes end.
//
// Forming a node takes four steps, between which the caller (core) lets the ranks agree by MPI:
//   1. one rank creates the memory and a DescriptorServer, and tells the others the server's name;
//   2. the others connect_to() it: who cannot reach it does not share this node;
//   3. the first rank serves as many connections as there were successes, the others receive;
//   4. all try map_shared() at one candidate address after the other until all succeed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "node/local_socket.h"

namespace armci::node {

// Nodes of one job that can share memory are virtual ones. All have parts of one file, which begins
// with this, because what one of them has given out is not there for the others.
struct HostAccount {
    static constexpr size_t kBytes = 2 << 20;  // what is kept for it: parts begin on huge pages
    uint64_t part_bytes = 0;                   // of each node, as the file's maker found room for
    std::atomic<uint64_t> given_out_bytes{0};  // by all of them
};

// The part of such a file that is a node's.
struct NodeFile {
    int descriptor = -1;
    uint64_t offset = 0;
    HostAccount* account = nullptr;  // may be null where the file is one node's
};

// A sparse anonymous file of `bytes`; invalid with errno set on failure.
Descriptor create_node_memory(size_t bytes);
// What to do about such a failure.
const char* remedy_for_node_memory(int error);
// Maps it where the system likes; nullptr with errno set on failure.
HostAccount* map_account(const Descriptor& memory);
void unmap_account(HostAccount* account);

// Gives a descriptor to those who connect_to() it.
class DescriptorServer {
  public:
    // False with errno set when the socket cannot be made.
    bool start() { return listener_.open(); }
    const std::string& name() const { return listener_.name(); }
    // Accepts one of the connections that are already waiting, and sends the descriptor to it.
    enum class Served : uint8_t { nobody, one, failed };
    Served serve_one(const Descriptor& descriptor, int timeout_ms);

  private:
    LocalListener listener_;
};

// Receives what serve_one() sends; invalid when the connection broke or something else arrived.
Descriptor receive_descriptor(const Descriptor& connection);

// Maps the memory at exactly `address`; false when that range is in use here, or the limit on
// address space is reached.
bool map_shared(const Descriptor& memory, void* address, size_t bytes, uint64_t offset = 0);
void unmap_shared(void* address, size_t bytes);

// The limit on address space (ulimit -v); the largest number if there is none.
uint64_t address_space_limit();
// Whether this process could map so much more; always, without such a limit.
bool leaves_address_space(size_t bytes);

// Candidate addresses for node memory, best first; nullptr after the last.
void* candidate_address(int index);

}  // namespace armci::node
