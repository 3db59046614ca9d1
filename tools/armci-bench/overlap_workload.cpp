#include "armci-bench/overlap_workload.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace armci::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kMostParts = 10;

double seconds(Clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
}

}  // namespace

void OverlapWorkload::perform(int64_t count) {
    const bool streams = context().row.mode == Mode::target;
    for (int64_t i = 0; i < count; i++) {
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        start(0, &handle);
        ARMCI_Wait(&handle);
        if (!streams) {
            fence();
        }
    }
    if (streams) {
        fence();
    }
}

double OverlapWorkload::timed(int64_t count) {
    if (context().row.mode == Mode::target) {
        return TransferWorkload::timed(count);
    }
    // In turn, a part of the operations at a time, so that all three see the same machine.
    OriginSample sum;
    const int64_t parts = std::min(count, kMostParts);
    for (int64_t part = 0; part < parts; part++) {
        time_part(count / parts + (part < count % parts ? 1 : 0), &sum);
    }
    const double to_us = 1e6 / static_cast<double>(count);
    sample_ = {sum.transfer * to_us, sum.compute * to_us, sum.together * to_us,
               sum.compute_during * to_us};
    return sum.together;
}

// Adds seconds of all operations together.
void OverlapWorkload::time_part(int64_t count, OriginSample* sum) {
    const double transfer_s = timed_transfers(count);
    // The computation of one operation is to be as long as its transfer.
    const double wanted_s = transfer_s / static_cast<double>(count);
    const int64_t units =
        std::max<int64_t>(1, std::llround(wanted_s / computation_.unit_seconds()));
    const double compute_s = timed_computation(count, units);
    computation_.learn(count * units, compute_s);
    sum->transfer += transfer_s;
    sum->compute += compute_s;
    sum->together += timed_together(count, units, &sum->compute_during);
}

std::optional<OriginSample> OverlapWorkload::origin_sample() const {
    if (context().row.mode == Mode::target) {
        return std::nullopt;
    }
    return sample_;
}

double OverlapWorkload::timed_transfers(int64_t count) {
    const auto begin = Clock::now();
    perform(count);
    return seconds(Clock::now() - begin);
}

// In the same pieces, and with the clock read as often, as between start and wait.
double OverlapWorkload::timed_computation(int64_t count, int64_t units) {
    Clock::duration computing{};
    for (int64_t i = 0; i < count; i++) {
        const auto begin = Clock::now();
        computation_.run(units);
        computing += Clock::now() - begin;
    }
    return seconds(computing);
}

double OverlapWorkload::timed_together(int64_t count, int64_t units, double* compute_s) {
    Clock::duration computing{};
    const auto begin = Clock::now();
    for (int64_t i = 0; i < count; i++) {
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        start(0, &handle);
        const auto compute_begin = Clock::now();
        computation_.run(units);
        computing += Clock::now() - compute_begin;
        ARMCI_Wait(&handle);
        fence();
    }
    *compute_s += seconds(computing);
    return seconds(Clock::now() - begin);
}

}  // namespace armci::bench
