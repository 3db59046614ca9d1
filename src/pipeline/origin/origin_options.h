// SPDX-License-Identifier: BSD-3-Clause
// Options and environment that an origin is opened with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "fabric/endpoint.h"
#include "pipeline/buffers/recv_area.h"
#include "pipeline/buffers/server_numbers.h"
#include "pipeline/costs/registration_costs.h"

namespace armci::pipeline {

// What the origin needs from the rest of the library. All functions get `context`.
struct OriginEnvironment {
    void* context = nullptr;
    // Returns the fabric address of a data server.
    const void* (*server_address)(void* context, int server) = nullptr;
    // Returns where chunks for a data server go. The result stays valid.
    const RecvAreaAddress* (*recv_area)(void* context, int server) = nullptr;
    // Returns the keys of that memory on the further rails, where these differ. The result stays
    // valid. May be null.
    const uint64_t* (*recv_area_keys)(void* context, int server) = nullptr;
    // Returns the token of the process that a data server is in.
    uint64_t (*server_token)(void* context, int server) = nullptr;
    // Describes a node for log and error text, as in "node 1 (rank 2 on host b, 192.0.2.1)". May be
    // null.
    std::string (*describe_node)(const void* context, int node) = nullptr;
    // As Endpoint::Options::ask_peer, of a node's data servers. May be null.
    std::string (*ask_node)(const void* context, int node) = nullptr;
};

struct OriginOptions {
    int rank = 0;
    uint64_t token = 0;  // of this process
    ServerNumbers servers;
    size_t buffer_count = 0;
    // Chunks of one transfer that are in these buffers at a time; more would only wait there.
    int32_t depth = INT32_MAX;
    size_t buffer_bytes = 0;          // equal on all ranks: also the largest frame a server takes
    size_t receive_bytes = 0;         // memory for answers
    int64_t server_window_bytes = 0;  // how much a server lets this origin have under way
    RegistrationCosts registrations;  // which RMA is copied where memory must be registered
    // Chunks with less data are packed: a short copy costs less than further pieces of a write.
    int64_t in_place_min_bytes = 32 << 10;
    bool has_answer_slots = false;  // where the provider shows writes
    bool write_chunks = false;      // chunks are written into receive buffers, here and at servers
    bool use_ordering = true;
};

}  // namespace armci::pipeline
