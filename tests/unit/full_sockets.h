// SPDX-License-Identifier: BSD-3-Clause
// Sockets that have no room for what is sent, as far as their sender can tell: send, sendto and
// sendmsg of the C library are replaced in the test program, also for libfabric.
#pragma once

#include <cstdint>

namespace armci::test {

// While an object exists, no socket of this process has room.
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
