// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/channel.h"

namespace armci::pipeline {

uint64_t Channel::recv_buffers_wanted(uint64_t used, size_t largest_message_bytes) const {
    if (recv_area == nullptr) {
        return 0;
    }
    uint64_t needed = used > 0 ? keep_recv_buffers : 0;
    // A transfer that fits one message needs no receive buffer.
    if (queued_bytes > static_cast<int64_t>(largest_message_bytes) / 2) {
        const auto for_queue =
            static_cast<uint64_t>(queued_bytes) / (recv_area->recv_buffer_bytes / 2) + 1;
        needed = std::max(needed, std::min<uint64_t>(for_queue, recv_area->recv_buffer_count));
    }
    const uint64_t left = recv_buffers.size() - std::min<uint64_t>(used, recv_buffers.size());
    return needed > left ? needed - left : 0;
}

}  // namespace armci::pipeline
