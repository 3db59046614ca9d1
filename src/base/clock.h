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

}  // namespace armci::base
