#include "pipeline/channel.h"

#include <algorithm>

namespace armci::pipeline {

void Channel::record_answer(uint64_t frames, uint64_t bytes) {
    // Answers may overtake each other inside the server; the counters only grow.
    executed_frames = std::max(executed_frames, frames);
    executed_bytes = std::max(executed_bytes, bytes);
}

}  // namespace armci::pipeline
