// SPDX-License-Identifier: BSD-3-Clause
// Options that a data server is opened with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/config.h"
#include "pipeline/buffers/server_numbers.h"

namespace armci::datasrv {

struct ServerOptions {
    pipeline::ServerNumbers servers;
    int number = 0;                         // among them
    uint64_t token = 0;                     // of this process
    int rank_count = 1;                     // of the job: ranks in frames are below this
    const uint64_t* rank_tokens = nullptr;  // by rank; they stay the caller's
    size_t buffer_count = 0;                // for answers
    size_t buffer_bytes = 0;                // largest frame, the same on all nodes
    size_t receive_bytes = 0;               // for messages that take no receive buffer
    int64_t client_window_bytes = 0;  // how many bytes of these each client may have under way
    uint32_t recv_buffer_count = 0;   // of buffer_bytes each; 0: chunks are short messages
    uint32_t mailbox_count = 0;       // where the provider shows writes
    bool write_chunks = false;        // chunks are written into them; if not, they are messages
    bool register_segments = true;    // with the provider, for RMA
    bool use_ordering = true;         // of RMA and messages, where the provider grants it
    base::ServerPoll poll = base::ServerPoll::automatic;
    int64_t spin_us = 0;
    int64_t poll_sleep_us = 0;       // > 0: sleep between polls instead of waiting for events
    int processor = -1;              // the one that the thread is bound to
    bool is_oversubscribed = false;  // more ranks than processors
    // Describes a rank for log and error text, as in "rank 4 (on host b, 192.0.2.1)". May be null.
    std::string (*describe_rank)(const void* context, int rank) = nullptr;
    const void* describe_context = nullptr;

    // Returns the name that log and error text uses: "data server 1 of node 3".
    std::string name() const { return servers.name_of(number); }
};

}  // namespace armci::datasrv
