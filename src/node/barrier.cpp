#include "node/barrier.h"

namespace armci::node {

uint32_t NodeBarrier::arrive() {
    // Read before announcing: afterwards the first rank may already move the generation on.
    const uint32_t token = state_->generation.load(std::memory_order_relaxed);
    state_->arrived.fetch_add(1, std::memory_order_acq_rel);
    return token;
}

bool NodeBarrier::released(uint32_t token) const {
    return state_->generation.load(std::memory_order_acquire) != token;
}

bool NodeBarrier::all_arrived() const {
    return state_->arrived.load(std::memory_order_acquire) ==
           static_cast<uint32_t>(rank_count_ - 1);
}

void NodeBarrier::release() {
    state_->arrived.store(0, std::memory_order_relaxed);
    state_->generation.fetch_add(1, std::memory_order_release);
}

}  // namespace armci::node
