// SPDX-License-Identifier: BSD-3-Clause
#include "node/barrier.h"

#include <algorithm>
#include <climits>

#include "base/futex.h"

namespace armci::node {

void NodeBarrier::arrive(uint8_t purpose) {
    ++number_;
    seen_ = 0;
    other_ = -1;
    flags_[rank_].purposes[number_ % 2] = purpose;
    std::atomic_ref(flags_[rank_].number).store(number_, std::memory_order_release);
}

void NodeBarrier::arrive_with(uint8_t purpose, const BarrierWords& words) {
    flags_[rank_].words[(number_ + 1) % 2] = words;
    arrive(purpose);
}

BarrierWords NodeBarrier::largest_words() const {
    BarrierWords largest = flags_[rank_].words[number_ % 2];
    for (int rank = 0; rank < rank_count_; ++rank) {
        const BarrierWords& words = flags_[rank].words[number_ % 2];
        for (size_t i = 0; i < words.size(); ++i) {
            largest[i] = std::max(largest[i], words[i]);
        }
    }
    return largest;
}

bool NodeBarrier::has_come(int rank) const {
    return is_reached(std::atomic_ref(flags_[rank].number).load());
}

bool NodeBarrier::all_arrived() {
    while (seen_ < rank_count_) {
        if (!has_come(seen_)) {
            return false;
        }
        if (purpose_of(seen_) != purpose_of(rank_) && other_ < 0) {
            other_ = seen_;
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
