// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/reporting/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace armci::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// What write_json() writes.
std::string document_of(const Machine& machine, const Options& options,
                        const std::vector<Result>& results) {
    std::FILE* file = std::tmpfile();
    write_json(file, machine, options, results);
    std::string text(static_cast<size_t>(std::ftell(file)), '\0');
    std::rewind(file);
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
    std::fclose(file);
    return text;
}

Result result_of(Op op, double median_us) {
    Result result;
    result.row = {op, Mode::latency, contiguous_shape(64)};
    result.actor_count = 1;
    result.values = {median_us, median_us};
    result.microseconds.median = median_us;
    return result;
}

TEST(BenchJson, StringsAreEscaped) {
    Machine machine;
    machine.cpu = "a\"b\\c";
    machine.kernel = "a\nb\x01";
    machine.mpi = "\xc3\xa9";
    machine.tcp_congestion_control = "cubic";
    machine.environment = {{"ARMCI_PROVIDER", "tcp;\"x\""}};
    const std::string text = document_of(machine, {}, {});
    EXPECT_THAT(text, AllOf(HasSubstr("\"a\\\"b\\\\c\""), HasSubstr("\"a\\nb\\u0001\""),
                            HasSubstr("\"\xc3\xa9\"")));
    const nlohmann::json document = nlohmann::json::parse(text);
    EXPECT_EQ(document["machine"]["cpu"], machine.cpu);
    EXPECT_EQ(document["machine"]["kernel"], machine.kernel);
    EXPECT_EQ(document["machine"]["tcp_congestion_control"], "cubic");
    EXPECT_EQ(document["machine"]["environment"]["ARMCI_PROVIDER"], "tcp;\"x\"");
}

TEST(BenchJson, TextThatIsNotUtf8IsReplaced) {
    Machine machine;
    machine.cpu = "a\xff";
    const std::string text = document_of(machine, {}, {});
    EXPECT_EQ(nlohmann::json::parse(text)["machine"]["cpu"], "a\xef\xbf\xbd");
}

TEST(BenchJson, RowsHaveTheirValuesAndComparisons) {
    const std::vector<Result> results = {result_of(Op::put, 2), result_of(Op::raw_put, 1)};
    const nlohmann::json document = nlohmann::json::parse(document_of({}, {}, results));
    EXPECT_EQ(document["format"], 1);
    ASSERT_EQ(document["rows"].size(), 2U);
    EXPECT_EQ(document["rows"][0]["operation"], "put");
    EXPECT_EQ(document["rows"][0]["bytes"], 64);
    EXPECT_EQ(document["rows"][0]["median_us"], 2.0);
    EXPECT_EQ(document["rows"][0]["values_us"], (std::vector<double>{2, 2}));
    EXPECT_FALSE(document["rows"][0].contains("hidden"));
    ASSERT_EQ(document["comparisons"].size(), 1U);
    EXPECT_EQ(document["comparisons"][0]["row"], 0);
    EXPECT_EQ(document["comparisons"][0]["base"], 1);
    EXPECT_EQ(document["comparisons"][0]["base_name"], "raw-put");
    EXPECT_EQ(document["comparisons"][0]["rate_ratio"], 0.5);
}

TEST(BenchJson, PercentilesOfTooFewValuesAreNull) {
    Result few = result_of(Op::put, 2);
    Result many = few;
    few.microseconds = tools::summarize({1, 2, 3});
    many.microseconds = tools::summarize(std::vector<double>(100, 4));
    const nlohmann::json rows = nlohmann::json::parse(document_of({}, {}, {few, many}))["rows"];
    EXPECT_TRUE(rows[0]["p95_us"].is_null());
    EXPECT_TRUE(rows[0]["p99_us"].is_null());
    EXPECT_EQ(rows[1]["p95_us"], 4.0);
    EXPECT_EQ(rows[1]["p99_us"], 4.0);
}

TEST(BenchJson, FailedRowsHaveErrorsAndNoTimes) {
    Result result = result_of(Op::put, 2);
    result.status = Status::wrong;
    result.errors = 7;
    const nlohmann::json document = nlohmann::json::parse(document_of({}, {}, {result}));
    EXPECT_EQ(document["rows"][0]["status"], "wrong");
    EXPECT_EQ(document["rows"][0]["errors"], 7);
    EXPECT_FALSE(document["rows"][0].contains("median_us"));
}

TEST(BenchJson, NumbersThatAreNotFiniteAreNull) {
    const std::vector<Result> results = {
        result_of(Op::put, std::numeric_limits<double>::infinity())};
    const nlohmann::json document = nlohmann::json::parse(document_of({}, {}, results));
    EXPECT_TRUE(document["rows"][0]["median_us"].is_null());
    EXPECT_TRUE(document["settings"]["scale"].is_number());
}

}  // namespace
}  // namespace armci::bench
