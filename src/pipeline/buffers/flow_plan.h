// SPDX-License-Identifier: BSD-3-Clause
// How much may be under way between origins and a data server, and the memory that this takes. It
// does not depend on the number of origins.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace armci::pipeline {

// Returns whether servers grant receive buffers of that length. A shorter one is not worth a grant.
constexpr bool grants_recv_buffers(int64_t buffer_bytes) {
    constexpr int64_t kMinRecvBuffer = 16 << 10;
    return buffer_bytes >= kMinRecvBuffer;
}

// What the plan depends on. All ranks must have the same.
struct FlowNeeds {
    int rank_count = 1;
    int servers_per_node = 1;
    int64_t buffer_bytes = 0;       // of a chunk, with what its sender keeps before it
    int64_t recv_buffer_count = 0;  // as configured
    bool notifies_writes = false;   // whether a write can carry immediate data
};

struct FlowPlan {
    // Chunks and the data of gets are written into granted buffers. If not, they are messages.
    bool write_chunks = false;
    uint32_t recv_buffer_count = 0;  // of a server; 0: chunks are short messages without a grant
    int64_t window_bytes = 0;  // of messages without a grant that an origin may have under way
    size_t server_receive_bytes = 0;  // what a server posts for these of all origins
    size_t origin_receive_bytes = 0;  // what an origin posts for answers
};

inline FlowPlan plan_flow(const FlowNeeds& needs) {
    constexpr int64_t kMessageBytes = 4 << 20;
    constexpr int64_t kNarrowest = 4 << 10;
    // When more origins send at the same time than there is room for, the provider holds their
    // messages back (FI_RM_ENABLED).
    constexpr size_t kMaxOfNode = 16 << 20;
    constexpr size_t kMinOfServer = 1 << 20;
    constexpr size_t kAnswerBytes = 512 << 10;  // all answers are short where data is written
    FlowPlan plan;
    const bool has_grants = grants_recv_buffers(needs.buffer_bytes);
    plan.write_chunks = has_grants && needs.notifies_writes;
    plan.recv_buffer_count = has_grants ? static_cast<uint32_t>(needs.recv_buffer_count) : 0;
    plan.window_bytes = std::max(kMessageBytes / needs.rank_count, kNarrowest);
    const size_t max =
        std::max(kMaxOfNode / static_cast<size_t>(needs.servers_per_node), kMinOfServer);
    plan.server_receive_bytes = std::min(
        static_cast<size_t>(plan.window_bytes) * static_cast<size_t>(needs.rank_count), max);
    plan.origin_receive_bytes =
        plan.write_chunks ? kAnswerBytes
                          : static_cast<size_t>(needs.recv_buffer_count * needs.buffer_bytes);
    return plan;
}

}  // namespace armci::pipeline
