// SPDX-License-Identifier: BSD-3-Clause
// How a rank waits for the network: whether it polls before it sleeps in the kernel, and for how
// long. Knows neither clock nor network; the wait tells it what has happened.
//
// Polling saves the time of a wake-up, unless who is waited for needs this very processor: then it
// is the polling that keeps him waiting, and what sched_yield() does about that differs from kernel
// to kernel. Which of the two holds depends on where the kernel has put the threads, of which
// nothing else tells, least of all a count of processors that others use as well.
//
// So the other way is tried now and then. Waits are counted in windows; two windows of trial
// alternate with two of the usual way, and if each trial took a fifth less than its neighbours, the
// ways change places. The longer a way stays the usual one, the rarer the trials; a window that
// took twice as long as the usual ones calls for one at once. All of a window counts: what polling
// spoils may be one wait in many, but a long one.
//
// How long to poll is learned from the sleeps after it: one that was short could have been polled
// through; a long one shows that polling was not worth it.
// docs/references.md: Karlin 1991
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace armci::base {

class Waiting {
  public:
    static constexpr int kWindow = 16;        // waits
    static constexpr int kShortestPause = 1;  // windows from one comparison to the next
    static constexpr int kLongestPause = 128;
    static constexpr int64_t kQuickNs = 6'000;          // the least that a wait asleep takes
    static constexpr int64_t kLongestNs = 100'000'000;  // longer waits count as this

    enum class Trials : bool { no, yes };
    enum class Way : bool { sleep, poll };

    // `usual_way`: to begin with.
    Waiting(int64_t min_spin_ns, int64_t max_spin_ns, Trials trials, Way usual_way = Way::poll)
        : min_ns_(min_spin_ns),
          max_ns_(max_spin_ns),
          budget_ns_(min_spin_ns),
          tries_(trials == Trials::yes),
          usually_polls_(usual_way == Way::poll) {}

    int64_t min_ns() const { return min_ns_; }
    int64_t max_ns() const { return max_ns_; }
    bool tries() const { return tries_; }

    // For how long to poll in this wait.
    int64_t spin_ns() const { return polls() ? budget_ns_ : 0; }
    // It has polled so long without success, and then slept for that time.
    void slept(int64_t ns);
    // It took so long from the first look that found nothing. Not told of are waits without one,
    // and those in which sleeping was out of the question.
    void ended(int64_t ns) {
        if (tries_) {
            sum_ns_ += std::min(ns, kLongestNs);
            if (++count_ == kWindow) {
                count_ = 0;
                finish_window(std::exchange(sum_ns_, 0));
            }
        }
    }

  private:
    // The windows of a comparison. The first is the last one before it, and of the usual way.
    enum class Stage : uint8_t { none, first_trial, second_usual, second_trial };

    bool is_trial() const { return stage_ == Stage::first_trial || stage_ == Stage::second_trial; }
    bool polls() const { return usually_polls_ != is_trial(); }
    void finish_window(int64_t sum_ns);
    void keep_way();
    void change_way();

    int64_t min_ns_;
    int64_t max_ns_;
    int64_t budget_ns_;
    bool tries_;
    bool usually_polls_;
    Stage stage_ = Stage::none;
    int count_ = 0;       // of the waits in this window
    int64_t sum_ns_ = 0;  // of their times
    // The last windows of either kind, of this comparison or the one before.
    int64_t usual_ns_ = kWindow * kLongestNs;
    int64_t trial_ns_ = 0;
    int pause_ = kShortestPause;
    int left_ = kShortestPause;  // windows before the next comparison
};

}  // namespace armci::base
