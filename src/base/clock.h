// SPDX-License-Identifier: BSD-3-Clause
// Monotonic time for time-outs and statistics.
#pragma once

#include <cstdint>
#include <ctime>

namespace armci::base {

inline int64_t now_ns() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// Returns the processor's own clock, for times of a few hundred nanoseconds. Its frequency is
// unknown.
inline int64_t ticks() {
#if defined(__x86_64__)
    return static_cast<int64_t>(__builtin_ia32_rdtsc());
#elif defined(__aarch64__)
    int64_t value = 0;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    return now_ns();
#endif
}

}  // namespace armci::base
