// SPDX-License-Identifier: BSD-3-Clause
// Many durations in little memory: their number, sum, extremes, and quantiles within 7 %.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace armci::trace {

class Durations {
  public:
    void add(int64_t ns) {
        const int64_t value = std::max<int64_t>(ns, 0);
        min_ = count_ == 0 ? value : std::min(min_, value);
        max_ = std::max(max_, value);
        ++count_;
        total_ = value > INT64_MAX - total_ ? INT64_MAX : total_ + value;  // files may be wrong
        ++buckets_[bucket_of(value)];
    }

    int64_t count() const { return count_; }
    int64_t total_ns() const { return total_; }
    int64_t min_ns() const { return min_; }
    int64_t max_ns() const { return max_; }
    double mean_ns() const {
        return count_ == 0 ? 0 : static_cast<double>(total_) / static_cast<double>(count_);
    }
    // Returns the duration that this part of all is at most as long as, 0 if there is none.
    int64_t quantile_ns(double part) const {
        const auto wanted = static_cast<int64_t>(std::ceil(part * static_cast<double>(count_)));
        int64_t seen = 0;
        for (size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
            seen += buckets_[bucket];
            if (count_ > 0 && seen >= wanted) {
                return std::clamp(middle_of(bucket), min_, max_);
            }
        }
        return 0;
    }

  private:
    // Each power of two has 8 buckets. Values below 8 have one each.
    static constexpr int kPartBits = 3;
    static constexpr size_t kParts = size_t{1} << kPartBits;

    static size_t bucket_of(int64_t value) {
        const auto bits = static_cast<uint64_t>(value);
        const int shift = std::max(0, static_cast<int>(std::bit_width(bits)) - 1 - kPartBits);
        return static_cast<size_t>(shift) * kParts + static_cast<size_t>(bits >> shift);
    }
    static int64_t middle_of(size_t bucket) {
        if (bucket < 2 * kParts) {
            return static_cast<int64_t>(bucket);
        }
        const size_t shift = bucket / kParts - 1;
        const auto lowest = static_cast<int64_t>((bucket - shift * kParts) << shift);
        return lowest + (int64_t{1} << shift) / 2;
    }

    int64_t count_ = 0;
    int64_t total_ = 0;
    int64_t min_ = 0;
    int64_t max_ = 0;
    std::array<int64_t, (64 - kPartBits) * kParts> buckets_{};
};

}  // namespace armci::trace
