// SPDX-License-Identifier: BSD-3-Clause
// What the network really costs, learned from transfers: four factors by which the prior constants
// of the cost model are multiplied.
//
//   latency  of the network, which a transfer by RMA has, and a request to the server; where it is
//            shorter than by the prior, what the server adds is shorter, too
//   byte     of the network, on both routes
//   block    one more block by RMA, without its bytes
//   chunk    one more frame of the server's route, without its bytes
//
// A sample is a time that was measured, beside the time that the model predicts. A Kalman filter
// over the logarithms of the factors takes it: the error is divided among the factors by their
// shares of the prediction and by how uncertain each still is. So the latency is learned from
// transfers that mostly wait for it, and the cost of a byte from long ones. The filter begins at
// the prior, whose uncertainty it knows. An error beyond three deviations counts as three, so one
// bad sample moves little. The factors stay within bounds around the prior. The model takes new
// factors only when one has moved by a quarter.
//
// This class knows neither clock nor network: the same samples give the same factors.
// docs/references.md: Kalman 1960
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/stats.h"
#include "pipeline/costs/cost_model.h"

namespace armci::pipeline {

enum class LearnedCost : uint8_t { latency = 0, byte = 1, block = 2, chunk = 3 };
inline constexpr size_t kLearnedCosts = 4;

struct CostFactors {
    std::array<double, kLearnedCosts> of = {1, 1, 1, 1};  // by LearnedCost

    double operator[](LearnedCost cost) const { return of[static_cast<size_t>(cost)]; }
    double& operator[](LearnedCost cost) { return of[static_cast<size_t>(cost)]; }
};

// Returns the prior constants with these factors.
CostConstants scaled(const CostConstants& prior, const CostFactors& factors);

// Equal transfers that were under way together.
struct TimedTransfers {
    base::OpKind op = base::OpKind::put;
    base::Route route = base::Route::server;
    TransferShape shape;
    int64_t count = 0;
};

// Returns the predicted time of transfers to one server that are under way together: one latency,
// and for each the rest of its time.
double predicted_us(const CostModel& model, std::span<const TimedTransfers> transfers);

class LearnedCosts {
  public:
    // The bounds of the factors are these and their inverses.
    static constexpr double kMaxLinkFactor = 2048;  // of latency and byte
    static constexpr double kMaxPostFactor = 16;    // of block and chunk
    static constexpr double kHysteresis = 1.25;
    static constexpr int64_t kMinSamples = 4;  // from one change of the model to the next

    LearnedCosts() = default;
    LearnedCosts(const CostConstants& prior, const PipelineLimits& limits)
        : prior_(prior), limits_(limits) {}

    // Takes a sample. Returns true if the model should now take the factors. A sample whose time
    // is mostly that of copies tells nothing about the network and does not count.
    bool observe(std::span<const TimedTransfers> transfers, double measured_us);

    const CostConstants& prior() const { return prior_; }
    const CostFactors& factors() const { return factors_; }
    const CostFactors& used() const { return used_; }
    int64_t samples() const { return samples_; }

  private:
    CostModel model_with(const CostFactors& factors) const {
        return {scaled(prior_, factors), limits_};
    }
    using Vector = std::array<double, kLearnedCosts>;
    // Standard deviations, of logarithms: of the prior's constants, of their change from one sample
    // to the next (until the doubt is the lasting one), and of a measured time.
    static constexpr double kLinkDoubt = 3;
    static constexpr double kPostDoubt = 0.5;
    static constexpr double kDrift = 0.03;
    static constexpr double kLastingDoubt = 0.2;
    static constexpr double kNoise = 0.2;
    static constexpr double kMaxDeviation = 3;  // of an error, in standard deviations
    static constexpr double kLargeError = 0.7;
    static constexpr int kParts = 4;
    static constexpr double kMinShare = 0.5;  // of the factors together, in a predicted time

    static constexpr double max_factor(size_t cost) {
        return cost <= static_cast<size_t>(LearnedCost::byte) ? kMaxLinkFactor : kMaxPostFactor;
    }
    static constexpr double min_factor(size_t cost) { return 1 / max_factor(cost); }
    double error_of(std::span<const TimedTransfers> transfers, double measured_us) const;
    Vector shares(std::span<const TimedTransfers> transfers) const;
    void correct(const Vector& share, double error, double variance);
    bool has_moved() const;

    CostConstants prior_;
    PipelineLimits limits_;
    CostFactors factors_;
    CostFactors used_;  // those that the model has
    std::array<Vector, kLearnedCosts> covariance_ = {{{kLinkDoubt * kLinkDoubt, 0, 0, 0},
                                                      {0, kLinkDoubt* kLinkDoubt, 0, 0},
                                                      {0, 0, kPostDoubt* kPostDoubt, 0},
                                                      {0, 0, 0, kPostDoubt* kPostDoubt}}};
    int64_t samples_ = 0;
    int64_t samples_at_change_ = 0;
};

}  // namespace armci::pipeline
