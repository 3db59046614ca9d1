// SPDX-License-Identifier: BSD-3-Clause
// The computation of a rank while data moves: arithmetic on an array that fits into a second-level
// cache, in no library, so that transfers influence it through the processor and the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace armci::bench {

class Computation {
  public:
    Computation();

    // A unit takes some ten nanoseconds.
    void run(int64_t units);

    // Seconds that a unit takes: measured on the first call, then the minimum of what learn() was
    // given, which was not interrupted.
    double unit_seconds();
    void learn(int64_t units, double seconds);

  private:
    std::vector<double> values_;
    size_t next_ = 0;
    double unit_seconds_ = 0;
};

}  // namespace armci::bench
