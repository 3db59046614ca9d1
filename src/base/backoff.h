// How waiting code gives the processor away: a few pauses for waits that end at once, then
// sched_yield(), because there may be more ranks than cores and the one waited for needs a core.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cstdint>

namespace armci::base {

inline void cpu_pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

class Backoff {
  public:
    void pause() {
        if (turns_ < kSpinTurns) {
            ++turns_;
            cpu_pause();
        } else {
            sched_yield();
        }
    }
    void reset() { turns_ = 0; }

  private:
    static constexpr int kSpinTurns = 32;
    int turns_ = 0;
};

// How long to poll before sleeping, learned from the sleeps: one that was short could have been
// polled through; a long one shows that what was waited for needed the processor, or longer than
// polling is worth.
class SpinBudget {
  public:
    SpinBudget() = default;
    SpinBudget(int64_t least_ns, int64_t most_ns)
        : least_ns_(least_ns), most_ns_(most_ns), budget_ns_(least_ns) {}

    int64_t budget_ns() const { return budget_ns_; }
    int64_t least_ns() const { return least_ns_; }
    int64_t most_ns() const { return most_ns_; }

    void slept(int64_t ns) {
        if (ns < kShortSleepNs) {
            budget_ns_ = std::min(budget_ns_ + budget_ns_ / 2 + 1, most_ns_);
        } else {
            budget_ns_ = std::max(budget_ns_ - budget_ns_ / 4, least_ns_);
        }
    }

  private:
    static constexpr int64_t kShortSleepNs = 12'000;

    int64_t least_ns_ = 0;
    int64_t most_ns_ = 0;
    int64_t budget_ns_ = 0;
};

}  // namespace armci::base
