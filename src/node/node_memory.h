// SPDX-License-Identifier: BSD-3-Clause
// The memory that the ranks of a node share: an anonymous file, passed between processes as a file
// descriptor over an abstract Unix socket and mapped at one agreed address. It never has a name in
// a file system, so nothing is left behind, however the processes end.
//
// Forming a node takes four steps, between which the caller (core) lets the ranks agree by MPI:
//   1. one rank creates the memory and a DescriptorServer, and sends its name to the others;
//   2. the others connect_to() it: a rank that cannot reach it does not share this node;
//   3. the first rank serves as many connections as there were successes, the others receive;
//   4. all try map_shared() at one candidate address after the other until all succeed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "node/local_socket.h"

namespace armci::node {

// Nodes of one job that can share memory are virtual nodes, and have parts of one file. The file
// begins with this account, because memory that one node has given out is missing to the others.
struct HostAccount {
    static constexpr size_t kBytes = 2 << 20;  // reserved for it, so that parts begin on huge pages
    uint64_t part_bytes = 0;                   // of each node, as room was found
    std::atomic<uint64_t> given_out_bytes{0};  // by all nodes
    std::atomic<uint64_t> kept_bytes{0};       // free, with their pages, on all nodes
};

// A NodeFile is the part of such a file that belongs to one node.
struct NodeFile {
    int descriptor = -1;
    uint64_t offset = 0;
    HostAccount* account = nullptr;  // may be null if the file belongs to one node
};

// Makes a sparse anonymous file of `bytes`, which other users may not open. Returns an invalid
// descriptor with errno set on failure.
base::Descriptor create_node_memory(size_t bytes);
// Returns what the user can do about such a failure.
const char* remedy_for_node_memory(int error);
// Maps the account at any address. Returns nullptr with errno set on failure.
HostAccount* map_account(const base::Descriptor& memory);
void unmap_account(HostAccount* account);

// Sends a descriptor to the processes that connect_to() it.
class DescriptorServer {
  public:
    // Returns false with errno set if the socket cannot be made.
    bool start() { return listener_.open(); }
    const std::string& name() const { return listener_.name(); }
    // Accepts one of the connections that are already waiting, and sends the descriptor over it.
    enum class Served : uint8_t { none, one, failed };
    Served serve_one(const base::Descriptor& descriptor, int timeout_ms);

  private:
    LocalListener listener_;
};

// Receives what serve_one() sends. Returns an invalid descriptor if the connection broke or
// something else arrived.
base::Descriptor receive_descriptor(const base::Descriptor& connection);

// Maps the memory at exactly `address`. Returns false if that range is in use here, or the limit on
// address space is reached.
bool map_shared(const base::Descriptor& memory, void* address, size_t bytes, uint64_t offset = 0);
void unmap_shared(void* address, size_t bytes);

// Returns the limit on address space (ulimit -v), or the largest number if there is none.
uint64_t address_space_limit();
// Says whether this process could map so many bytes more; always true without such a limit.
bool leaves_address_space(size_t bytes);

// Returns candidate addresses for node memory, best first, and nullptr after the last. The first
// ones depend on `random`, so that a stranger does not know where global memory lies: they are one
// of 37 million.
void* candidate_address(int index, uint64_t random);

}  // namespace armci::node
