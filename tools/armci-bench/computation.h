// SPDX-License-Identifier: BSD-3-Clause
// What a rank computes while data moves: arithmetic on an array that fits a second-level cache, in
// no library, so that it feels what transfers do to the processor and to the cache.
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

    // Seconds that a unit takes: measured on the spot the first time, then the least that was told,
    // which was not interrupted.
    double unit_seconds();
    void learn(int64_t units, double seconds);

  private:
    std::vector<double> values_;
    size_t next_ = 0;
    double unit_seconds_ = 0;
};

}  // namespace armci::bench
