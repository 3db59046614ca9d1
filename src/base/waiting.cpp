// SPDX-License-Identifier: BSD-3-Clause
#include "base/waiting.h"

namespace armci::base {

void Waiting::slept(int64_t ns) {
    constexpr int64_t kShortSleepNs = 12'000;
    if (!polls()) {
        return;
    }
    if (ns < kShortSleepNs) {
        budget_ns_ = std::min(budget_ns_ + budget_ns_ / 2 + 1, max_ns_);
    } else {
        budget_ns_ = std::max(budget_ns_ - budget_ns_ / 4, min_ns_);
    }
}

void Waiting::finish_window(int64_t sum_ns) {
    switch (stage_) {
        case Stage::none:
            if (--left_ > 0 && sum_ns <= 2 * usual_ns_) {
                return;
            }
            usual_ns_ = sum_ns;
            if (usually_polls_ && sum_ns < kWindow * kQuickNs) {
                keep_way();
            } else {
                stage_ = Stage::first_trial;
            }
            return;
        case Stage::first_trial:
            trial_ns_ = sum_ns;
            stage_ = Stage::second_usual;
            break;
        case Stage::second_usual:
            usual_ns_ = sum_ns;
            stage_ = Stage::second_trial;
            break;
        case Stage::second_trial:
            trial_ns_ = sum_ns;
            stage_ = Stage::none;
            break;
    }
    if (!trial_wins(trial_ns_)) {
        keep_way();
    } else if (stage_ == Stage::none) {
        change_way();
    }
}

void Waiting::keep_way() {
    pause_ = std::min(2 * pause_, kLongestPause);
    left_ = pause_;
    stage_ = Stage::none;
}

void Waiting::change_way() {
    usually_polls_ = !usually_polls_;
    usual_ns_ = trial_ns_;
    pause_ = kShortestPause;
    left_ = pause_;
}

}  // namespace armci::base
