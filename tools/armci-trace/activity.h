// SPDX-License-Identifier: BSD-3-Clause
// How much goes on when: time is divided into bins of one width, which doubles when the end of the
// last one is reached. So memory is bounded, and the length of the job need not be known before.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace armci::trace {

class Activity {
  public:
    static constexpr int kBins = 256;

    // Something lasts from begin to end. What is before 0 is cut off.
    void add(int64_t begin_ns, int64_t end_ns) {
        int64_t from = std::max<int64_t>(begin_ns, 0);
        while (end_ns > kBins * width_ns_) {
            widen();
        }
        while (from < end_ns) {
            const int64_t bin = from / width_ns_;
            const int64_t until = std::min(end_ns, (bin + 1) * width_ns_);
            busy_ns_[static_cast<size_t>(bin)] += until - from;
            from = until;
        }
    }
    // Makes bins at least that wide: a power of two times the first width.
    void widen_to(int64_t width_ns) {
        while (width_ns_ < width_ns) {
            widen();
        }
    }

    int64_t width_ns() const { return width_ns_; }
    // Returns how many things went on at a time in that bin, on average.
    double level(int bin) const {
        return static_cast<double>(busy_ns_[static_cast<size_t>(bin)]) /
               static_cast<double>(width_ns_);
    }

  private:
    void widen() {
        for (size_t bin = 0; bin < kBins; ++bin) {
            busy_ns_[bin] = bin < kBins / 2 ? busy_ns_[2 * bin] + busy_ns_[2 * bin + 1] : 0;
        }
        width_ns_ *= 2;
    }

    int64_t width_ns_ = 1000;
    std::array<int64_t, kBins> busy_ns_{};
};

}  // namespace armci::trace
