// How a rank waits for the network: whether it polls before it sleeps in the kernel, and for how
// long. Knows neither clock nor network; the wait tells it what has happened.
//
// Polling saves the time of a wake-up, unless who is waited for needs this very processor: then it
// is the polling that keeps him waiting, and what sched_yield() does about that differs from kernel
// to kernel. Which of the two holds depends on where the kernel has put the threads, of which
// nothing else tells, least of all a count of processors that others use as well. So the other way
// is tried now and then, for a window of waits between two windows of the usual way; it becomes the
// usual one when both of its windows were clearly shorter than both of theirs. The longer the usual
// way stays the better one, the rarer the trials; a window that took far longer than the usual ones
// calls for one at once. The longest wait of each window does not count: some other process may
// have had the processor meanwhile.
//
// How long to poll is learned from the sleeps after it: one that was short could have been polled
// through; a long one shows that polling was not worth it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace armci::base {

class Waiting {
  public:
    static constexpr int kWindow = 8;              // waits
    static constexpr int kCounting = kWindow - 1;  // all but the longest
    static constexpr int kShortestPause = 4;       // windows between two trials
    static constexpr int kLongestPause = 128;
    static constexpr int64_t kQuickNs = 6'000;        // a sleep would last about as long
    static constexpr int64_t kLongestNs = 1'000'000;  // longer waits count as this

    enum class Trials : bool { no, yes };

    Waiting() = default;
    Waiting(int64_t least_spin_ns, int64_t most_spin_ns, Trials trials)
        : least_ns_(least_spin_ns),
          most_ns_(most_spin_ns),
          budget_ns_(least_spin_ns),
          tries_(trials == Trials::yes) {}

    int64_t least_ns() const { return least_ns_; }
    int64_t most_ns() const { return most_ns_; }

    // For how long to poll in this wait.
    int64_t spin_ns() const { return polls() ? budget_ns_ : 0; }
    // It has polled so long in vain, and then slept for that time.
    void slept(int64_t ns);
    // It took so long altogether. Waits that ended at the first look are not told of.
    void ended(int64_t ns) {
        if (tries_) {
            sum_ns_ += std::min(ns, kLongestNs);
            longest_ns_ = std::max(longest_ns_, std::min(ns, kLongestNs));
            if (++count_ == kWindow) {
                count_ = 0;
                finish_window(std::exchange(sum_ns_, 0) - std::exchange(longest_ns_, 0));
            }
        }
    }

  private:
    // Of the windows that are compared; the first is the last of those without a trial.
    enum class Stage : uint8_t { none, first_trial, second_usual, second_trial };

    bool is_trial() const { return stage_ == Stage::first_trial || stage_ == Stage::second_trial; }
    bool polls() const { return usually_polls_ != is_trial(); }
    void finish_window(int64_t sum_ns);
    void decide(bool for_trial);

    int64_t least_ns_ = 2'000;
    int64_t most_ns_ = 2'000;
    int64_t budget_ns_ = 2'000;
    bool tries_ = false;
    bool usually_polls_ = true;
    Stage stage_ = Stage::none;
    int count_ = 0;       // of waits in this window
    int64_t sum_ns_ = 0;  // of theirs
    int64_t longest_ns_ = 0;
    int64_t usual_ns_ = kCounting * kLongestNs;  // a window of the usual way, when last compared
    int64_t trial_ns_ = 0;                       // one of the other
    int pause_ = kShortestPause;
    int left_ = kShortestPause;  // windows before the next trial
};

}  // namespace armci::base
