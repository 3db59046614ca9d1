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

#include <cstddef>
#include <cstdint>
#include <string>

#include "node/local_socket.h"

namespace armci::node {

// A sparse anonymous file of `bytes`; invalid with errno set on failure.
Descriptor create_node_memory(size_t bytes);

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

// Maps the memory at exactly `address`; false when that range is in use here.
bool map_shared(const Descriptor& memory, void* address, size_t bytes);
void unmap_shared(void* address, size_t bytes);

// Candidate addresses for node memory, best first; nullptr after the last.
void* candidate_address(int index);

}  // namespace armci::node
