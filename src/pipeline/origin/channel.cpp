// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/channel.h"

namespace armci::pipeline {

uint32_t GrantedRecvBuffers::wanted(uint32_t used, size_t largest_message_bytes) const {
    if (area == nullptr) {
        return 0;
    }
    uint64_t needed = used > 0 ? kept() : 0;
    // A transfer that fits one message needs no receive buffer.
    if (queued_bytes > static_cast<int64_t>(largest_message_bytes) / 2) {
        const auto for_queue =
            static_cast<uint64_t>(queued_bytes) / (area->recv_buffer_bytes / 2) + 1;
        needed = std::max(needed, std::min<uint64_t>(for_queue, area->recv_buffer_count));
    }
    const uint64_t left = granted.size() - std::min<uint64_t>(used, granted.size());
    return left <= needed / 2 ? static_cast<uint32_t>(needed - left) : 0;
}

}  // namespace armci::pipeline
