// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/costs/learned_costs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace armci::pipeline {
namespace {

double latency_us(const CostModel& model, const TimedTransfers& transfers) {
    const auto op = static_cast<size_t>(transfers.op);
    return transfers.route == base::Route::rma ? model.constants().rma[op].latency_us
                                               : model.constants().server[op].request_us;
}

double total_us(const CostModel& model, const TimedTransfers& transfers) {
    return transfers.route == base::Route::rma
               ? model.rma_us(transfers.op, transfers.shape)
               : model.server_plan(transfers.op, transfers.shape).total_us;
}

// Returns what a block costs without its bytes, as if the curve were a line.
double post_part_us(const RmaCurve& curve) {
    const double byte_us = (curve.block_us.back() - curve.block_us.front()) /
                           static_cast<double>(kRmaBlockBytes.back() - kRmaBlockBytes.front());
    const double first_us = byte_us * static_cast<double>(kRmaBlockBytes.front());
    return std::max(curve.block_us.front() - std::max(first_us, 0.0), 0.0);
}

}  // namespace

CostConstants scaled(const CostConstants& prior, const CostFactors& factors) {
    CostConstants constants = prior;
    for (RmaCosts& rma : constants.rma) {
        rma.latency_us *= factors[LearnedCost::latency];
        const double post_us = post_part_us(rma.blocks);
        for (double& block_us : rma.blocks.block_us) {
            const double bytes_us = std::max(block_us - post_us, 0.0);
            block_us = factors[LearnedCost::block] * (block_us - bytes_us) +
                       factors[LearnedCost::byte] * bytes_us;
        }
    }
    // A longer way is longer on both routes. What the server adds does not grow with it.
    const double shorter = std::min(factors[LearnedCost::latency], 1.0);
    const double longer = std::max(factors[LearnedCost::latency], 1.0);
    for (size_t op = 0; op < base::kOpKindCount; ++op) {
        const bool is_get = op == static_cast<size_t>(base::OpKind::get);
        const size_t rma = static_cast<size_t>(is_get ? base::OpKind::get : base::OpKind::put);
        const double more_us = (longer - 1) * prior.rma[rma].latency_us;
        ServerCosts& server = constants.server[op];
        server.request_us = shorter * server.request_us + more_us;
        server.small_us = shorter * server.small_us + more_us;
        server.chunk_us *= factors[LearnedCost::chunk];
        server.byte_us *= factors[LearnedCost::byte];
    }
    return constants;
}

double predicted_us(const CostModel& model, std::span<const TimedTransfers> transfers) {
    double sum_us = 0;
    double longest_latency_us = 0;
    for (const TimedTransfers& equal : transfers) {
        const double latency = latency_us(model, equal);
        sum_us += static_cast<double>(equal.count) * (total_us(model, equal) - latency);
        longest_latency_us = std::max(longest_latency_us, latency);
    }
    return sum_us + longest_latency_us;
}

bool LearnedCosts::has_moved() const {
    for (size_t i = 0; i < kLearnedCosts; ++i) {
        if (std::abs(std::log(factors_.of[i] / used_.of[i])) > std::log(kHysteresis)) {
            return true;
        }
    }
    return false;
}

// The logarithm of measured by predicted time; not finite if there is none.
double LearnedCosts::error_of(std::span<const TimedTransfers> transfers, double measured_us) const {
    return std::log(measured_us / predicted_us(model_with(factors_), transfers));
}

// How much of the predicted time each factor makes up: the derivatives of its logarithm by theirs.
LearnedCosts::Vector LearnedCosts::shares(std::span<const TimedTransfers> transfers) const {
    constexpr double kStep = 1.05;
    const double now_us = predicted_us(model_with(factors_), transfers);
    Vector share;
    for (size_t i = 0; i < kLearnedCosts; ++i) {
        CostFactors more = factors_;
        more.of[i] *= kStep;
        share[i] = std::log(predicted_us(model_with(more), transfers) / now_us) / std::log(kStep);
    }
    return share;
}

bool LearnedCosts::observe(std::span<const TimedTransfers> transfers, double measured_us) {
    double error = error_of(transfers, measured_us);
    if (!std::isfinite(error)) {
        return false;
    }
    // The shares change while factors move far, so a large error is taken in parts.
    const int parts = std::abs(error) > kLargeError ? kParts : 1;
    for (int part = 0; part < parts; ++part) {
        const Vector share = shares(transfers);
        if (part == 0 && std::accumulate(share.begin(), share.end(), 0.0) < kMinShare) {
            return false;
        }
        correct(share, error, kNoise * kNoise * parts);
        error = error_of(transfers, measured_us);
    }
    for (size_t i = 0; i < kLearnedCosts; ++i) {
        if (covariance_[i][i] < kLastingDoubt * kLastingDoubt) {
            covariance_[i][i] += kDrift * kDrift;
        }
    }
    ++samples_;
    if (samples_ - samples_at_change_ < kMinSamples || !has_moved()) {
        return false;
    }
    samples_at_change_ = samples_;
    used_ = factors_;
    return true;
}

// One step of the filter. `variance` is that of the measurement.
void LearnedCosts::correct(const Vector& share, double error, double variance) {
    Vector gain{};
    for (size_t i = 0; i < kLearnedCosts; ++i) {
        for (size_t j = 0; j < kLearnedCosts; ++j) {
            gain[i] += covariance_[i][j] * share[j];
        }
        variance += share[i] * gain[i];
    }
    const double largest = kMaxDeviation * std::sqrt(variance);
    const double counted = std::clamp(error, -largest, largest);
    for (size_t i = 0; i < kLearnedCosts; ++i) {
        const double moved = factors_.of[i] * std::exp(gain[i] / variance * counted);
        factors_.of[i] = std::clamp(moved, min_factor(i), max_factor(i));
        for (size_t j = 0; j < kLearnedCosts; ++j) {
            covariance_[i][j] -= gain[i] * gain[j] / variance;
        }
    }
}

}  // namespace armci::pipeline
