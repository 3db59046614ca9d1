// SPDX-License-Identifier: BSD-3-Clause
// Stream sockets with time limits. All descriptors are closed in programs that are started.
#pragma once

#include <cstdint>
#include <vector>

#include "base/config_value.h"
#include "base/descriptor.h"
#include "base/ip.h"

namespace armci::base {

// Waits until the descriptor has one of these events of poll(). Returns false with errno set after
// the time limit (EAGAIN), or when the system refuses to wait. Signals neither
// end the wait nor prolong it. The time limit is not negative.
bool wait_ready(int fd, short events, int timeout_ms);

// Listens at an address of the given family. The result does not block in accept(). It is invalid,
// with errno set, if the system refuses.
// IPv6's address of all interfaces takes callers of IPv4, too.
Descriptor listen_at(const sockaddr* address, socklen_t address_bytes);
// Listens at the first free port of a range, or at one that the system chooses, and sets *port.
Descriptor listen_in_range(const IpAddress& address, const PortRange& ports, uint16_t* port);

// Accepts a connection within the time. Returns an invalid descriptor with errno set otherwise:
// EAGAIN means that no caller came, or that it has gone.
Descriptor accept_within(const Descriptor& listening, int timeout_ms);

// Begins to connect over TCP, from this address of the host if one is given. The connection does
// not block. Returns an invalid descriptor with errno set if the system refuses at once.
Descriptor begin_connection(const SocketAddress& to, const IpAddress& from = {});
// Returns what has become of it: 0, or an error; EINPROGRESS if nothing is known yet.
int outcome_of(const Descriptor& connecting);

// Connects over TCP within the time; where packets are dropped, the system would try for minutes.
// The connection blocks. Returns an invalid descriptor with errno set on failure: ETIMEDOUT if
// nothing has answered.
Descriptor connect_within(const SocketAddress& address, int timeout_ms);
// The same with any of several addresses, which are all tried at once. *chosen is the one that has
// answered first. On failure errno is that of the last.
Descriptor connect_to_any(const std::vector<SocketAddress>& addresses, int timeout_ms,
                          size_t* chosen);

}  // namespace armci::base
