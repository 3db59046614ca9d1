// SPDX-License-Identifier: BSD-3-Clause
// Connections between processes of one user on one node, over abstract Unix sockets: they have no
// name in a file system, and those they have nobody can guess. Both sides make sure that the other
// is of the same user.
#pragma once

#include <cstddef>
#include <string>

#include "node/descriptor.h"

namespace armci::node {

class LocalListener {
  public:
    static constexpr size_t kNameBytes = 40;  // with a zero at the end

    // False with errno set when the system refuses.
    bool open();
    const std::string& name() const { return name_; }
    // Somebody who has connected, within the time. Invalid with errno set when there is none:
    // EAGAIN when there was no caller, or only one of another user.
    Descriptor take_caller(int timeout_ms);

  private:
    Descriptor socket_;
    std::string name_;
};

// Waits while the listener has too many callers to accept; invalid with errno set when it cannot be
// reached from here.
Descriptor connect_to(const std::string& listener_name);

}  // namespace armci::node
