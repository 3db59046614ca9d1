// SPDX-License-Identifier: BSD-3-Clause
// Data that a process uses between transfers, and the cost of reading it again: data that a
// transfer evicted from the cache is slow to read.
#pragma once

#include <cstddef>
#include <vector>

namespace armci::mechanisms {

class WorkingSet {
  public:
    explicit WorkingSet(size_t bytes);

    void warm() const;
    void read_again() const;
    double timed_reading_us() const;

  private:
    // Lines link to each other in random order, so that no prefetcher hides where they come from.
    struct alignas(64) Line {
        const Line* next = nullptr;
    };
    std::vector<Line> lines_;
};

// The processor's count of cache misses of this process, where there is one.
class MissCounter {
  public:
    MissCounter();
    ~MissCounter();
    MissCounter(const MissCounter&) = delete;
    MissCounter& operator=(const MissCounter&) = delete;

    bool is_available() const { return file_ >= 0; }
    long long value() const;

  private:
    int file_;
};

}  // namespace armci::mechanisms
