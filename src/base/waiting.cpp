#include "base/waiting.h"

namespace armci::base {

void Waiting::slept(int64_t ns) {
    constexpr int64_t kShortSleepNs = 12'000;
    if (!polls()) {
        return;
    }
    if (ns < kShortSleepNs) {
        budget_ns_ = std::min(budget_ns_ + budget_ns_ / 2 + 1, most_ns_);
    } else {
        budget_ns_ = std::max(budget_ns_ - budget_ns_ / 4, least_ns_);
    }
}

void Waiting::finish_window(int64_t sum_ns) {
    switch (stage_) {
        case Stage::none:
            if (--left_ > 0 && sum_ns <= 2 * usual_ns_) {
                return;
            }
            usual_ns_ = sum_ns;
            if (usually_polls_ && sum_ns < kCounting * kQuickNs) {
                decide(false);
            } else {
                stage_ = Stage::first_trial;
            }
            return;
        case Stage::first_trial:
            trial_ns_ = sum_ns;
            stage_ = Stage::second_usual;
            break;
        case Stage::second_usual:
            usual_ns_ = std::min(usual_ns_, sum_ns);
            stage_ = Stage::second_trial;
            break;
        case Stage::second_trial:
            trial_ns_ = sum_ns;
            stage_ = Stage::none;
            break;
    }
    const bool is_better = trial_ns_ < usual_ns_ * 4 / 5;
    if (!is_better || stage_ == Stage::none) {
        decide(is_better);
    }
}

void Waiting::decide(bool for_trial) {
    if (for_trial) {
        usually_polls_ = !usually_polls_;
        pause_ = kShortestPause;
    } else {
        pause_ = std::min(2 * pause_, kLongestPause);
    }
    left_ = pause_;
    stage_ = Stage::none;
}

}  // namespace armci::base
