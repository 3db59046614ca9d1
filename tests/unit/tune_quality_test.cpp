// SPDX-License-Identifier: BSD-3-Clause
#include "armci-tune/quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace armci::tune::test {
namespace {

using base::OpKind;
using base::Route;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const pipeline::PipelineLimits kKnownLimits = {65536, 8, 2048};

// As measured between two processes over TCP on an idle machine.
pipeline::CostConstants costs_of_known_network() {
    pipeline::CostConstants constants;
    for (pipeline::RmaCosts& rma : constants.rma) {
        rma.latency_us = 7;
        rma.blocks.block_us = {1.5, 1.6, 2.9, 5.5, 19, 85};
        rma.far_byte_us = 0.00003;
    }
    constants.server = {{{5, 10, 0.00023, 0, 0.00003, 8},
                         {6, 11, 0.00019, 0, 0.00007},
                         {4, 10, 0.00022, 0.5, 0.00004, 7}}};
    constants.pack.block_us = {0.0004, 0.001, 0.004, 0.013, 0.044, 0.16};
    constants.unpack.block_us = {0.0005, 0.001, 0.004, 0.012, 0.042, 0.16};
    constants.accumulate.block_us = {0.0004, 0.001, 0.004, 0.013, 0.048, 0.19};
    return constants;
}

// How often a transfer is disturbed, how much longer it takes then, and how much its repetitions
// show of that.
struct Noise {
    double part = 0;
    double factor = 1;
    double spread = 0.05;
};

std::vector<Cell> measured(const Noise& noise) {
    const pipeline::CostConstants constants = costs_of_known_network();
    const pipeline::CostModel model(constants, kKnownLimits);
    std::mt19937 random(1);
    std::vector<Cell> cells;
    const auto add = [&](OpKind op, int64_t total_bytes, int64_t block_bytes, bool is_check) {
        Cell cell;
        cell.op = op;
        cell.shape = {total_bytes, block_bytes};
        cell.is_check = is_check;
        cell.routes = {Route::rma, Route::server};
        cell.us = {model.rma_us(op, cell.shape), model.server_plan(op, cell.shape).total_us};
        if (op == OpKind::acc) {
            cell.routes = {Route::server};
            cell.us = {cell.us[1]};
        }
        for (double& us : cell.us) {
            us *= std::uniform_real_distribution<double>(0.95, 1.05)(random);
            us *= std::uniform_real_distribution<double>(0, 1)(random) < noise.part
                      ? std::uniform_real_distribution<double>(1, noise.factor)(random)
                      : 1;
            cell.spread.push_back(noise.spread);
        }
        cells.push_back(cell);
    };
    for (const OpKind op : {OpKind::put, OpKind::get, OpKind::acc}) {
        for (const int64_t total_bytes : {2 << 10, 8 << 10, 32 << 10, 512 << 10, 4 << 20}) {
            for (const int64_t block_bytes : pipeline::kRmaBlockBytes) {
                if (block_bytes <= total_bytes / 2 && total_bytes / block_bytes <= kMaxRmaBlocks) {
                    add(op, total_bytes, block_bytes, false);
                }
            }
        }
        for (const int64_t total_bytes : {12 << 10, 192 << 10, 3072 << 10}) {
            for (const int64_t block_bytes :
                 {768, 3 << 10, 6 << 10, 12 << 10, 24 << 10, 192 << 10}) {
                if (block_bytes <= total_bytes / 2) {
                    add(op, total_bytes, block_bytes, op != OpKind::acc);
                }
            }
        }
        const pipeline::TransferShape shape{4096, 512};
        cells.push_back({op,
                         shape,
                         {Route::server},
                         true,
                         false,
                         {model.server_plan(op, shape).steady_us},
                         {},
                         {noise.spread}});
    }
    return cells;
}

pipeline::CostConstants fitted_to(const std::vector<Cell>& cells) {
    std::vector<Sample> samples;
    for (const Cell& cell : cells) {
        for (size_t i = 0; i < cell.routes.size() && !cell.is_check; ++i) {
            samples.push_back({cell.op, cell.routes[i], cell.shape, cell.non_blocking, cell.us[i]});
        }
    }
    pipeline::CostConstants constants = costs_of_known_network();
    constants.rma = {};
    constants.server = {};
    fit_costs(samples, kKnownLimits, &constants);
    return constants;
}

std::vector<std::string> faults_of(const std::vector<Cell>& cells,
                                   const pipeline::CostConstants& constants) {
    pipeline::CostModel model(constants, kKnownLimits);
    model.choose_by_costs();
    return find_faults(cells, model);
}

TEST(TuneQuality, AcceptsCleanMeasurements) {
    const std::vector<Cell> cells = measured({});
    EXPECT_THAT(faults_of(cells, fitted_to(cells)), IsEmpty());
}

TEST(TuneQuality, AcceptsAFewDisturbedMeasurements) {
    const std::vector<Cell> cells = measured({.part = 0.05, .factor = 2, .spread = 0.1});
    EXPECT_THAT(faults_of(cells, fitted_to(cells)), IsEmpty());
}

TEST(TuneQuality, RefusesMeasurementsOfABusyMachine) {
    const std::vector<Cell> cells = measured({.part = 0.5, .factor = 30, .spread = 0.8});
    const std::vector<std::string> faults = faults_of(cells, fitted_to(cells));
    EXPECT_THAT(faults, Contains(HasSubstr("repetitions of the same transfer differ")));
    EXPECT_THAT(faults, Contains(HasSubstr("the model does not fit")));
    EXPECT_THAT(faults, Contains(HasSubstr("the choices are poor")));
}

TEST(TuneQuality, RefusesDifferingRepetitions) {
    const std::vector<Cell> cells = measured({.spread = kMaxSpread + 0.01});
    const std::vector<std::string> faults = faults_of(cells, costs_of_known_network());
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_THAT(faults[0], HasSubstr("the quartiles lie 26 % or more from the median"));
}

TEST(TuneQuality, RefusesConstantsThatAreNotPositive) {
    const std::vector<Cell> cells = measured({});
    pipeline::CostConstants constants = costs_of_known_network();
    constants.rma[0].latency_us = 0;
    constants.rma[1].blocks.block_us[2] = 0;
    constants.server[2].request_us = 0;
    const std::vector<std::string> faults = faults_of(cells, constants);
    EXPECT_THAT(faults, Contains("put by rma: its latency_us comes out as 0"));
    EXPECT_THAT(faults, Contains("get by rma: its cost of a block of 4096 bytes comes out as 0"));
    EXPECT_THAT(faults, Contains("acc by server: its request_us comes out as 0"));
    constants = costs_of_known_network();
    constants.rma[0].far_byte_us = 0;  // there may be no far memory
    constants.server[1].far_byte_us = 0;
    EXPECT_THAT(faults_of(cells, constants), IsEmpty());
}

TEST(TuneQuality, RefusesAModelThatDoesNotFit) {
    pipeline::CostConstants constants = costs_of_known_network();
    constants.server[1].request_us *= 3;
    constants.server[1].chunk_us *= 3;
    constants.server[1].byte_us *= 3;
    const std::vector<std::string> faults = faults_of(measured({}), constants);
    EXPECT_THAT(faults, Contains(HasSubstr("get by server: the model does not fit; half of ")));
    EXPECT_THAT(faults, Not(Contains(HasSubstr("put by server"))));
}

TEST(TuneQuality, RefusesPoorChoices) {
    // The route that the model considers slower is the faster one.
    std::vector<Cell> cells = measured({});
    for (Cell& cell : cells) {
        if (cell.is_check) {
            std::swap(cell.us[0], cell.us[1]);
        }
    }
    const std::vector<std::string> faults = faults_of(cells, costs_of_known_network());
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_THAT(faults[0], HasSubstr("the choices are poor: of "));
}

TEST(TuneQuality, ChecksNoChoicesWithoutRma) {
    std::vector<Cell> cells = measured({});
    std::erase_if(cells, [](const Cell& cell) { return cell.is_check; });
    for (Cell& cell : cells) {
        if (cell.routes.size() == 2) {
            cell.routes.erase(cell.routes.begin());
            cell.us.erase(cell.us.begin());
            cell.spread.erase(cell.spread.begin());
        }
    }
    pipeline::CostConstants constants = costs_of_known_network();
    constants.rma = {};  // nothing to measure
    EXPECT_THAT(faults_of(cells, constants), IsEmpty());
}

}  // namespace
}  // namespace armci::tune::test
