// SPDX-License-Identifier: BSD-3-Clause
// How transfers and computation overlap: figures from samples.
#pragma once

#include <optional>
#include <vector>

namespace armci::bench {

// Microseconds of an operation, at the rank that starts it.
struct OriginSample {
    double transfer = 0;        // alone
    double compute = 0;         // alone
    double together = 0;        // transfer started, computation, transfer waited for
    double compute_during = 0;  // the computation's part of that
};

// The same transfers into a target that waits in the library, and into one that computes.
struct TargetSample {
    double transfer = 0;  // microseconds of an operation, at the rank that starts it
    double transfer_during = 0;
    double unit = 0;  // time of the target's computation for the same work, in any unit
    double unit_during = 0;
};

struct Overlap {
    double transfer_us = 0;            // of an operation while no rank computes
    std::optional<double> compute_us;  // of the computation alone, at the origin
    // Part of the shorter of the two that costs no time when both go on together; 0 to 1.
    std::optional<double> hidden;
    double compute_slowdown = 1;  // time of the computation during transfers / alone
    // Time of the transfers while the target computes / while it waits in the library.
    std::optional<double> transfer_slowdown;
};

// (transfer + compute - together) / min(transfer, compute), no less than 0 and no more than 1.
double hidden_part(double transfer, double compute, double together);

// Medians over the samples, of which there is at least one. Every ratio is taken within its sample.
Overlap summarize_origin(const std::vector<OriginSample>& samples);
Overlap summarize_target(const std::vector<TargetSample>& samples);

}  // namespace armci::bench
