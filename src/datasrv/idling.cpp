// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/idling.h"

namespace armci::datasrv {

void Idling::spun(bool in_vain) {
    if (options_.poll != base::ServerPoll::automatic) {
        return;
    }
    const int64_t min_ns = longest_spin_ns_ / 16;
    spin_ns_ = in_vain ? std::max(spin_ns_ / 2, min_ns)
                       : std::max(spin_ns_, std::min(2 * spin_ns_ + 1, longest_spin_ns_));
}

// A poll is long compared with the quickest recent one. If all become slow, that soon is the new
// measure.
bool Idling::is_long(int64_t poll_ns) {
    constexpr int64_t kTimesQuick = 4;
    const bool is_long = poll_ns > kTimesQuick * quick_poll_ns_;
    quick_poll_ns_ = std::min(poll_ns, quick_poll_ns_ + quick_poll_ns_ / 64 + 1);
    return is_long;
}

bool Idling::is_soon_after_rma(int64_t now_ns) const {
    constexpr int64_t kMaxNs = 50'000;
    return options_.poll == base::ServerPoll::automatic &&
           now_ns - last_long_poll_ns_ < std::min(longest_spin_ns_, kMaxNs);
}

bool Idling::polls_again(bool found_work, int64_t poll_ns, int64_t now_ns) {
    if (!is_cold_ && is_long(poll_ns)) {
        last_long_poll_ns_ = now_ns;
    }
    is_cold_ = false;
    if (found_work) {
        if (has_timed_out_) {
            longest_sleep_ms_ = kShortestSleepMs;
        }
        if (has_slept_ || has_spun_) {
            spun(now_ns - last_work_ns_ > longest_spin_ns_);
        }
        has_timed_out_ = false;
        has_spun_ = false;
        has_slept_ = false;
        last_work_ns_ = now_ns;
        sleep_ms_ = kShortestSleepMs;
        return true;
    }
    if (has_timed_out_) {
        has_timed_out_ = false;
        sleep_ms_ = std::min(2 * sleep_ms_, longest_sleep_ms_);
    }
    if (options_.poll == base::ServerPoll::spin ||
        now_ns - last_work_ns_ < std::min(spin_ns_, longest_spin_ns_) ||
        is_soon_after_rma(now_ns)) {
        has_spun_ = true;
        return true;
    }
    has_slept_ = true;
    return false;
}

void Idling::woke(bool timed_out) {
    has_timed_out_ = timed_out;
    if (!timed_out) {
        sleep_ms_ = kShortestSleepMs;
    }
}

}  // namespace armci::datasrv
