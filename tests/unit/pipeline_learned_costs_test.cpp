// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/costs/learned_costs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace armci::pipeline::test {
namespace {

using base::OpKind;
using base::Route;

constexpr PipelineLimits kLimits{256 << 10, 16, kMaxSmallBytes};

// A network that is an adapter by the provider table.
CostConstants adapter_costs() {
    CostConstants constants;
    for (RmaCosts& rma : constants.rma) {
        rma.latency_us = 2;
        rma.single_us = 0.3;
        for (size_t i = 0; i < kRmaBlockBytes.size(); ++i) {
            rma.blocks.block_us[i] = 0.3 + 0.00008 * static_cast<double>(kRmaBlockBytes[i]);
        }
    }
    constants.server.fill({3, 0.5, 0.00008, 0.9, 0, 3});
    for (CopyCurve* curve : {&constants.pack, &constants.unpack, &constants.accumulate}) {
        for (size_t i = 0; i < kCopyBlockBytes.size(); ++i) {
            curve->block_us[i] = 0.005 + 0.0001 * static_cast<double>(kCopyBlockBytes[i]);
        }
    }
    return constants;
}

CostModel model_with(const CostFactors& factors) {
    CostModel model(scaled(adapter_costs(), factors), kLimits);
    model.choose_by_costs();
    return model;
}

// The transfers of a program on a network that has these factors; it learns from them.
class Network {
  public:
    explicit Network(const CostFactors& factors) : truth_(model_with(factors)) {}

    // Returns whether the model should take the factors.
    bool transfer(OpKind op, int64_t total_bytes, int64_t block_bytes, double noise = 1) {
        const TransferShape shape{total_bytes, block_bytes};
        const CostModel chosen = model_with(learned_.used());
        const int64_t limit = chosen.min_rma_block(op, total_bytes);
        // The library tries the other route now and then.
        const bool is_near = block_bytes >= limit / 2 && block_bytes / 2 < limit;
        const bool is_trial = is_near && ++near_limit_ % 32 == 0;
        const Route route = (block_bytes >= limit) != is_trial ? Route::rma : Route::server;
        return transfer_by(route, op, shape, noise);
    }
    bool transfer_by(Route route, OpKind op, const TransferShape& shape, double noise = 1) {
        const TimedTransfers transfers{op, route, shape, 1};
        return learned_.observe({&transfers, 1}, noise * predicted_us(truth_, {&transfers, 1}));
    }
    // A program that repeats these transfers, and contiguous ones.
    void run(int rounds, double noise = 1) {
        for (int round = 0; round < rounds; ++round) {
            const double factor = round % 2 == 0 ? noise : 1 / noise;
            for (const TransferShape& shape : kShapes) {
                transfer(OpKind::get, shape.total_bytes, shape.block_bytes, factor);
                transfer(OpKind::put, shape.total_bytes, shape.block_bytes, factor);
            }
            transfer_by(Route::rma, OpKind::get, {16 << 10, 16 << 10}, factor);
            transfer_by(Route::rma, OpKind::get, {4 << 20, 4 << 20}, factor);
        }
    }
    static constexpr TransferShape kShapes[] = {
        {64 << 10, 64},      {64 << 10, 512},     {64 << 10, 4096}, {64 << 10, 16 << 10},
        {1 << 20, 64},       {1 << 20, 256},      {1 << 20, 1024},  {1 << 20, 4096},
        {1 << 20, 16 << 10}, {1 << 20, 64 << 10}, {4 << 20, 512},   {4 << 20, 8192},
    };

    const CostModel& truth() const { return truth_; }
    const LearnedCosts& learned() const { return learned_; }
    // How much longer a transfer takes with the choice of that model than with the better one.
    double loss(const CostModel& model, OpKind op, const TransferShape& shape) const {
        const double rma_us = truth_.rma_us(op, shape);
        const double server_us = truth_.server_plan(op, shape).total_us;
        const bool by_rma = shape.block_bytes >= model.min_rma_block(op, shape.total_bytes);
        return (by_rma ? rma_us : server_us) / std::min(rma_us, server_us) - 1;
    }
    double worst_loss(const CostModel& model) const {
        double worst = 0;
        for (const OpKind op : {OpKind::put, OpKind::get}) {
            for (const TransferShape& shape : kShapes) {
                worst = std::max(worst, loss(model, op, shape));
            }
        }
        return worst;
    }

  private:
    CostModel truth_;
    LearnedCosts learned_{adapter_costs(), kLimits};
    int near_limit_ = 0;
};

TEST(LearnedCosts, ScaledConstantsKeepWhatIsNoPartOfTheNetwork) {
    CostConstants prior = adapter_costs();
    prior.rma[static_cast<size_t>(OpKind::get)].latency_us = 5;
    const CostConstants same = scaled(prior, {});
    EXPECT_DOUBLE_EQ(same.rma[1].blocks.block_us[3], prior.rma[1].blocks.block_us[3]);
    const CostConstants twice = scaled(prior, {{2, 1, 1, 1}});
    EXPECT_EQ(twice.rma[0].latency_us, 2 * prior.rma[0].latency_us);
    for (const OpKind op : {OpKind::put, OpKind::get, OpKind::acc}) {
        const ServerCosts& server = twice.server[static_cast<size_t>(op)];
        const double more_us = op == OpKind::get ? 5 : 2;
        EXPECT_EQ(server.request_us, prior.server[0].request_us + more_us);
        EXPECT_EQ(server.small_us, prior.server[0].small_us + more_us);
    }
    const CostConstants half = scaled(prior, {{0.5, 1, 1, 1}});
    EXPECT_EQ(half.rma[0].latency_us, 0.5 * prior.rma[0].latency_us);
    EXPECT_EQ(half.server[0].request_us, 0.5 * prior.server[0].request_us);
    EXPECT_EQ(twice.server[0].chunk_us, prior.server[0].chunk_us);
    const CostConstants slow = scaled(prior, {{1, 10, 1, 1}});
    for (size_t i = 0; i < kRmaBlockBytes.size(); ++i) {
        EXPECT_NEAR(slow.rma[0].blocks.block_us[i],
                    0.3 + 0.0008 * static_cast<double>(kRmaBlockBytes[i]), 1e-6);
    }
    EXPECT_EQ(slow.pack.block_us, prior.pack.block_us);
}

// They are no part of what is measured, and latency is learned badly from long transfers.
TEST(LearnedCosts, WhatShortTransfersDoStays) {
    CostConstants prior = adapter_costs();
    for (RmaCosts& rma : prior.rma) {
        rma.single_us = 3;  // as much as a message
    }
    CostModel model(prior, kLimits);
    model.choose_by_costs();
    const int64_t min_single = model.min_single(OpKind::get);
    const int64_t max_fenced_frame = model.max_fenced_frame();
    const int64_t min_block = model.min_rma_block(OpKind::get, 1 << 20);
    constexpr int64_t kShort = kFirstLearnedBytes - 1;
    const int64_t min_short_block = model.min_rma_block(OpKind::put, kShort);
    ASSERT_EQ(min_single, INT64_MAX);
    {
        CostModel chosen(scaled(prior, {{20, 1, 0.1, 1}}), kLimits);
        chosen.choose_by_costs();
        EXPECT_NE(chosen.min_single(OpKind::get), min_single);
        EXPECT_NE(chosen.max_fenced_frame(), max_fenced_frame);
        EXPECT_NE(chosen.min_rma_block(OpKind::put, kShort), min_short_block);
    }
    for (const double latency : {0.05, 20.0}) {
        const CostConstants learned = scaled(prior, {{latency, 1, 0.1, 1}});
        model.take_learned(learned);
        EXPECT_EQ(model.min_single(OpKind::get), min_single);
        EXPECT_EQ(model.max_fenced_frame(), max_fenced_frame);
        EXPECT_EQ(model.min_rma_block(OpKind::put, kShort), min_short_block);
        EXPECT_LT(model.min_rma_block(OpKind::get, 1 << 20), min_block);
    }
}

TEST(LearnedCosts, TransfersUnderWayTogetherHaveOneLatency) {
    const CostModel model = model_with({});
    const TimedTransfers one{OpKind::get, Route::rma, {1 << 20, 1 << 20}, 1};
    TimedTransfers four = one;
    four.count = 4;
    EXPECT_DOUBLE_EQ(predicted_us(model, {&one, 1}), model.rma_us(one.op, one.shape));
    EXPECT_DOUBLE_EQ(predicted_us(model, {&four, 1}),
                     4 * model.rma_us(one.op, one.shape) - 3 * model.constants().rma[1].latency_us);
}

// From 100 Mbit/s to 10 Gbit/s with up to 2 ms of delay each way, and operations that cost the
// processors more, or less, than the prior says.
TEST(LearnedCosts, ChoicesComeWithinATenthOfTheBestOnes) {
    const std::vector<CostFactors> networks = {
        {{1, 1000, 1, 1}},   {{1, 100, 1, 1}},    {{1, 10, 1, 1}},  {{100, 100, 1, 1}},
        {{1000, 10, 1, 1}},  {{1, 1, 6, 1}},      {{1, 1, 1, 6}},   {{10, 10, 6, 6}},
        {{100, 10, 6, 0.5}}, {{0.5, 1, 0.25, 4}}, {{5, 2, 0.5, 1}},
    };
    for (const CostFactors& factors : networks) {
        Network network(factors);
        network.run(20);
        const CostModel learned = model_with(network.learned().used());
        // The table of a model has steps, so not even the true costs are without loss.
        EXPECT_LT(network.worst_loss(learned), network.worst_loss(network.truth()) + 0.1)
            << factors.of[0] << " " << factors.of[1] << " " << factors.of[2] << " "
            << factors.of[3];
    }
    // The prior alone would not do.
    EXPECT_GT(Network(CostFactors{{1, 1, 6, 1}}).worst_loss(model_with({})), 0.5);
}

TEST(LearnedCosts, ConvergeToTheCostsOfTheNetwork) {
    Network network(CostFactors{{20, 10, 1, 1}});
    network.run(30);
    EXPECT_NEAR(std::log(network.learned().factors()[LearnedCost::latency] / 20), 0, 0.3);
    EXPECT_NEAR(std::log(network.learned().factors()[LearnedCost::byte] / 10), 0, 0.1);
}

TEST(LearnedCosts, NothingChangesWhereThePriorIsRight) {
    Network network(CostFactors{});
    network.run(10, 1.1);  // a tenth of noise
    EXPECT_EQ(network.learned().used().of, CostFactors{}.of);
    EXPECT_GT(network.learned().samples(), 50);
}

TEST(LearnedCosts, TheModelChangesOnlyWhenAFactorHasMovedByAQuarter) {
    Network network(CostFactors{{1, 1.2, 1, 1}});
    network.run(20);
    EXPECT_EQ(network.learned().used()[LearnedCost::byte], 1);
    Network slower(CostFactors{{1, 1.5, 1, 1}});
    int changes = 0;
    for (int i = 0; i < 200; ++i) {
        changes += slower.transfer_by(Route::rma, OpKind::get, {4 << 20, 4 << 20}) ? 1 : 0;
    }
    EXPECT_GE(changes, 1);
    EXPECT_LE(changes, 2);
    EXPECT_NEAR(slower.learned().used()[LearnedCost::byte], 1.5, 0.4);
}

TEST(LearnedCosts, ChangesOfTheNetworkAreFollowed) {
    const TransferShape shape{4 << 20, 4 << 20};
    Network network(CostFactors{{1, 10, 1, 1}});
    network.run(50);
    const Network later(CostFactors{{1, 40, 1, 1}});
    LearnedCosts learned = network.learned();
    const TimedTransfers transfers{OpKind::get, Route::rma, shape, 1};
    for (int i = 0; i < 30; ++i) {
        learned.observe({&transfers, 1}, predicted_us(later.truth(), {&transfers, 1}));
    }
    EXPECT_NEAR(std::log(learned.used()[LearnedCost::byte] / 40), 0, 0.3);
}

// A program whose transfers say nothing about blocks and frames, on a busy machine, for long.
TEST(LearnedCosts, WhatIsNotObservedStaysAsItWas) {
    Network network(CostFactors{});
    for (int i = 0; i < 20'000; ++i) {
        const double noise = 1 + 0.5 * ((i * 7919) % 101) / 101.0;
        network.transfer_by(Route::rma, OpKind::put, {16 << 10, 16 << 10}, noise);
        network.transfer_by(Route::server, OpKind::put, {64 << 10, 1 << 10}, noise);
    }
    EXPECT_NEAR(std::log(network.learned().used()[LearnedCost::block]), 0, 0.5);
    EXPECT_NEAR(std::log(network.learned().used()[LearnedCost::chunk]), 0, 0.5);
}

TEST(LearnedCosts, FactorsStayWithinBounds) {
    for (const double factor : {1e-9, 1e9}) {
        LearnedCosts learned(adapter_costs(), kLimits);
        for (int i = 0; i < 500; ++i) {
            for (const int64_t block_bytes : {64, 1 << 20}) {
                for (const Route route : {Route::rma, Route::server}) {
                    const TimedTransfers transfers{OpKind::get, route, {1 << 20, block_bytes}, 1};
                    learned.observe({&transfers, 1}, factor);
                }
            }
        }
        for (size_t i = 0; i < kLearnedCosts; ++i) {
            EXPECT_GE(learned.factors().of[i],
                      i < 2 ? 1 / LearnedCosts::kMaxLinkFactor : 1 / LearnedCosts::kMaxPostFactor);
            EXPECT_LE(learned.factors().of[i],
                      i < 2 ? LearnedCosts::kMaxLinkFactor : LearnedCosts::kMaxPostFactor);
        }
        EXPECT_TRUE(std::isfinite(predicted_us(
            model_with(learned.used()),
            std::vector<TimedTransfers>{{OpKind::put, Route::server, {1 << 20, 64}, 1}})));
    }
}

TEST(LearnedCosts, AnOutlierMovesTheModelLittle) {
    Network network(CostFactors{{1, 10, 1, 1}});
    network.run(10);
    const CostFactors before = network.learned().used();
    network.transfer(OpKind::get, 1 << 20, 512, 1000);  // a thousand times as long
    network.run(1);
    for (size_t i = 0; i < kLearnedCosts; ++i) {
        EXPECT_NEAR(std::log(network.learned().used().of[i] / before.of[i]), 0, std::log(1.6));
    }
}

TEST(LearnedCosts, SamplesOfNothingDoNotCount) {
    LearnedCosts learned(adapter_costs(), kLimits);
    const TimedTransfers transfers{OpKind::get, Route::rma, {1 << 20, 1 << 20}, 1};
    EXPECT_FALSE(learned.observe({}, 100));
    EXPECT_FALSE(learned.observe({&transfers, 1}, 0));
    EXPECT_FALSE(learned.observe({&transfers, 1}, -1));
    EXPECT_FALSE(learned.observe({&transfers, 1}, std::nan("")));
    // Packing blocks of a byte takes nearly all of this time.
    const TimedTransfers copies{OpKind::get, Route::server, {1 << 20, 1}, 1};
    EXPECT_FALSE(learned.observe({&copies, 1}, 1e6));
    EXPECT_EQ(learned.samples(), 0);
}

}  // namespace
}  // namespace armci::pipeline::test
