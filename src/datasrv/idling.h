// SPDX-License-Identifier: BSD-3-Clause
// What a data server's thread does when there is nothing to do: whether it polls or sleeps, and for
// how long. Knows neither clock nor network; the thread tells it what has happened.
//
// Polling after work saves the time of a wake-up when the next request comes at once, and takes a
// processor from somebody else when it does not. Which of the two holds is learned: the time is
// doubled when work came within it, or so soon after that the longest time would have met it, and
// halved when it was without success.
//
// RMA that a software provider serves is work, too, though it completes nothing at the target: the
// poll in which that happens can only be told by the time it takes. So does one in which the thread
// was interrupted; therefore a long poll teaches nothing, and is followed by a short time only.
//
// A sleep is ended by the network, and by a time-out in case a wake-up was lost. Wake-ups are lost,
// if at all, when something arrives just as the thread goes to sleep. That is likely while there is
// traffic, so the first sleeps are short; each that nothing interrupts makes the next one twice as
// long, because the longer nothing has come the less will come in just that moment. A time-out that
// finds work was a lost wake-up: from then on all sleeps are short.
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

    struct Options {
        base::ServerPoll poll = base::ServerPoll::automatic;
        int64_t max_spin_ns = 0;
        // Of a provider whose wake-ups can be trusted.
        bool sleeps_long = false;
    };

    Idling() = default;
    Idling(const Options& options, int64_t now_ns)
        : options_(options),
          longest_sleep_ms_(options.sleeps_long ? kLongestSleepMs : kShortestSleepMs),
          spin_ns_(options.poll == base::ServerPoll::automatic ? options.max_spin_ns : 0),
          last_work_ns_(now_ns) {}

    // After a poll that found work or not, and took so long: whether to poll again, or to sleep.
    bool polls_again(bool found_work, int64_t poll_ns, int64_t now_ns);
    // After a sleep, before the poll that follows it.
    void woke(bool timed_out);
    // After a sleep, or another time away, that the network did not end.
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
    int64_t spin_ns_ = 0;
    int64_t last_work_ns_ = 0;
    int64_t last_long_poll_ns_ = INT64_MIN / 2;
    int64_t quick_poll_ns_ = INT64_MAX / 8;
    bool is_cold_ = false;        // the next poll takes long whatever it finds
    bool has_spun_ = false;       // polled without success since the last work
    bool has_slept_ = false;      // since the last work
    bool has_timed_out_ = false;  // the last sleep
};

}  // namespace armci::datasrv
