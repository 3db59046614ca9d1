// SPDX-License-Identifier: BSD-3-Clause
// Sockets that have no room for what is sent, as far as their sender can tell. The test program
// replaces send, sendto and sendmsg of the C library, also for libfabric. It does not replace other
// calls, such as write.
#pragma once

#include <cstdint>

namespace armci::test {

// While an object exists, these calls find no room, whatever the socket and the thread.
class FullSockets {
  public:
    FullSockets();
    ~FullSockets();
    FullSockets(const FullSockets&) = delete;
    FullSockets& operator=(const FullSockets&) = delete;

    // Returns how many sends it has refused.
    int64_t refused() const;
};

}  // namespace armci::test
