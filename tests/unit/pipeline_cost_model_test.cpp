// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/costs/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace armci::pipeline::test {
namespace {

using base::OpKind;

constexpr int64_t kHuge = INT64_MAX;
constexpr OpKind kOps[] = {OpKind::put, OpKind::get, OpKind::acc};

// Round numbers similar to those of sockets.
CostConstants socket_costs() {
    CostConstants constants;
    for (RmaCosts& rma : constants.rma) {
        rma.latency_us = 10;
        for (size_t i = 0; i < kRmaBlockBytes.size(); ++i) {
            rma.blocks.block_us[i] = 8 + 0.0002 * static_cast<double>(kRmaBlockBytes[i]);
        }
    }
    constants.server.fill({20, 5, 0.0005, 0.5, 0, 0});
    for (CopyCurve* curve : {&constants.pack, &constants.unpack, &constants.accumulate}) {
        for (size_t i = 0; i < kCopyBlockBytes.size(); ++i) {
            curve->block_us[i] = 0.002 + 0.0001 * static_cast<double>(kCopyBlockBytes[i]);
        }
    }
    return constants;
}

CostModel make_model(int64_t chunk_count = 8, CostConstants constants = socket_costs()) {
    CostModel model(constants, {65536, chunk_count, 0});
    model.choose_by_costs();
    return model;
}

TEST(BlockCurve, IsExactAtPointsAndLinearBetween) {
    CopyCurve curve;
    curve.block_us = {1, 2, 4, 5, 7, 10};
    for (size_t i = 0; i < kCopyBlockBytes.size(); ++i) {
        EXPECT_DOUBLE_EQ(curve.at(kCopyBlockBytes[i]), curve.block_us[i]);
    }
    EXPECT_DOUBLE_EQ(curve.at(20), 1.5);
    EXPECT_DOUBLE_EQ(curve.at(320), 4.5);
    EXPECT_DOUBLE_EQ(curve.at(1), 1);
    EXPECT_DOUBLE_EQ(curve.at(0), 1);
    EXPECT_DOUBLE_EQ(curve.at(81920), 100);
    EXPECT_TRUE(std::isfinite(curve.at(kHuge)));
}

// Direct puts take one rail of four. Several chunks are transmitted at the same time, and so are
// several operations of a get. One alone is not divided.
TEST(CostModel, AllButDirectPutsAreDividedAmongRails) {
    CostConstants constants = socket_costs();
    for (ServerCosts& server : constants.server) {
        server.byte_us = 0.01;  // copies cost nothing beside that
        server.overlap = 1;
    }
    PipelineLimits limits{65536, 16, 0};
    const CostModel one(constants, limits);
    limits.rails = 4;
    limits.divided_bytes = 256 << 10;
    const CostModel four(constants, limits);
    const auto by_server = [](const CostModel& model, OpKind op, int64_t bytes) {
        return model.server_plan(op, {bytes, bytes}).total_us;
    };
    constexpr int64_t kLong = 64 << 20;
    for (const OpKind op : kOps) {
        EXPECT_NEAR(by_server(one, op, kLong) / by_server(four, op, kLong), 4, 0.1);
        EXPECT_EQ(by_server(one, op, 65536), by_server(four, op, 65536));
        EXPECT_LT(by_server(one, op, 2 * 65536) / by_server(four, op, 2 * 65536), 2);
    }
    const auto by_rma = [](const CostModel& model, OpKind op, int64_t bytes) {
        return model.rma_us(op, {bytes, bytes});
    };
    EXPECT_EQ(by_rma(one, OpKind::put, kLong), by_rma(four, OpKind::put, kLong));
    EXPECT_NEAR(by_rma(one, OpKind::get, kLong) / by_rma(four, OpKind::get, kLong), 4, 0.1);
    EXPECT_EQ(by_rma(one, OpKind::get, 256 << 10), by_rma(four, OpKind::get, 256 << 10));
}

TEST(CostModel, EmptyTransferCostsNothingAndHasNoChunks) {
    const CostModel model = make_model();
    for (const TransferShape shape : {TransferShape{0, 0}, {0, 8}, {-1, 8}}) {
        EXPECT_EQ(model.rma_us(OpKind::put, shape), 0);
        const ServerPlan plan = model.server_plan(OpKind::put, shape);
        EXPECT_EQ(plan.total_us, 0);
        EXPECT_EQ(plan.chunk_count, 0);
        EXPECT_EQ(plan.useful_depth, 0);
    }
}

// Where a read costs the processors as much as a message, a few gets are worth a frame; where an
// adapter reads by itself, none are.
TEST(CostModel, NonBlockingTransfersShareAFrameWhereRmaCostsAsMuchAsMessages) {
    const auto min_single_read = [](double single_us, double byte_us) {
        CostConstants constants = socket_costs();
        constants.rma[static_cast<size_t>(OpKind::get)].single_us = single_us;
        constants.server[static_cast<size_t>(OpKind::get)].byte_us = byte_us;
        CostModel model(constants, {65536, 8, kMaxSmallBytes});
        EXPECT_EQ(model.min_single(OpKind::get), INT64_MAX);  // only servers are chosen so far
        model.choose_by_costs();
        return model.min_single(OpKind::get);
    };
    EXPECT_EQ(min_single_read(1000, 0.0005), INT64_MAX);
    EXPECT_EQ(min_single_read(0, 0.0005), 1);
    // If each byte costs much more in a frame, long blocks are read.
    const CostConstants costs = socket_costs();
    const ServerCosts& server = costs.server[static_cast<size_t>(OpKind::get)];
    const int64_t between = min_single_read((server.request_us + server.chunk_us) / 4 + 1, 0.01);
    EXPECT_GT(between, 8);
    EXPECT_LT(between, kMaxSharingBytes);
    CostModel model(costs, {65536, 8, kMaxSmallBytes});
    model.choose_from(64);
    EXPECT_FALSE(model.should_share(OpKind::get, {64, 64}));
    EXPECT_TRUE(model.should_share(OpKind::get, {64, 32}));
    // Small puts always do, and longer ones by the same rule as gets.
    EXPECT_TRUE(model.should_share(OpKind::put, {64, 64}));
    EXPECT_FALSE(model.should_share(OpKind::put, {2 * kMaxSmallBytes, 2 * kMaxSmallBytes}));
    EXPECT_TRUE(model.should_share(OpKind::acc, {kMaxSharingBytes, kMaxSharingBytes}));
    EXPECT_FALSE(model.can_share({kMaxSharingBytes + 8, kMaxSharingBytes + 8}));
    EXPECT_FALSE(model.can_share({8 * (kMaxSmallBlocks + 1), 8}));
    EXPECT_FALSE(CostModel(costs, {65536, 8, 0}).can_share({8, 8}));
}

// A frame is copied twice; RMA and its fence are a message more, for which 9 us count here. A copy
// of 32 KiB takes 3.3 us, and of twice that 6.6.
TEST(CostModel, AFencedPutIsOneFrameWhileItsCopiesCostLessThanAMessage) {
    const auto max_fenced = [](int64_t chunk_bytes) {
        CostModel model(socket_costs(), {chunk_bytes, 8, 0});
        EXPECT_EQ(model.max_fenced_frame(), 0);  // nothing is chosen yet
        model.choose_by_costs();
        return model.max_fenced_frame();
    };
    EXPECT_EQ(max_fenced(1 << 20), 32 << 10);
    EXPECT_EQ(max_fenced(20000), 16 << 10);  // one frame
    EXPECT_EQ(max_fenced(32), 0);
    CostModel model = make_model();
    model.choose_from(1);
    EXPECT_EQ(model.max_fenced_frame(), 0);
}

TEST(CostModel, TransfersOfFewBytesAndBlocksAreSmall) {
    const CostModel model(socket_costs(), {65536, 8, kMaxSmallBytes});
    EXPECT_TRUE(model.is_small({kMaxSmallBytes, kMaxSmallBytes}));
    EXPECT_FALSE(model.is_small({kMaxSmallBytes + 8, kMaxSmallBytes + 8}));
    EXPECT_TRUE(model.is_small({kMaxSmallBlocks * 8, 8}));
    EXPECT_FALSE(model.is_small({(kMaxSmallBlocks + 1) * 8, 8}));
    // A blocking get waits for a frame of its own.
    EXPECT_GT(model.server_plan(OpKind::get, {8, 8}).total_us,
              2 * model.server_plan(OpKind::put, {8, 8}).total_us);
    // The price of a small one has nothing of a frame of its own.
    EXPECT_LT(model.server_plan(OpKind::put, {kMaxSmallBlocks * 8, 8}).total_us, 5);
    EXPECT_GT(model.server_plan(OpKind::put, {(kMaxSmallBlocks + 1) * 8, 8}).total_us, 20);
}

TEST(CostModel, RmaCostGrowsWithTheNumberOfBlocks) {
    const CostModel model = make_model();
    EXPECT_NEAR(model.rma_us(OpKind::put, {1000 * 64, 64}), 10 + 1000 * (8 + 64 * 0.0002), 1e-6);
    EXPECT_NEAR(model.rma_us(OpKind::get, {16384, 16384}), 10 + 8 + 16384 * 0.0002, 1e-6);
    EXPECT_TRUE(std::isinf(model.rma_us(OpKind::acc, {64, 64})));
}

TEST(CostModel, OneChunkCostsTheSumOfItsStages) {
    const CostModel model = make_model();
    const ServerPlan plan = model.server_plan(OpKind::put, {8192, 128});
    const double copy = 64 * (0.002 + 128 * 0.0001);
    EXPECT_EQ(plan.chunk_count, 1);
    EXPECT_EQ(plan.chunk_bytes, 8192);
    EXPECT_NEAR(plan.chunk.pack_us, copy, 1e-9);
    EXPECT_NEAR(plan.chunk.unpack_us, copy, 1e-9);
    EXPECT_NEAR(plan.chunk.transmit_us, 5 + 8192 * 0.0005, 1e-9);
    EXPECT_NEAR(plan.total_us, 20 + 5 + 8192 * 0.0005 + 2 * copy, 1e-9);
    EXPECT_EQ(plan.useful_depth, 1);
}

TEST(CostModel, FurtherChunksCostTheSlowestStageWhenStagesOverlap) {
    CostConstants constants = socket_costs();
    constants.server.fill({20, 5, 0.0005, 1, 0, 0});
    const ServerPlan plan = make_model(8, constants).server_plan(OpKind::put, {10 * 65536, 8192});
    EXPECT_EQ(plan.chunk_count, 10);
    EXPECT_DOUBLE_EQ(plan.steady_us, plan.chunk.slowest_us());
    EXPECT_NEAR(plan.total_us, 20 + plan.chunk.sum_us() + 9 * plan.chunk.slowest_us(), 1e-9);
}

TEST(CostModel, NothingOverlapsWithOneBufferOrWithoutOverlap) {
    CostConstants constants = socket_costs();
    constants.server.fill({20, 5, 0.0005, 1, 0, 0});
    const ServerPlan one_buffer =
        make_model(1, constants).server_plan(OpKind::put, {10 * 65536, 8192});
    EXPECT_DOUBLE_EQ(one_buffer.steady_us, one_buffer.chunk.sum_us());
    constants.server.fill({20, 5, 0.0005, 0, 0, 0});
    const ServerPlan serial = make_model(8, constants).server_plan(OpKind::put, {10 * 65536, 8192});
    EXPECT_DOUBLE_EQ(serial.steady_us, serial.chunk.sum_us());
    EXPECT_NEAR(serial.total_us, 20 + 10 * serial.chunk.sum_us(), 1e-9);
}

TEST(CostModel, AccumulateUsesItsOwnUnpackCurve) {
    CostConstants constants = socket_costs();
    constants.accumulate.block_us.fill(100);
    const CostModel model = make_model(8, constants);
    EXPECT_DOUBLE_EQ(model.server_plan(OpKind::acc, {1024, 512}).chunk.unpack_us, 200);
    EXPECT_LT(model.server_plan(OpKind::put, {1024, 512}).chunk.unpack_us, 1);
}

TEST(CostModel, FarBytesCostMoreOnEitherRoute) {
    CostConstants constants = socket_costs();
    for (RmaCosts& rma : constants.rma) {
        rma.far_byte_us = 0.001;
    }
    constants.server.fill({20, 5, 0.0005, 0.5, 0.002, 0});
    const CostModel far = make_model(8, constants);
    const CostModel near = make_model();
    for (const int64_t far_bytes : {-kNearBytes / 2, int64_t{0}, int64_t{1000000}}) {
        const TransferShape shape{kNearBytes + far_bytes, 64};
        const double more = far_bytes > 0 ? static_cast<double>(far_bytes) : 0;
        EXPECT_NEAR(far.rma_us(OpKind::get, shape) - near.rma_us(OpKind::get, shape), more * 0.001,
                    1e-6);
        EXPECT_NEAR(far.server_plan(OpKind::get, shape).total_us -
                        near.server_plan(OpKind::get, shape).total_us,
                    more * 0.002, 1e-6);
    }
}

TEST(CostModel, SmallPutsAndAccumulatesHaveTheirOwnCost) {
    CostConstants constants = socket_costs();
    for (ServerCosts& server : constants.server) {
        server.small_us = 3;
    }
    const CostModel model(constants, {65536, 8, 2048});
    const double copies = 2 * 16 * (0.002 + 128 * 0.0001);
    EXPECT_NEAR(model.server_plan(OpKind::put, {2048, 128}).total_us, 3 + copies, 1e-9);
    EXPECT_NEAR(model.server_plan(OpKind::acc, {2048, 128}).total_us, 3 + copies, 1e-9);
    EXPECT_GT(model.server_plan(OpKind::get, {2048, 128}).total_us, 20);
    EXPECT_GT(model.server_plan(OpKind::put, {2049, 128}).total_us, 20);
}

TEST(CostModel, MoreBytesNeverCostLess) {
    const CostModel model = make_model();
    for (const OpKind op : kOps) {
        for (const int64_t block_bytes : {8, 100, 4096, 100000}) {
            double rma = 0;
            double server = 0;
            for (int64_t total = 1; total < 400000; total += 1 + total / 50) {
                const TransferShape shape{total, block_bytes};
                EXPECT_GE(model.rma_us(op, shape), rma) << total << " by " << block_bytes;
                EXPECT_GE(model.server_plan(op, shape).total_us, server)
                    << total << " by " << block_bytes;
                rma = model.rma_us(op, shape);
                server = model.server_plan(op, shape).total_us;
            }
        }
    }
}

TEST(CostModel, LongerBlocksOfEqualTotalNeverCostMore) {
    const CostModel model = make_model();
    for (const OpKind op : kOps) {
        double rma = HUGE_VAL;
        double server = HUGE_VAL;
        for (int64_t block_bytes = 1; block_bytes <= 1 << 20; block_bytes *= 2) {
            const TransferShape shape{1 << 20, block_bytes};
            EXPECT_LE(model.rma_us(op, shape), rma * (1 + 1e-12)) << block_bytes;
            EXPECT_LE(model.server_plan(op, shape).total_us, server * (1 + 1e-12)) << block_bytes;
            rma = model.rma_us(op, shape);
            server = model.server_plan(op, shape).total_us;
        }
    }
}

TEST(CostModel, MoreBuffersNeverCostMore) {
    for (const OpKind op : kOps) {
        double before = HUGE_VAL;
        for (const int64_t chunk_count : {1, 2, 3, 8, 1000}) {
            const double us = make_model(chunk_count).server_plan(op, {4 << 20, 64}).total_us;
            EXPECT_LE(us, before) << chunk_count;
            before = us;
        }
    }
}

TEST(CostModel, ChoosesTheCheaperRouteOnBothSidesOfTheCrossover) {
    const CostModel model = make_model();
    for (const OpKind op : {OpKind::put, OpKind::get}) {
        for (int bits = 14; bits <= 30; ++bits) {
            const int64_t total = (int64_t{3} << bits) / 4;
            const int64_t min = model.min_rma_block(op, total);
            ASSERT_GT(min, 256) << total;
            ASSERT_LE(min, total) << total;
            EXPECT_LE(model.rma_us(op, {total, min}), model.server_plan(op, {total, min}).total_us);
            const TransferShape shorter{total, min - min / 8 - 1};
            EXPECT_GT(model.rma_us(op, shorter), model.server_plan(op, shorter).total_us);
        }
    }
}

TEST(CostModel, CheaperOperationsLowerTheMinimumRmaBlock) {
    CostConstants cheap = socket_costs();
    for (double& block_us : cheap.rma[0].blocks.block_us) {
        block_us -= 7.5;
    }
    const int64_t usual = make_model().min_rma_block(OpKind::put, 1 << 20);
    const int64_t less = make_model(8, cheap).min_rma_block(OpKind::put, 1 << 20);
    EXPECT_LT(less, usual / 4);
    EXPECT_EQ(make_model(8, cheap).min_rma_block(OpKind::get, 1 << 20), usual);
}

TEST(CostModel, ChoosesTheServerWhereRmaNeverPays) {
    CostConstants constants = socket_costs();
    for (RmaCosts& rma : constants.rma) {
        rma.latency_us = 1e8;
    }
    const CostModel model = make_model(8, constants);
    for (const int64_t total : {int64_t{1}, int64_t{1000}, int64_t{1} << 30}) {
        EXPECT_EQ(model.min_rma_block(OpKind::put, total), INT64_MAX);
    }
}

TEST(CostModel, ChoosesRmaWhereTheServerCostsMore) {
    CostConstants constants = socket_costs();
    for (RmaCosts& rma : constants.rma) {
        rma = RmaCosts{};
    }
    const CostModel model = make_model(8, constants);
    for (const int64_t total : {int64_t{1}, int64_t{1000}, int64_t{1} << 30, kHuge}) {
        EXPECT_EQ(model.min_rma_block(OpKind::get, total), 1) << total;
    }
}

TEST(CostModel, ChoosesRemotePutsForLargeGetsWhereReadsAreSlow) {
    CostConstants constants = socket_costs();
    for (double& us : constants.rma[static_cast<size_t>(OpKind::get)].blocks.block_us) {
        us *= 3;
    }
    const int64_t min = make_model(8, constants).min_get_by_put();
    ASSERT_LT(min, kHuge);
    // Below it the request costs more than slow reads.
    EXPECT_GT(min, 1);
    const CostModel model = make_model(8, constants);
    for (int64_t bytes = min; bytes < int64_t{1} << 40; bytes *= 4) {
        EXPECT_LT(model.get_by_put_us(bytes), model.rma_us(OpKind::get, {bytes, bytes})) << bytes;
    }
}

TEST(CostModel, ChoosesNoRemotePutsWhereReadsCostAsMuchAsWrites) {
    EXPECT_EQ(make_model().min_get_by_put(), kHuge);
    EXPECT_EQ(make_model().get_by_put_us(0), 0);
}

// However slow reads are, and whatever is learned of them.
TEST(CostModel, ChoosesNoRemotePutsForShortGets) {
    CostConstants constants = socket_costs();
    CostModel model = make_model(8, constants);
    RmaCosts& reads = constants.rma[static_cast<size_t>(OpKind::get)];
    reads.latency_us *= 1000;
    for (double& us : reads.blocks.block_us) {
        us *= 3;
    }
    EXPECT_EQ(make_model(8, constants).min_get_by_put(), kFirstLearnedBytes);
    model.take_learned(constants);
    EXPECT_EQ(model.min_get_by_put(), kFirstLearnedBytes);
    EXPECT_LT(model.get_by_put_us(8), model.rma_us(OpKind::get, {8, 8}));
}

TEST(CostModel, GivenSizeOfGetsByPutOverridesTheCosts) {
    CostModel model = make_model();
    model.choose_get_by_put_from(4096);
    EXPECT_EQ(model.min_get_by_put(), 4096);
}

TEST(CostModel, NeverChoosesRmaForAccumulate) {
    CostModel model = make_model();
    EXPECT_EQ(model.min_rma_block(OpKind::acc, 1 << 20), INT64_MAX);
    model.choose_from(1);
    EXPECT_EQ(model.min_rma_block(OpKind::acc, 1 << 20), INT64_MAX);
}

TEST(CostModel, GivenMinimumBlockOverridesTheCosts) {
    CostModel model = make_model();
    model.choose_from(777);
    for (const int64_t total : {int64_t{0}, int64_t{1}, int64_t{1} << 20, kHuge}) {
        EXPECT_EQ(model.min_rma_block(OpKind::put, total), 777);
        EXPECT_EQ(model.min_rma_block(OpKind::get, total), 777);
    }
}

TEST(CostModel, ChoosesTheServerWithoutConstants) {
    const CostModel model;
    EXPECT_EQ(model.min_rma_block(OpKind::put, 1 << 30), INT64_MAX);
}

// A buffer is held while it is packed, transmitted and confirmed. Meanwhile the slowest stage works
// on others.
TEST(CostModel, UsefulDepthKeepsTheSlowestStageBusy) {
    CostConstants constants;
    constants.pack.block_us.fill(10);  // 8192 bytes by blocks of 8192: 10 us
    const auto depth = [&](double transmit_us, double latency_us, int64_t chunk_count = 16) {
        constants.server.fill({0, transmit_us, 0, 1, 0, 0});
        for (RmaCosts& rma : constants.rma) {
            rma.latency_us = latency_us;
        }
        const CostModel model(constants, {8192, chunk_count, 0});
        return model.server_plan(OpKind::put, {100 * 8192, 8192}).useful_depth;
    };
    EXPECT_EQ(depth(0, 0), 2);
    EXPECT_EQ(depth(10, 0), 3);
    // However slow the network is, more buffers would only wait in its queue.
    EXPECT_EQ(depth(45, 0), 3);
    EXPECT_EQ(depth(1e30, 0), 2);
    // Latency is no work, so more chunks are under way meanwhile.
    EXPECT_EQ(depth(10, 10), 4);
    EXPECT_EQ(depth(10, 10.5), 5);
    EXPECT_EQ(depth(40, 70), 4);
    EXPECT_EQ(depth(10, 1e30), 16);
    EXPECT_EQ(depth(10, 10, 2), 2);
    EXPECT_EQ(depth(10, 1e30, 1000), 100);  // there are no more chunks
    // The target's side may be the slowest.
    constants.unpack.block_us.fill(50);
    EXPECT_EQ(depth(10, 0), 2);
    constants.unpack.block_us.fill(0);
    constants.pack.block_us.fill(0);
    EXPECT_EQ(depth(1, 0), 2);
    EXPECT_EQ(depth(0, 0), 16);
}

TEST(CostModel, BestChunkSizeBalancesChunkCostAndOverlap) {
    CostConstants constants = socket_costs();
    const TransferShape shape{1 << 20, 64};
    constants.server.fill({20, 1000, 0.0005, 1, 0, 0});
    EXPECT_EQ(make_model(8, constants).best_chunk_bytes(OpKind::put, shape), 65536);
    constants.server.fill({20, 0, 0.0005, 1, 0, 0});
    EXPECT_EQ(make_model(8, constants).best_chunk_bytes(OpKind::put, shape), 4096);
}

TEST(CostModel, HugeTransfersStayFiniteAndInRange) {
    const CostModel model = make_model();
    for (const OpKind op : kOps) {
        for (const int64_t block_bytes : {int64_t{1}, int64_t{4096}, kHuge}) {
            const ServerPlan plan = model.server_plan(op, {kHuge, block_bytes});
            EXPECT_TRUE(std::isfinite(plan.total_us));
            EXPECT_GT(plan.total_us, 1e12);
            EXPECT_EQ(plan.chunk_count, (kHuge - 1) / 65536 + 1);
            EXPECT_GE(plan.useful_depth, 1);
            EXPECT_LE(plan.useful_depth, 8);
        }
    }
    EXPECT_TRUE(std::isfinite(model.rma_us(OpKind::put, {kHuge, 1})));
    EXPECT_EQ(model.min_rma_block(OpKind::put, kHuge),
              model.min_rma_block(OpKind::put, int64_t{1} << 40));
}

TEST(CostModel, SenselessLimitsBecomeTheMinimum) {
    const CostModel model(socket_costs(), {0, 0, 0});
    EXPECT_EQ(model.limits().chunk_bytes, 1);
    EXPECT_EQ(model.limits().chunk_count, 1);
    EXPECT_EQ(model.server_plan(OpKind::put, {10, 10}).chunk_count, 10);
    EXPECT_EQ(model.server_plan(OpKind::put, {10, 10}, -5).chunk_count, 10);
}

}  // namespace
}  // namespace armci::pipeline::test
