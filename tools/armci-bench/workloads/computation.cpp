// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/computation.h"

#include <algorithm>
#include <chrono>

namespace armci::bench {

namespace {

constexpr size_t kValues = (size_t{256} << 10) / sizeof(double);
constexpr size_t kValuesOfAUnit = 64;
static_assert(kValues % kValuesOfAUnit == 0);

}  // namespace

Computation::Computation() : values_(kValues, 1.0) {}

void Computation::run(int64_t units) {
    for (int64_t unit = 0; unit < units; unit++) {
        // Towards 1, so that no value ever becomes one that processors are slow with.
        for (size_t i = next_; i < next_ + kValuesOfAUnit; i++) {
            values_[i] = values_[i] * 0.75 + 0.25;
        }
        next_ = (next_ + kValuesOfAUnit) % kValues;
    }
}

double Computation::unit_seconds() {
    if (unit_seconds_ == 0) {
        constexpr int64_t kUnits = 20000;
        run(kUnits / 10);
        const auto begin = std::chrono::steady_clock::now();
        run(kUnits);
        learn(kUnits,
              std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return unit_seconds_;
}

void Computation::learn(int64_t units, double seconds) {
    if (units > 0 && seconds > 0) {
        const double measured = seconds / static_cast<double>(units);
        unit_seconds_ = unit_seconds_ == 0 ? measured : std::min(unit_seconds_, measured);
    }
}

}  // namespace armci::bench
