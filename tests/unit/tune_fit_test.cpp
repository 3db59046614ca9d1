// SPDX-License-Identifier: BSD-3-Clause
#include "armci-tune/fit.h"

#include <gtest/gtest.h>

namespace armci::tune::test {
namespace {

using base::OpKind;
using base::Route;

const pipeline::PipelineLimits kLimits = {65536, 8, 2048};

pipeline::CostConstants known_costs() {
    pipeline::CostConstants constants;
    for (pipeline::RmaCosts& rma : constants.rma) {
        rma.latency_us = 12;
        rma.blocks.block_us = {5, 9, 10, 14, 40, 300};
        rma.far_byte_us = 0.0002;
    }
    constants.server = {{{20, 6, 0.0006, 0.5, 0.0003, 9},
                         {40, 7, 0.0008, 0.3, 0.0001},
                         {25, 6, 0.0009, 1, 0.0002, 11}}};
    constants.pack.block_us = {0.01, 0.02, 0.03, 0.08, 0.3, 1.2};
    constants.unpack.block_us = {0.02, 0.03, 0.05, 0.1, 0.35, 1.3};
    constants.accumulate.block_us = {0.02, 0.05, 0.09, 0.3, 1.2, 4.7};
    return constants;
}

// The measurements of a machine that behaves as the model says.
std::vector<Sample> samples_from(const pipeline::CostConstants& constants) {
    const pipeline::CostModel model(constants, kLimits);
    std::vector<Sample> samples;
    for (const OpKind op : {OpKind::put, OpKind::get, OpKind::acc}) {
        for (const int64_t total_bytes : {2 << 10, 8 << 10, 32 << 10, 512 << 10, 4 << 20}) {
            for (const int64_t block_bytes : pipeline::kRmaBlockBytes) {
                if (block_bytes > total_bytes / 2) {
                    continue;
                }
                const pipeline::TransferShape shape{total_bytes, block_bytes};
                samples.push_back(
                    {op, Route::server, shape, false, model.server_plan(op, shape).total_us});
                if (op != OpKind::acc) {
                    samples.push_back({op, Route::rma, shape, false, model.rma_us(op, shape)});
                }
            }
        }
        const pipeline::TransferShape shape{4096, 512};
        samples.push_back({op, Route::server, shape, true, model.server_plan(op, shape).steady_us});
    }
    return samples;
}

// Starts with values that differ from the measured ones.
pipeline::CostConstants fitted_to(const std::vector<Sample>& samples) {
    pipeline::CostConstants constants = known_costs();
    constants.rma = {};
    constants.server = {};
    fit_costs(samples, kLimits, &constants);
    return constants;
}

void expect_near(const pipeline::CostConstants& expected, const pipeline::CostConstants& found,
                 double part) {
    for (size_t op = 0; op < expected.rma.size(); ++op) {
        EXPECT_NEAR(found.rma[op].latency_us, expected.rma[op].latency_us,
                    part * expected.rma[op].latency_us);
        EXPECT_NEAR(found.rma[op].far_byte_us, expected.rma[op].far_byte_us, part * 0.0002);
        for (size_t i = 0; i < pipeline::kRmaBlockBytes.size(); ++i) {
            EXPECT_NEAR(found.rma[op].blocks.block_us[i], expected.rma[op].blocks.block_us[i],
                        part * expected.rma[op].blocks.block_us[i])
                << i;
        }
    }
    for (size_t op = 0; op < expected.server.size(); ++op) {
        EXPECT_NEAR(found.server[op].request_us, expected.server[op].request_us,
                    part * expected.server[op].request_us);
        EXPECT_NEAR(found.server[op].chunk_us, expected.server[op].chunk_us,
                    part * expected.server[op].chunk_us);
        EXPECT_NEAR(found.server[op].byte_us, expected.server[op].byte_us,
                    part * expected.server[op].byte_us);
        EXPECT_NEAR(found.server[op].overlap, expected.server[op].overlap, part);
        EXPECT_NEAR(found.server[op].far_byte_us, expected.server[op].far_byte_us, part * 0.0002);
        EXPECT_NEAR(found.server[op].small_us, expected.server[op].small_us,
                    part * expected.server[op].small_us);
    }
}

TEST(TuneFit, RecoversTheCostsBehindTheSamples) {
    expect_near(known_costs(), fitted_to(samples_from(known_costs())), 0.01);
}

TEST(TuneFit, ToleratesSingleBadMeasurements) {
    std::vector<Sample> samples = samples_from(known_costs());
    for (size_t i = 7; i < samples.size(); i += 15) {
        samples[i].us *= 5;
    }
    expect_near(known_costs(), fitted_to(samples), 0.15);
}

TEST(TuneFit, KeepsCostsWithoutSamples) {
    std::vector<Sample> samples = samples_from(known_costs());
    std::erase_if(samples, [](const Sample& sample) {
        return sample.route == Route::rma || sample.op == OpKind::get;
    });
    pipeline::CostConstants constants = known_costs();
    constants.rma[0].latency_us = 123;
    constants.server[1].request_us = 456;
    fit_costs(samples, kLimits, &constants);
    EXPECT_EQ(constants.rma[0].latency_us, 123);
    EXPECT_EQ(constants.server[1].request_us, 456);
}

TEST(TuneFit, CostsAreNeverNegative) {
    // Falling times: a straight line through them would need a negative slope.
    const std::vector<double> measured = {30, 20, 10};
    const std::vector<double> found =
        fit_parameters({1, 1}, measured, [](const std::vector<double>& p, size_t i) {
            return p[0] + p[1] * static_cast<double>(i);
        });
    EXPECT_EQ(found[1], 0);
    EXPECT_GE(found[0], 10);
    EXPECT_LE(found[0], 30);
}

TEST(TuneFit, UnusedParameterBecomesZero) {
    const std::vector<double> found = fit_parameters(
        {1, 1}, {4, 8},
        [](const std::vector<double>& p, size_t i) { return p[0] * static_cast<double>(i + 1); });
    EXPECT_NEAR(found[0], 4, 1e-6);
    EXPECT_EQ(found[1], 0);
}

}  // namespace
}  // namespace armci::tune::test
