// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/options/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armci::bench {
namespace {

using Arguments = std::vector<std::string_view>;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(BenchOptions, DefaultsAreConsistent) {
    Options options;
    EXPECT_THAT(parse_options({}, &options), IsEmpty());
    EXPECT_THAT(check_job_size(options, 1), IsEmpty());
    EXPECT_FALSE(options.ops.empty());
    EXPECT_THAT(options.modes, ElementsAre(Mode::latency, Mode::stream, Mode::window));
    EXPECT_FALSE(options.sizes.empty());
    EXPECT_FALSE(options.strided_sizes.empty());
    EXPECT_FALSE(options.blocks.empty());
}

TEST(BenchOptions, AcceptsValuesAfterEqualsOrAsNextArgument) {
    Options options;
    EXPECT_THAT(parse_options({"--sizes=8,1K", "--window", "7", "--target-busy"}, &options),
                IsEmpty());
    EXPECT_THAT(options.sizes, ElementsAre(8, 1024));
    EXPECT_THAT(options.strided_sizes, ElementsAre(8, 1024));
    EXPECT_EQ(options.window, 7);
    EXPECT_EQ(options.target_wait, TargetWait::busy);
}

TEST(BenchOptions, ReadsEveryKindOfValue) {
    Options options;
    EXPECT_THAT(parse_options({"--ops",           "rmw,put", "--modes",         "window",
                               "--runs",          "64",      "--dims",          "2,3",
                               "--segments",      "10",      "--stride-factor", "4",
                               "--local",         "dense",   "--local-memory",  "malloc",
                               "--segment-order", "mixed",   "--type",          "dcomplex",
                               "--scale",         "-1.5",    "--handles",       "explicit",
                               "--pattern",       "pair",    "--busy-limit",    "3",
                               "--repeat",        "5",       "--min-time",      "0",
                               "--csv",           "-",       "--json",          "x.json",
                               "--raw-provider",  "tcp",     "--raw-peer",      "wait",
                               "--working-set",   "2K",      "--place-order",   "mixed",
                               "--hold",          "20",      "--list",          "--interleave"},
                              &options),
                IsEmpty());
    EXPECT_THAT(options.ops,
                ElementsAre(Op::fetch_add, Op::swap, Op::fetch_add_contended, Op::put));
    EXPECT_THAT(options.modes, ElementsAre(Mode::window));
    EXPECT_THAT(options.blocks, ElementsAre(64));
    EXPECT_THAT(options.dims, ElementsAre(2, 3));
    EXPECT_THAT(options.segments, ElementsAre(10));
    EXPECT_EQ(options.stride_factor, 4);
    EXPECT_TRUE(options.local_dense);
    EXPECT_TRUE(options.local_malloc);
    EXPECT_TRUE(options.mixed_segments);
    EXPECT_EQ(options.working_set_bytes, 2048);
    EXPECT_TRUE(options.mixed_places);
    EXPECT_EQ(options.hold_us, 20);
    EXPECT_EQ(options.type, ElementType::complex128);
    EXPECT_EQ(options.scale, -1.5);
    EXPECT_EQ(options.handles, Handles::one_each);
    EXPECT_EQ(options.pattern, Pattern::pair);
    EXPECT_EQ(options.busy_limit_s, 3);
    EXPECT_EQ(options.repeat, 5);
    EXPECT_EQ(options.min_time_ms, 0);
    EXPECT_EQ(options.csv_path, "-");
    EXPECT_EQ(options.json_path, "x.json");
    EXPECT_EQ(options.raw_provider, "tcp");
    EXPECT_EQ(options.raw_peer, RawPeer::wait);
    EXPECT_TRUE(options.interleave);
    EXPECT_TRUE(options.list);
}

TEST(BenchOptions, AllSelectsEveryOperationOnce) {
    Options options;
    EXPECT_THAT(parse_options({"--ops", "all"}, &options), IsEmpty());
    EXPECT_EQ(options.ops.size(), static_cast<size_t>(Op::overlap_acc_strided) + 1);
    for (size_t i = 0; i < options.ops.size(); i++) {
        EXPECT_EQ(options.ops[i], static_cast<Op>(i));
    }
}

TEST(BenchOptions, ErrorsNameTheWrongArgument) {
    const std::vector<std::pair<Arguments, const char*>> cases = {
        {{"--sizes", "8X"}, "--sizes"},
        {{"--sizes"}, "--sizes: 1 required LIST missing"},
        {{"--sizes="}, "--sizes= needs a value"},
        {{"--interleave=1"}, "interleave"},
        {{"--ops", "put,bogus"}, "'put,bogus'"},
        {{"--ops", ""}, "--ops"},
        {{"--modes", "fast"}, "--modes"},
        {{"--dims", "0"}, "--dims"},
        {{"--dims", "9"}, "--dims"},
        {{"--window", "0"}, "--window"},
        {{"--repeat", "0"}, "--repeat"},
        {{"--scale", "2x"}, "--scale"},
        {{"--scale", ""}, "--scale"},
        {{"--type", "short"}, "--type"},
        {{"--local", "sparse"}, "--local"},
        {{"--segment-order", "odd"}, "--segment-order"},
        {{"--working-set", "0"}, "--working-set"},
        {{"--working-set", "much"}, "--working-set"},
        {{"--place-order", "odd"}, "--place-order"},
        {{"--hold", "-1"}, "--hold"},
        {{"--local-memory", "gpu"}, "--local-memory"},
        {{"--handles", "none"}, "--handles"},
        {{"--raw-peer", "sleepy"}, "--raw-peer"},
        {{"--raw-provider", ""}, "--raw-provider"},
        {{"--target", "-1"}, "--target"},
        {{"--nonsense"}, "not expected: --nonsense"},
        {{"--nonsense=1"}, "not expected: --nonsense"},
        {{"extra"}, "not expected: extra"},
    };
    for (const auto& [arguments, expected] : cases) {
        Options options;
        EXPECT_THAT(parse_options(arguments, &options), HasSubstr(expected)) << arguments[0];
    }
}

TEST(BenchOptions, LastValueOfARepeatedOptionCounts) {
    Options options;
    EXPECT_THAT(parse_options({"--window", "3", "--sizes=8", "--window=4"}, &options), IsEmpty());
    EXPECT_EQ(options.window, 4);
}

TEST(BenchOptions, HelpListsEveryOption) {
    Options options;
    EXPECT_THAT(parse_options({"--help"}, &options), IsEmpty());
    EXPECT_TRUE(options.help);
    for (const char* text : {"usage: mpiexec -n RANKS armci-bench", "--help", "--ops LIST",
                             "--target RANK", "--list", "Output:", "Times are per operation"}) {
        EXPECT_THAT(usage_text(), HasSubstr(text));
    }
}

TEST(BenchOptions, RefusesContradictions) {
    Options options;
    EXPECT_THAT(parse_options({"--type", "int", "--scale", "0.5"}, &options), HasSubstr("--scale"));
    EXPECT_THAT(parse_options({"--type", "float", "--scale", "inf"}, &options),
                HasSubstr("--scale"));
    EXPECT_THAT(parse_options({"--pattern", "all", "--target", "1"}, &options),
                HasSubstr("--target"));
    EXPECT_THAT(parse_options({"--csv", "-", "--json", "-"}, &options), HasSubstr("--csv"));
}

TEST(BenchOptions, ChecksAgainstTheSizeOfTheJob) {
    Options options;
    ASSERT_THAT(parse_options({"--target", "2"}, &options), IsEmpty());
    EXPECT_THAT(check_job_size(options, 3), IsEmpty());
    EXPECT_THAT(check_job_size(options, 2), HasSubstr("--target"));
    ASSERT_THAT(parse_options({"--pattern", "half", "--ops", "acc,acc-strided"}, &options),
                IsEmpty());
    EXPECT_THAT(check_job_size(options, 1), HasSubstr("--pattern half"));
    EXPECT_THAT(check_job_size(options, 2), IsEmpty());
    EXPECT_TRUE(has_passive_targets(options, 4));
    EXPECT_THAT(parse_options({"--pattern", "half", "--ops", "acc,put"}, &options),
                HasSubstr("--pattern half"));
    for (const char* scale : {"0.5", "1001", "-1001"}) {
        EXPECT_THAT(
            parse_options({"--pattern", "half", "--ops", "acc", "--scale", scale}, &options),
            HasSubstr("--pattern half"));
    }
    EXPECT_THAT(parse_options({"--pattern", "half", "--ops", "acc", "--scale", "-1000"}, &options),
                IsEmpty());
    EXPECT_THAT(parse_options({"--pattern", "half", "--help"}, &options), IsEmpty());
    ASSERT_THAT(parse_options({"--pattern", "pair"}, &options), IsEmpty());
    EXPECT_THAT(check_job_size(options, 2), IsEmpty());
    EXPECT_THAT(check_job_size(options, 1), HasSubstr("--pattern"));
    ASSERT_THAT(parse_options({"--target-busy"}, &options), IsEmpty());
    EXPECT_THAT(check_job_size(options, 2), IsEmpty());
    EXPECT_THAT(check_job_size(options, 1), HasSubstr("--target-busy"));
    ASSERT_THAT(parse_options({"--target-busy", "--pattern", "all"}, &options), IsEmpty());
    EXPECT_THAT(check_job_size(options, 2), HasSubstr("--target-busy"));
    ASSERT_THAT(parse_options({"--target-wait", "asleep", "--pattern", "all"}, &options),
                IsEmpty());
    EXPECT_EQ(options.target_wait, TargetWait::asleep);
    EXPECT_THAT(check_job_size(options, 2), HasSubstr("asleep"));
}

TEST(BenchOptions, EveryModeHasAName) {
    Options options;
    EXPECT_THAT(
        parse_options({"--modes", "latency,stream,window,latency-serial,stream-serial"}, &options),
        IsEmpty());
    ASSERT_THAT(options.modes, ElementsAre(Mode::latency, Mode::stream, Mode::window,
                                           Mode::latency_serial, Mode::stream_serial));
    for (const Mode mode : options.modes) {
        EXPECT_EQ(is_serial(mode), std::string_view(mode_name(mode)).ends_with("-serial"));
        EXPECT_THAT(mode_name(mode), HasSubstr(mode_name(plain_mode(mode))));
    }
}

}  // namespace
}  // namespace armci::bench
