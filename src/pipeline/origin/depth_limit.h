// SPDX-License-Identifier: BSD-3-Clause
// A limit on the chunks under way to a data server. Tests and measurements set it; without it, as
// many are under way as there is room for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "pipeline/origin/channel.h"

namespace armci::pipeline {

class DepthLimit {
  public:
    // 0 means no limit.
    void set(int chunks) { limit_ = chunks; }
    int chunks() const { return limit_; }
    bool is_set() const { return limit_ > 0; }

    // Notes that the channel's last frame was a chunk.
    void note_sent(Channel& channel) {
        if (is_set()) {
            under_way_.emplace_back(&channel, channel.flow.sent_frames);
        }
    }
    bool allows_chunk(const Channel& channel) {
        if (!is_set()) {
            return true;
        }
        std::erase_if(under_way_, [](const auto& chunk) {
            return chunk.second <= chunk.first->flow.acknowledged_frames;
        });
        return std::count_if(under_way_.begin(), under_way_.end(),
                             [&](const auto& chunk) { return chunk.first == &channel; }) < limit_;
    }

  private:
    int limit_ = 0;
    std::vector<std::pair<Channel*, uint64_t>> under_way_;  // with the chunks' sequence numbers
};

}  // namespace armci::pipeline
