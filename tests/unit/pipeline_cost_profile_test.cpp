// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/costs/cost_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "pipeline/costs/copy_costs.h"

namespace armci::pipeline::test {
namespace {

using testing::HasSubstr;

CostProfile example(const std::string& provider) {
    CostProfile profile;
    profile.provider = provider;
    profile.machine = "host, 2 x a processor = fast";
    profile.date = "2026-01-02T03:04:05Z";
    double value = 0.125;
    for (RmaCosts& rma : profile.constants.rma) {
        rma.latency_us = value *= 1.5;
        rma.far_byte_us = 0.25 * value;
        for (double& block_us : rma.blocks.block_us) {
            block_us = value *= 1.5;
        }
    }
    profile.constants.server = {
        {{3, 4, 5e-5, 0.25, 0}, {6, 7, 8e-5, 1, 2e-5}, {9, 10, 1.1e-4, 0, 3e-5, 12}}};
    profile.constants.pack.block_us = {1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3};
    profile.constants.unpack.block_us = {1e-4, 2e-4, 3e-4, 4e-4, 5e-4, 6e-4};
    profile.constants.accumulate.block_us = {1e-2, 2e-2, 3e-2, 4e-2, 5e-2, 6e-2};
    return profile;
}

void expect_equal(const CostConstants& a, const CostConstants& b) {
    for (size_t i = 0; i < a.rma.size(); ++i) {
        EXPECT_NEAR(a.rma[i].latency_us, b.rma[i].latency_us, 1e-5 * a.rma[i].latency_us);
        EXPECT_NEAR(a.rma[i].far_byte_us, b.rma[i].far_byte_us, 1e-5 * a.rma[i].far_byte_us);
        for (size_t k = 0; k < kRmaBlockBytes.size(); ++k) {
            EXPECT_NEAR(a.rma[i].blocks.block_us[k], b.rma[i].blocks.block_us[k],
                        1e-5 * a.rma[i].blocks.block_us[k]);
        }
    }
    for (size_t i = 0; i < a.server.size(); ++i) {
        EXPECT_EQ(a.server[i].request_us, b.server[i].request_us);
        EXPECT_EQ(a.server[i].chunk_us, b.server[i].chunk_us);
        EXPECT_EQ(a.server[i].byte_us, b.server[i].byte_us);
        EXPECT_EQ(a.server[i].overlap, b.server[i].overlap);
        EXPECT_EQ(a.server[i].far_byte_us, b.server[i].far_byte_us);
        EXPECT_EQ(a.server[i].small_us, b.server[i].small_us);
    }
    EXPECT_EQ(a.pack.block_us, b.pack.block_us);
    EXPECT_EQ(a.unpack.block_us, b.unpack.block_us);
    EXPECT_EQ(a.accumulate.block_us, b.accumulate.block_us);
}

// The error for a text that must be refused.
std::string refusal(const std::string& text) {
    std::vector<CostProfile> profiles;
    std::string error;
    EXPECT_FALSE(parse_profiles(text, &profiles, &error)) << text;
    return error;
}

std::string replaced(std::string text, const std::string& old, const std::string& with) {
    const size_t place = text.find(old);
    EXPECT_NE(place, std::string::npos) << old;
    return text.replace(place, old.size(), with);
}

TEST(CostProfile, ReadsBackWhatItWrote) {
    const CostProfile written = example("tcp;ofi_rxm");
    std::vector<CostProfile> profiles;
    std::string error;
    ASSERT_TRUE(parse_profiles(format_profile(written), &profiles, &error)) << error;
    ASSERT_EQ(profiles.size(), 1U);
    EXPECT_EQ(profiles[0].provider, "tcp;ofi_rxm");
    EXPECT_EQ(profiles[0].machine, written.machine);
    EXPECT_EQ(profiles[0].date, written.date);
    expect_equal(written.constants, profiles[0].constants);
}

TEST(CostProfile, IgnoresBlanksCommentsAndLineEndStyle) {
    std::string text = format_profile(example("shm"));
    for (size_t place = 0; (place = text.find('\n', place)) != std::string::npos; place += 3) {
        text.replace(place, 1, " \r\n");
    }
    text = "\n  # a comment = 1\n\t\n" + text;
    std::vector<CostProfile> profiles;
    std::string error;
    ASSERT_TRUE(parse_profiles(text, &profiles, &error)) << error;
    EXPECT_EQ(profiles[0].provider, "shm");
}

TEST(CostProfile, JoinedFilesHaveAnEntryForEachProvider) {
    std::vector<CostProfile> profiles;
    std::string error;
    const std::string text = format_profile(example("shm")) + format_profile(example("tcp"));
    ASSERT_TRUE(parse_profiles(text, &profiles, &error)) << error;
    ASSERT_EQ(profiles.size(), 2U);
    EXPECT_EQ(profiles[0].provider, "shm");
    EXPECT_EQ(profiles[1].provider, "tcp");
    EXPECT_THAT(refusal(text + format_profile(example("shm"))), HasSubstr("second entry for shm"));
}

TEST(CostProfile, RefusesAnotherVersion) {
    const std::string text = format_profile(example("tcp"));
    EXPECT_THAT(refusal(replaced(text, "version = 1", "version = 2")),
                HasSubstr("line 2 says version 2, but this library reads version 1"));
    EXPECT_THAT(refusal(replaced(text, "version = 1\n", "")), HasSubstr("before the version"));
    // The second part of a joined file is checked as well.
    EXPECT_THAT(refusal(text + "version = 7\n"), HasSubstr("version 7"));
}

TEST(CostProfile, RefusesMalformedLinesWithTheirNumber) {
    const std::string text = format_profile(example("tcp"));
    EXPECT_THAT(refusal("version = 1\nnonsense\n"), HasSubstr("line 2 is not"));
    EXPECT_THAT(refusal("version = 1\n\npack.8.run_us = 1\n"),
                HasSubstr("line 3 comes before the provider"));
    EXPECT_THAT(refusal("version = 1\nprovider =\n"), HasSubstr("names no provider"));
    EXPECT_THAT(refusal(replaced(text, "pack.8.run_us", "pack.9.run_us")),
                HasSubstr("pack.9.run_us, which is unknown"));
    EXPECT_THAT(refusal(text + "pack.8.run_us = 1\n"), HasSubstr("there twice"));
}

TEST(CostProfile, RefusesInvalidCosts) {
    const std::string text = format_profile(example("tcp"));
    for (const char* value : {"", "fast", "-1", "nan", "inf", "1e10", "3x", "0x10", "1 2"}) {
        EXPECT_THAT(refusal(replaced(text, "server.put.chunk_us = 4",
                                     std::string("server.put.chunk_us = ") + value)),
                    HasSubstr("no usable number for server.put.chunk_us"))
            << value;
    }
    EXPECT_THAT(refusal(replaced(text, "server.put.overlap = 0.25", "server.put.overlap = 1.5")),
                HasSubstr("server.put.overlap"));
}

TEST(CostProfile, RefusesAMissingValue) {
    const std::string text = format_profile(example("tcp"));
    EXPECT_THAT(refusal(replaced(text, "server.acc.request_us = 9\n", "")),
                HasSubstr("it has no server.acc.request_us for tcp"));
    EXPECT_THAT(refusal("version = 1\nprovider = tcp\n"),
                HasSubstr("it has no rma.put.latency_us"));
}

TEST(CostProfile, RefusesAFileWithoutAnEntry) {
    for (const char* text : {"", "\n\n", "# only this\n", "version = 1\n"}) {
        EXPECT_THAT(refusal(text), HasSubstr("it has no entry")) << text;
    }
}

TEST(CopyCosts, MeasuresEveryPoint) {
    CostConstants constants;
    ASSERT_TRUE(measure_copies(64 << 10, 0, &constants));
    for (const CopyCurve* curve : {&constants.pack, &constants.unpack, &constants.accumulate}) {
        for (const double block_us : curve->block_us) {
            EXPECT_GT(block_us, 0);
            EXPECT_TRUE(std::isfinite(block_us));
        }
    }
}

}  // namespace
}  // namespace armci::pipeline::test
