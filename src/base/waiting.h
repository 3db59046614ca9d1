// SPDX-License-Identifier: BSD-3-Clause
// This class decides how a rank waits for the network: whether it polls before it sleeps in the
// kernel, and for how long. It knows neither the clock nor the network; the caller reports each
// wait.
//
// Polling saves the time of a wake-up, unless the thread that is waited for needs this processor.
// Then polling delays that thread, and what sched_yield() does about it differs between kernels.
// Which case holds depends on where the kernel has placed the threads. Nothing else shows that,
// least of all a count of processors that others use as well.
//
// So the other way is tried now and then. Waits are counted in windows, and two windows of trial
// alternate with two of the usual way. If each trial took a fifth less than its neighbours, the
// ways are exchanged. A trial ends as soon as it has taken too long for that, so a way that is many
// times slower is tried for a few waits only. The longer a way stays the usual one, the rarer the
// trials become. A window that took twice as long as the usual ones starts a trial at once. All
// waits of a window count, because the wait that polling delays may be one in many, but a long one.
//
// The time to poll is learned from the sleeps after it. After a short sleep it grows, because
// polling could have covered that sleep; after a long one it shrinks.
// docs/references.md: Karlin 1991
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace armci::base {

// Returns the longest sleep of a rank that has waited for the network for `waited_ns` already.
//
// A sleep with a time-out before the kernel's next tick makes the kernel set the processor's timer,
// and set it again when the event has come. In a virtual machine each of them may be an exit to the
// host. A time-out after that tick costs nothing. So where the provider's wake-ups can be trusted
// the sleep is longer than a tick, which is at most 10 ms. Elsewhere a lost wake-up makes a wait an
// eighth longer, and a long wait costs next to no processor time. `repeats_posts` says that the
// provider has refused something, which it may take soon without any event.
constexpr int64_t longest_sleep_ns(int64_t waited_ns, bool wakes_surely, bool repeats_posts) {
    constexpr int64_t kShortestNs = 1'000'000;
    constexpr int64_t kLongestNs = 20'000'000;
    if (repeats_posts) {
        return kShortestNs;
    }
    return wakes_surely ? kLongestNs : std::clamp(waited_ns / 8, kShortestNs, kLongestNs);
}

class Waiting {
  public:
    static constexpr int kWindow = 16;        // waits
    static constexpr int kShortestPause = 1;  // windows from one comparison to the next
    static constexpr int kLongestPause = 128;
    static constexpr int64_t kQuickNs = 6'000;          // the shortest wait that sleeps
    static constexpr int64_t kLongestNs = 100'000'000;  // longer waits count as this

    enum class Trials : bool { no, yes };
    enum class Way : bool { sleep, poll };

    // `usual_way` is the way of the first windows.
    Waiting(int64_t min_spin_ns, int64_t max_spin_ns, Trials trials, Way usual_way = Way::poll)
        : min_ns_(min_spin_ns),
          max_ns_(max_spin_ns),
          budget_ns_(min_spin_ns),
          tries_(trials == Trials::yes),
          usually_polls_(usual_way == Way::poll) {}

    int64_t min_ns() const { return min_ns_; }
    int64_t max_ns() const { return max_ns_; }
    bool tries() const { return tries_; }

    // Returns for how long to poll in this wait.
    int64_t spin_ns() const { return polls() ? budget_ns_ : 0; }
    // Reports that the rank polled for spin_ns() without success and then slept for `ns`.
    void slept(int64_t ns);
    // Reports that a wait took `ns` from the first look that found nothing. Waits without such a
    // look are not reported, nor those in which sleeping was impossible.
    void ended(int64_t ns) {
        if (tries_) {
            sum_ns_ += std::min(ns, kLongestNs);
            if (++count_ == kWindow || (is_trial() && !trial_wins(sum_ns_))) {
                count_ = 0;
                finish_window(std::exchange(sum_ns_, 0));
            }
        }
    }

  private:
    // These are the windows of a comparison. The window before the first one counts too; it is of
    // the usual way.
    enum class Stage : uint8_t { none, first_trial, second_usual, second_trial };

    bool is_trial() const { return stage_ == Stage::first_trial || stage_ == Stage::second_trial; }
    bool trial_wins(int64_t sum_ns) const { return sum_ns < usual_ns_ * 4 / 5; }
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
    int count_ = 0;       // waits in this window
    int64_t sum_ns_ = 0;  // time of these waits
    // The last windows of either kind, from this comparison or the one before.
    int64_t usual_ns_ = kWindow * kLongestNs;
    int64_t trial_ns_ = 0;
    int pause_ = kShortestPause;
    int left_ = kShortestPause;  // windows before the next comparison
};

}  // namespace armci::base
