// SPDX-License-Identifier: BSD-3-Clause
// Decides whether an idle data server's thread polls or sleeps, and for how long. It reads no clock
// and no network; the thread reports to it what has happened.
//
// Polling after work saves the time of a wake-up when the next request comes at once. Otherwise it
// takes a processor from another thread. The thread learns which of the two holds. The polling time
// is doubled when work came within it, or so soon after it that the longest time would have met it.
// It is halved when polling was without success.
//
// While the rank of the same process sleeps in the library, its processor is free. Polling then
// takes none from others, and the wake-up of a processor that idles is slow. So the longest time of
// polling is kTimesWhileRankSleeps times as long then.
//
// RMA that a software provider serves is work, too, although it completes nothing at the target.
// Such a poll can only be recognised by the long time it takes. A poll in which the thread was
// interrupted takes long, too. Therefore nothing is learned from a long poll, and only a short time
// of polling follows it.
//
// A sleep is ended by the network, and by a time-out in case a wake-up was lost. Wake-ups are lost,
// if at all, when something arrives just as the thread goes to sleep. That is likely while there is
// traffic, so the first sleeps are short. Each that nothing interrupts makes the next one twice as
// long. The longer nothing has come, the less likely something comes in just that moment. A
// time-out that finds work was a lost wake-up: from then on all sleeps are short.
// docs/references.md: Karlin 1991
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/config.h"

namespace armci::datasrv {

class Idling {
  public:
    static constexpr int kShortestSleepMs = 100;
    static constexpr int kLongestSleepMs = 1000;
    static constexpr int kTimesWhileRankSleeps = 5;

    struct Options {
        base::ServerPoll poll = base::ServerPoll::automatic;
        int64_t max_spin_ns = 0;
        // Whether the provider's wake-ups can be trusted, so that long sleeps are allowed.
        bool sleeps_long = false;
    };

    Idling() = default;
    Idling(const Options& options, int64_t now_ns)
        : options_(options),
          longest_sleep_ms_(options.sleeps_long ? kLongestSleepMs : kShortestSleepMs),
          longest_spin_ns_(options.max_spin_ns),
          spin_ns_(options.poll == base::ServerPoll::automatic ? options.max_spin_ns : 0),
          last_work_ns_(now_ns) {}

    // Is called before a poll, with whether the rank of this process sleeps in the library.
    void see_rank(bool is_asleep) {
        longest_spin_ns_ = options_.max_spin_ns * (is_asleep ? kTimesWhileRankSleeps : 1);
    }
    // Is called after a poll, with whether it found work and how long it took. Returns whether to
    // poll again instead of sleeping.
    bool polls_again(bool found_work, int64_t poll_ns, int64_t now_ns);
    // Is called after a sleep, before the poll that follows it.
    void woke(bool timed_out);
    // Is called after a sleep, or another absence, that the network did not end.
    void was_away() { is_cold_ = true; }

    int sleep_ms() const { return sleep_ms_; }
    int64_t spin_ns() const { return spin_ns_; }

  private:
    void spun(bool in_vain);
    bool is_long(int64_t poll_ns);
    bool is_soon_after_rma(int64_t now_ns) const;

    Options options_;
    int sleep_ms_ = kShortestSleepMs;
    int longest_sleep_ms_ = kShortestSleepMs;
    int64_t longest_spin_ns_ = 0;
    int64_t spin_ns_ = 0;  // may be longer than that, when the rank has just woken up
    int64_t last_work_ns_ = 0;
    int64_t last_long_poll_ns_ = INT64_MIN / 2;
    int64_t quick_poll_ns_ = INT64_MAX / 8;
    bool is_cold_ = false;        // the next poll takes long whatever it finds
    bool has_spun_ = false;       // polled without success since the last work
    bool has_slept_ = false;      // since the last work
    bool has_timed_out_ = false;  // the last sleep did
};

}  // namespace armci::datasrv
