// SPDX-License-Identifier: BSD-3-Clause
// Which transfers are measured to learn costs, and which of them try the other route.
#include "core/progress/cost_learning.h"

#include <gtest/gtest.h>

#include "server_fixture.h"

namespace armci::core::test {
namespace {

using base::OpKind;
using base::Route;

constexpr int64_t kMinRmaBlock = 4096;
constexpr pipeline::TransferShape kShape{32 << 10, kMinRmaBlock};

// A network on which a transfer takes nothing but the time of the network.
pipeline::CostModel model_of(double latency_us, double block_us,
                             const pipeline::ServerCosts& server) {
    pipeline::CostConstants constants;
    for (pipeline::RmaCosts& rma : constants.rma) {
        rma.latency_us = latency_us;
        rma.blocks.block_us.fill(block_us);
    }
    constants.server.fill(server);
    pipeline::CostModel model(constants, {256 << 10, 16, pipeline::kMaxSmallBytes});
    model.choose_by_costs();
    return model;
}
pipeline::CostModel prior() {
    return model_of(2, 1, {3, 0.5, 0.0001, 1, 0, 3});
}

class CostLearningTest : public ::testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(network_.error(), "");
        learning_.open(prior(), {.learns = true, .rails = 1});
    }

    bool is_trial() { return learning_.wants_trial(kShape, kMinRmaBlock, origin(), 0); }
    // A get that has ended when its call does. Returns whether it was measured.
    bool get() {
        const int64_t before = learning_.learned(Link::network).samples();
        stats_.count(OpKind::get, Route::server, kShape.total_bytes);
        learning_.begin_call({0, Link::network, OpKind::get, Route::server, kShape}, origin(),
                             stats_);
        learning_.end_call(origin(), stats_);
        return learning_.learned(Link::network).samples() > before;
    }
    pipeline::Origin& origin() { return network_.origin(0); }

    armci::test::TestNetwork network_{armci::test::NetworkOptions{}};
    CostLearning learning_;
    base::Stats stats_;
};

// Times of this machine are far longer than the latency of this prior, so a buffer is held longer.
TEST(CostLearning, ALongerWayTakesMoreBuffersOfOneTransfer) {
    constexpr int kDepth = 4;
    const pipeline::CostModel prior = model_of(0.002, 0.0001, {0.003, 0.001, 0, 1, 0, 0.003});
    ASSERT_EQ(prior.depth_of_long(256 << 10), kDepth);
    armci::test::NetworkOptions options;
    options.depth = kDepth;
    armci::test::TestNetwork network(options);
    ASSERT_EQ(network.error(), "");
    pipeline::Origin& origin = network.origin(0);
    base::Stats stats;
    for (const int rails : {0, 1}) {  // 0: the user has set the number of buffers
        CostLearning learning;
        learning.open(prior, {.learns = true, .rails = rails});
        for (int64_t i = 0; i < CostLearning::kOftenSamples; ++i) {
            stats.count(OpKind::get, Route::rma, kShape.total_bytes);
            learning.begin_call({0, Link::network, OpKind::get, Route::rma, kShape}, origin, stats);
            learning.end_call(origin, stats);
        }
        const int64_t learned =  // three quarters of the buffers at most
            std::min<int64_t>(12, learning.model(Link::network).depth_of_long(256 << 10));
        EXPECT_GT(learned, kDepth);
        EXPECT_EQ(origin.frames().chunks_of_transfer(), rails == 0 ? kDepth : learned);
    }
}

// Only some of the others are.
TEST_F(CostLearningTest, EachTrialIsMeasured) {
    for (int64_t i = 0; i < CostLearning::kOftenSamples; ++i) {
        ASSERT_TRUE(get());
    }
    int trials = 0;
    int others = 0;
    for (int phase = 0; phase < CostLearning::kRarely; ++phase) {
        get();
        for (int i = 0; i < CostLearning::kTrialPeriod; ++i) {
            const bool tries = is_trial();
            const bool is_measured = get();
            trials += tries ? 1 : 0;
            EXPECT_TRUE(is_measured || !tries) << "phase " << phase;
            others += is_measured && !tries ? 1 : 0;
        }
    }
    EXPECT_EQ(trials, CostLearning::kRarely);
    EXPECT_GT(others, 0);
    EXPECT_LT(others, CostLearning::kTrialPeriod * 2);
}

// A program may put and get in turn.
TEST_F(CostLearningTest, EverySecondTransferIsTriedAndMeasured) {
    for (int64_t i = 0; i < CostLearning::kOftenSamples; ++i) {
        ASSERT_TRUE(get());
    }
    int measured[2] = {};
    for (int i = 0; i < 4 * CostLearning::kRarely; ++i) {
        measured[i % 2] += get() ? 1 : 0;
    }
    int trials[2] = {};
    for (int i = 0; i < 4 * CostLearning::kTrialPeriod; ++i) {
        trials[i % 2] += is_trial() ? 1 : 0;
    }
    for (const int parity : {0, 1}) {
        EXPECT_EQ(measured[parity], 2);
        EXPECT_EQ(trials[parity], 2);
    }
}

// A change of the route would take two round trips. What is not idle is no trial, and does not use
// up the turn of one.
TEST_F(CostLearningTest, NothingIsTriedWhileTransfersAreUnderWay) {
    pipeline::Channel& channel = origin().channel(0);
    const uint64_t before = channel.last_mutation;
    channel.last_mutation = channel.flow.acknowledged_frames + 1;
    for (int i = 0; i < 2 * CostLearning::kTrialPeriod; ++i) {
        EXPECT_FALSE(is_trial());
    }
    channel.last_mutation = before;
    for (int i = 1; i <= CostLearning::kTrialPeriod; ++i) {
        EXPECT_EQ(is_trial(), i == CostLearning::kTrialPeriod);
    }
}

}  // namespace
}  // namespace armci::core::test
