#include "datasrv/idling.h"

namespace armci::datasrv {

void Idling::spun(bool in_vain) {
    if (options_.poll != base::ServerPoll::automatic) {
        return;
    }
    const int64_t least_ns = options_.most_spin_ns / 16;
    spin_ns_ = in_vain ? std::max(spin_ns_ / 2, least_ns)
                       : std::min(2 * spin_ns_ + 1, options_.most_spin_ns);
}

bool Idling::polls_again(bool found_work, int64_t now_ns) {
    if (found_work) {
        if (has_timed_out_) {
            longest_sleep_ms_ = kShortestSleepMs;
        }
        if (has_slept_ || has_spun_) {
            spun(now_ns - last_work_ns_ > options_.most_spin_ns);
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
    if (options_.poll == base::ServerPoll::spin || now_ns - last_work_ns_ < spin_ns_) {
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
