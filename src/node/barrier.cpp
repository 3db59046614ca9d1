// SPDX-License-Identifier: BSD-3-Clause
#include "node/barrier.h"

#include <climits>

#include "base/futex.h"

namespace armci::node {

void NodeBarrier::arrive() {
    ++number_;
    seen_ = 0;
    std::atomic_ref(flags_[rank_].number).store(number_, std::memory_order_release);
}

bool NodeBarrier::has_come(int rank) const {
    return is_reached(std::atomic_ref(flags_[rank].number).load());
}

bool NodeBarrier::all_arrived() {
    while (seen_ < rank_count_) {
        if (!has_come(seen_)) {
            return false;
        }
        ++seen_;
    }
    // The fence is here, not where the flag is raised, so that the flag's line can arrive while
    // this rank looks at the others.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    // One wake-up is enough, although several ranks may get here.
    if (state_->sleepers.load() != 0 && state_->complete.exchange(number_) != number_) {
        base::futex_wake(&state_->complete, INT_MAX);
    }
    return true;
}

template <class Done>
void NodeBarrier::sleep(std::atomic<uint32_t>& word, int64_t timeout_us, Done&& done) {
    const uint32_t seen = word.load();
    state_->sleepers.fetch_add(1);
    if (!done()) {
        base::futex_wait(&word, seen, timeout_us);
    }
    state_->sleepers.fetch_sub(1);
}

void NodeBarrier::sleep_until_all_arrived(int64_t timeout_us) {
    sleep(state_->complete, timeout_us, [&] { return all_arrived(); });
}

void NodeBarrier::release() {
    state_->released.exchange(number_);
    if (state_->sleepers.load() != 0) {
        base::futex_wake(&state_->released, INT_MAX);
    }
}

bool NodeBarrier::released() const {
    return is_reached(state_->released.load());
}

void NodeBarrier::sleep_until_released(int64_t timeout_us) {
    sleep(state_->released, timeout_us, [&] { return released(); });
}

}  // namespace armci::node
