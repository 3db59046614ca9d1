// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/overlap_workload.h"

#include <algorithm>
#include <cmath>

namespace armci::bench {

namespace {

constexpr int64_t kMaxParts = 10;

double seconds(std::chrono::steady_clock::duration duration) {
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
    samples_.clear();
    double together_s = 0;
    const int64_t parts = std::min(count, kMaxParts);
    for (int64_t part = 0; part < parts; part++) {
        const int64_t part_count = count / parts + (part < count % parts ? 1 : 0);
        samples_.push_back(timed_part(part_count));
        together_s += samples_.back().together * 1e-6 * static_cast<double>(part_count);
    }
    return together_s;
}

OriginSample OverlapWorkload::timed_part(int64_t count) {
    const auto each_us = [count](double all_s) { return all_s * 1e6 / static_cast<double>(count); };
    OriginSample sample;
    sample.transfer = each_us(timed_transfers(count));
    // Of what an interruption made longer, the fastest so far is the best guess.
    fastest_transfer_us_ = std::min(fastest_transfer_us_, sample.transfer);
    const double wanted_units = fastest_transfer_us_ * 1e-6 / computation_.unit_seconds();
    const int64_t units = std::max<int64_t>(1, std::llround(wanted_units));
    const double compute_s = timed_computation(count, units);
    computation_.learn(count * units, compute_s);
    sample.compute = each_us(compute_s);
    double compute_during_s = 0;
    sample.together = each_us(timed_together(count, units, &compute_during_s));
    sample.compute_during = each_us(compute_during_s);
    return sample;
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
    *compute_s = seconds(computing);
    return seconds(Clock::now() - begin);
}

}  // namespace armci::bench
