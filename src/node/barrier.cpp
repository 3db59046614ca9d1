#include "node/barrier.h"

#include <climits>

#include "base/futex.h"

namespace armci::node {

void NodeBarrier::sleep(std::atomic<uint32_t>& word, uint32_t value, int64_t timeout_us) {
    state_->sleepers.fetch_add(1);
    base::futex_wait(&word, value, timeout_us);
    state_->sleepers.fetch_sub(1);
}

void NodeBarrier::wake(std::atomic<uint32_t>& word) {
    if (state_->sleepers.load() != 0) {
        base::futex_wake(&word, INT_MAX);
    }
}

uint32_t NodeBarrier::arrive() {
    // Read before announcing: afterwards the first rank may already move the generation on.
    const uint32_t token = state_->generation.load(std::memory_order_relaxed);
    if (state_->arrived.fetch_add(1) + 1 == others()) {
        wake(state_->arrived);
    }
    return token;
}

bool NodeBarrier::released(uint32_t token) const {
    return state_->generation.load(std::memory_order_acquire) != token;
}

void NodeBarrier::sleep_until_released(uint32_t token, int64_t timeout_us) {
    sleep(state_->generation, token, timeout_us);
}

bool NodeBarrier::all_arrived() const {
    return state_->arrived.load(std::memory_order_acquire) == others();
}

void NodeBarrier::sleep_until_all_arrived(int64_t timeout_us) {
    const uint32_t arrived = state_->arrived.load();
    if (arrived != others()) {
        sleep(state_->arrived, arrived, timeout_us);
    }
}

void NodeBarrier::release() {
    state_->arrived.store(0, std::memory_order_relaxed);
    state_->generation.fetch_add(1);
    wake(state_->generation);
}

}  // namespace armci::node
