// SPDX-License-Identifier: BSD-3-Clause
// Stream sockets with time limits. All descriptors are closed in programs that are started.
#pragma once

#include <netinet/in.h>

#include "base/descriptor.h"

namespace armci::base {

// Waits until the descriptor has one of these events of poll(). Returns false with errno set after
// the time limit (EAGAIN), or when the system refuses to wait. Signals neither
// end the wait nor prolong it. The time limit is not negative.
bool wait_ready(int fd, short events, int timeout_ms);

// Listens at an address of the given family. The result does not block in accept(). It is invalid,
// with errno set, if the system refuses.
Descriptor listen_at(const sockaddr* address, socklen_t address_bytes);

// Accepts a connection within the time. Returns an invalid descriptor with errno set otherwise:
// EAGAIN means that no caller came, or that it has gone.
Descriptor accept_within(const Descriptor& listening, int timeout_ms);

// Connects over TCP within the time; where packets are dropped, the system would try for minutes.
// The connection blocks. Returns an invalid descriptor with errno set on failure: ETIMEDOUT if
// nothing has answered.
Descriptor connect_within(const sockaddr_in& address, int timeout_ms);

}  // namespace armci::base
