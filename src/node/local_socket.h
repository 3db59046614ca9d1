// SPDX-License-Identifier: BSD-3-Clause
// Connections between processes of one user on one node, over abstract Unix sockets. The sockets
// have no name in a file system, and their abstract names cannot be guessed. Both sides check that
// the other belongs to the same user.
#pragma once

#include <cstddef>
#include <string>

#include "base/descriptor.h"

namespace armci::node {

class LocalListener {
  public:
    static constexpr size_t kNameBytes = 40;  // with a zero at the end

    // Returns false with errno set if the system refuses.
    bool open();
    const std::string& name() const { return name_; }
    int socket() const { return socket_.get(); }
    // Returns a process that has connected, within the time. Returns an invalid descriptor with
    // errno set if there is none: EAGAIN means no caller, or only one of another user.
    base::Descriptor take_caller(int timeout_ms);

  private:
    base::Descriptor socket_;
    std::string name_;
};

// Connects to a listener, and waits while it has too many callers to accept. Returns an invalid
// descriptor with errno set if the listener cannot be reached from here.
base::Descriptor connect_to(const std::string& listener_name);

}  // namespace armci::node
