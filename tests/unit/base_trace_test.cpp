// SPDX-License-Identifier: BSD-3-Clause
#include "base/trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace armci::base::test {
namespace {

constexpr TraceKind kThing{"things", "thing"};

TraceEvent numbered(int64_t number) {
    return {.kind = &kThing, .begin_ns = 1, .end_ns = 2, .number = number};
}

// Leaves the process without a timeline, which is the default.
class Trace : public testing::Test {
  protected:
    ~Trace() override { forget_trace(); }
};

TEST_F(Trace, RingsKeepTheNewestEventsAndCountTheDropped) {
    constexpr size_t kCapacity = 8;
    constexpr uint64_t kMax = kCapacity - 1;
    for (const uint64_t count : {0U, 1U, 6U, 7U, 8U, 9U, 100U}) {
        TraceRing ring(kCapacity);
        for (uint64_t i = 0; i < count; ++i) {
            ring.push(numbered(static_cast<int64_t>(i)));
        }
        ASSERT_EQ(ring.kept(), std::min(count, kMax));
        EXPECT_EQ(ring.dropped(), count - ring.kept());
        for (uint64_t i = 0; i < ring.kept(); ++i) {
            EXPECT_EQ(ring.at(i).number, static_cast<int64_t>(count - ring.kept() + i));
        }
    }
}

TEST_F(Trace, ReadFailsForOverwrittenEvents) {
    TraceRing ring(8);
    for (int64_t i = 0; i < 20; ++i) {
        ring.push(numbered(i));
    }
    for (uint64_t number = 0; number < 20; ++number) {
        TraceEvent event;
        ASSERT_EQ(ring.read(number, &event), number >= 13) << number;
        EXPECT_TRUE(number < 13 || event.number == static_cast<int64_t>(number));
    }
}

TEST_F(Trace, DropsEventsWithoutMemory) {
    TraceRing ring(0);
    ring.push(numbered(1));
    EXPECT_EQ(ring.kept(), 0U);
    EXPECT_EQ(ring.dropped(), 1U);
}

TEST_F(Trace, RecordsNothingWhileOff) {
    EXPECT_FALSE(is_tracing());
    EXPECT_EQ(trace_ns(), 0);
    { const TraceSpan span(kThing); }
    name_trace_thread("program");
    EXPECT_TRUE(trace_threads().empty());
}

TEST_F(Trace, SpanIsAnEventWithBeginAndEnd) {
    start_trace();
    const int64_t before = now_ns();
    { const TraceSpan span(kThing, "of mine", 3); }
    const int64_t after = now_ns();
    stop_trace();
    { const TraceSpan span(kThing); }
    ASSERT_EQ(trace_threads().size(), 1U);
    const TraceThread& thread = *trace_threads()[0];
    EXPECT_EQ(thread.name, "program");
    ASSERT_EQ(thread.ring.kept(), 1U);
    const TraceEvent event = thread.ring.at(0);
    EXPECT_EQ(event.kind, &kThing);
    EXPECT_STREQ(event.name, "of mine");
    EXPECT_EQ(event.rank, 3);
    EXPECT_LE(before, event.begin_ns);
    EXPECT_LE(event.begin_ns, event.end_ns);
    EXPECT_LE(event.end_ns, after);
}

TEST_F(Trace, IgnoresSpansThatBeganBeforeTheTrace) {
    {
        const TraceSpan span(kThing);
        start_trace();
    }
    EXPECT_EQ(trace_threads()[0]->ring.kept(), 0U);
}

TEST_F(Trace, EachThreadHasItsOwnRing) {
    constexpr int kThreads = 4;
    constexpr int kEvents = 1000;
    start_trace();
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([i] {
            if (i == 0) {
                name_trace_thread("data server");
            }
            for (int event = 0; event < kEvents; ++event) {
                record(numbered(i * kEvents + event));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    ASSERT_EQ(trace_threads().size(), size_t{kThreads} + 1);
    int named = 0;
    for (size_t i = 1; i < trace_threads().size(); ++i) {
        const TraceThread& thread = *trace_threads()[i];
        ASSERT_EQ(thread.number, static_cast<int>(i));
        ASSERT_EQ(thread.ring.kept(), static_cast<uint64_t>(kEvents));
        const int64_t first = thread.ring.at(0).number;
        named += first == 0 && thread.name == "data server" ? 1 : 0;
        EXPECT_TRUE(first == 0 || thread.name == "thread " + std::to_string(i)) << thread.name;
        for (int event = 0; event < kEvents; ++event) {
            ASSERT_EQ(thread.ring.at(static_cast<uint64_t>(event)).number, first + event);
        }
    }
    EXPECT_EQ(named, 1);
}

// A program that starts threads all the time must not use more and more memory.
TEST_F(Trace, CountsEventsOfThreadsBeyondTheLimit) {
    constexpr size_t kFurther = 10;
    start_trace();
    for (size_t i = 1; i < kMaxTraceThreads + kFurther; ++i) {
        std::thread([] { record(numbered(1)); }).join();
    }
    const std::vector<const TraceThread*> threads = trace_threads();
    ASSERT_EQ(threads.size(), kMaxTraceThreads + 1);
    for (size_t i = 1; i < kMaxTraceThreads; ++i) {
        EXPECT_EQ(threads[i]->ring.kept(), 1U);
    }
    EXPECT_EQ(threads.back()->ring.kept(), 0U);
    EXPECT_EQ(threads.back()->ring.dropped(), kFurther);
}

// Every value that an arrow's number depends on changes it.
TEST_F(Trace, ArrowsHaveNumbersOfTheirOwn) {
    std::set<uint64_t> numbers;
    size_t count = 0;
    for (const int origin : {0, 1, 100'000}) {
        for (const int server : {0, 1, 4095}) {
            for (const uint64_t position : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 40}) {
                numbers.insert(arrow_of_frame(origin, server, position));
                numbers.insert(arrow_of_answer(origin, server, 1, position));
                numbers.insert(arrow_of_answer(origin, server, uint64_t{1} << 32, position));
                count += 3;
            }
        }
    }
    EXPECT_EQ(numbers.size(), count);
    EXPECT_FALSE(numbers.contains(0)) << "0 is no arrow";
    EXPECT_EQ(arrow_of_frame(3, 4, 5), arrow_of_frame(3, 4, 5));
}

TEST_F(Trace, RecordsTheValueOfACounter) {
    start_trace();
    record_counter(kThing, 42);
    const TraceEvent event = trace_threads()[0]->ring.at(0);
    EXPECT_EQ(event.kind, &kThing);
    EXPECT_EQ(event.number, 42);
    EXPECT_GT(event.begin_ns, 0);
}

// A thread that has recorded before must not write to its old ring.
TEST_F(Trace, StartsAgainAfterItWasStopped) {
    for (int time = 0; time < 3; ++time) {
        start_trace();
        record(numbered(time));
        ASSERT_EQ(trace_threads().size(), 1U);
        ASSERT_EQ(trace_threads()[0]->ring.kept(), 1U);
        EXPECT_EQ(trace_threads()[0]->ring.at(0).number, time);
        forget_trace();
        EXPECT_TRUE(trace_threads().empty());
    }
}

}  // namespace
}  // namespace armci::base::test
