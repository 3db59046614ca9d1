// SPDX-License-Identifier: BSD-3-Clause
// Waiting code yields the processor in two steps: a few pauses for waits that end at once, then
// sched_yield(). There may be more ranks than cores, and the rank that is waited for needs a core.
#pragma once

#include <sched.h>

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

}  // namespace armci::base
