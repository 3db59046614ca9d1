// SPDX-License-Identifier: BSD-3-Clause
// Times of calls, as a running job reports them.
#include "core/job/call_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "core/job/observed_calls.h"
#include "lifecycle/rank_report.h"

namespace armci::core::test {
namespace {

constexpr const char* kPut = "ARMCI_Put";
constexpr const char* kGet = "ARMCI_Get";

// Leaves the process without times, which is the default.
class CallTimesTest : public testing::Test {
  protected:
    CallTimesTest() { reset_call_times(); }
    ~CallTimesTest() override {
        time_calls(false);
        reset_call_times();
    }
};

TEST_F(CallTimesTest, CountsByFunctionAndRoute) {
    for (const int64_t ns : {100, 300, 200}) {
        count_call(kPut, base::Route::local, ns);
    }
    count_call(kPut, base::Route::server, 5000);
    count_call(kGet, base::Route::rma, 7000);
    const std::vector<CallTimes> calls = call_times();
    ASSERT_EQ(calls.size(), 3U);
    EXPECT_STREQ(calls[0].function, kGet);
    EXPECT_EQ(calls[0].route, base::Route::rma);
    EXPECT_STREQ(calls[1].function, kPut);
    EXPECT_EQ(calls[1].route, base::Route::local);
    EXPECT_EQ(calls[1].count, 3U);
    EXPECT_EQ(calls[1].total_ns, 600U);
    EXPECT_EQ(calls[1].min_ns, 100U);
    EXPECT_EQ(calls[1].max_ns, 300U);
    EXPECT_EQ(calls[2].route, base::Route::server);
    EXPECT_EQ(calls[2].min_ns, 5000U);
}

TEST_F(CallTimesTest, HasABucketForEachPowerOfTwo) {
    for (const int64_t ns : {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{3}, int64_t{4},
                             int64_t{1023}, int64_t{1024}, INT64_MAX}) {
        count_call(kPut, base::Route::local, ns);
    }
    const CallTimes times = call_times().at(0);
    EXPECT_EQ(times.buckets[0], 2U) << "0 and 1";
    EXPECT_EQ(times.buckets[1], 2U) << "2 and 3";
    EXPECT_EQ(times.buckets[2], 1U);
    EXPECT_EQ(times.buckets[9], 1U) << "1023";
    EXPECT_EQ(times.buckets[10], 1U);
    EXPECT_EQ(times.buckets[CallTimes::kBuckets - 1], 1U) << "the last one has all longer ones";
}

TEST_F(CallTimesTest, AddsUpWhatAllThreadsCounted) {
    constexpr int kThreads = 4;
    constexpr int kCalls = 1000;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([i] {
            for (int call = 0; call < kCalls; ++call) {
                count_call(kPut, base::Route::local, 10 + i);
            }
        });
    }
    uint64_t seen = 0;  // while they count
    for (const CallTimes& times : call_times()) {
        seen += times.count;
    }
    EXPECT_LE(seen, uint64_t{kThreads} * kCalls);
    for (std::thread& thread : threads) {
        thread.join();
    }
    const std::vector<CallTimes> calls = call_times();
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls[0].count, uint64_t{kThreads} * kCalls);
    EXPECT_EQ(calls[0].total_ns, uint64_t{10 + 11 + 12 + 13} * kCalls);
    EXPECT_EQ(calls[0].min_ns, 10U);
    EXPECT_EQ(calls[0].max_ns, 13U);
}

// As a report of a running rank reads them.
TEST_F(CallTimesTest, AreConsistentWhileAThreadCounts) {
    std::atomic<bool> is_over{false};
    std::thread counter([&] {
        for (int64_t ns = 1; !is_over.load(); ns = ns % 5000 + 1) {
            count_call(kPut, base::Route::rma, ns);
        }
    });
    uint64_t seen = 0;
    while (seen < 200'000 && !HasFailure()) {
        for (const CallTimes& times : call_times()) {
            EXPECT_EQ(
                std::accumulate(std::begin(times.buckets), std::end(times.buckets), uint64_t{0}),
                times.count);
            EXPECT_LE(times.min_ns, times.max_ns);
            EXPECT_GE(times.total_ns, times.count);
            EXPECT_GE(times.count, seen);
            seen = times.count;
        }
    }
    is_over = true;
    counter.join();
}

// Names beyond the room share a row, so that memory is bounded and no call is lost.
TEST_F(CallTimesTest, HasARowForAllFurtherFunctions) {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> made;
        for (int i = 0; i < 100; ++i) {
            made.push_back("function " + std::to_string(i));
        }
        return made;
    }();
    std::thread([] {
        for (const std::string& name : names) {
            count_call(name.c_str(), base::Route::local, 1);
        }
    }).join();
    uint64_t count = 0;
    uint64_t further = 0;
    for (const CallTimes& times : call_times()) {
        count += times.count;
        further += std::string(times.function) == "further functions" ? times.count : 0;
    }
    EXPECT_EQ(count, names.size());
    EXPECT_GT(further, 0U);
}

TEST_F(CallTimesTest, CallsAreObservedOnlyIfThatIsOn) {
    EXPECT_FALSE(observes_calls());
    begin_observed_call();
    end_observed_call(kPut);
    EXPECT_TRUE(call_times().empty());
    time_calls(true);
    EXPECT_TRUE(observes_calls());
    begin_observed_call();
    end_observed_call(kPut);
    begin_observed_call();
    note_transfer(1, 8, base::Route::rma);
    end_observed_call(kPut);
    begin_observed_call();
    end_observed_call(kPut);
    const std::vector<CallTimes> calls = call_times();
    ASSERT_EQ(calls.size(), 2U);
    EXPECT_EQ(calls[0].count, 2U) << "the route of one call is not that of the next";
    EXPECT_EQ(calls[1].route, base::Route::rma);
    EXPECT_EQ(calls[1].count, 1U);
}

TEST_F(CallTimesTest, AreWrittenAsTextAndJson) {
    count_call(kPut, base::Route::server, 1500);
    count_call(kPut, base::Route::server, 500);
    count_call(kGet, base::Route::local, 0);
    const std::string text = lifecycle::calls_as_text(call_times());
    EXPECT_NE(text.find("ARMCI_Put                server           2     500 ns       1 us     "
                        "1.5 us  256 ns: 1, 1.02 us: 1\n"),
              std::string::npos)
        << text;
    EXPECT_EQ(
        lifecycle::calls_as_json(call_times()),
        R"([{"function":"ARMCI_Get","count":1,"min_ns":0,"mean_ns":0.0,"max_ns":0,)"
        R"("histogram":[{"from_ns":0,"count":1}]},)"
        R"({"function":"ARMCI_Put","route":"server","count":2,"min_ns":500,"mean_ns":1000.0,)"
        R"("max_ns":1500,"histogram":[{"from_ns":256,"count":1},{"from_ns":1024,"count":1}]}])");
    EXPECT_EQ(lifecycle::calls_as_json({}), "[]");
}

}  // namespace
}  // namespace armci::core::test
