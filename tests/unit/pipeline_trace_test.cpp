// SPDX-License-Identifier: BSD-3-Clause
// What the timeline records of transfers: each chunk once at each stage, in order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/trace.h"
#include "server_fixture.h"
#include "transfer_pattern.h"

namespace armci::test {
namespace {

using base::OpKind;
using base::Route;
using base::TraceEvent;

constexpr int64_t kBytes = 1 << 20;

// The events of that category and name, of all threads, by chunk or offset.
std::map<int64_t, TraceEvent> events_of(const std::string& category, const std::string& name) {
    std::map<int64_t, TraceEvent> events;
    for (const base::TraceThread* thread : base::trace_threads()) {
        for (uint64_t i = 0; i < thread->ring.kept(); ++i) {
            const TraceEvent event = thread->ring.at(i);
            if (event.kind->category == category &&
                event.kind->name + std::string(event.name) == name) {
                EXPECT_TRUE(events.emplace(event.number, event).second)
                    << name << " " << event.number << " is there twice";
            }
        }
    }
    return events;
}

// The values of a counter, in the order of time.
std::vector<int64_t> values_of(const base::TraceKind& kind) {
    std::multimap<int64_t, int64_t> values;
    for (const base::TraceThread* thread : base::trace_threads()) {
        for (uint64_t i = 0; i < thread->ring.kept(); ++i) {
            const TraceEvent event = thread->ring.at(i);
            if (event.kind == &kind) {
                values.emplace(event.begin_ns, event.number);
            }
        }
    }
    std::vector<int64_t> ordered;
    for (const auto& [time, value] : values) {
        ordered.push_back(value);
    }
    return ordered;
}

int64_t bytes_of(const std::map<int64_t, TraceEvent>& events) {
    int64_t bytes = 0;
    for (const auto& [number, event] : events) {
        bytes += event.bytes;
    }
    return bytes;
}

class PipelineTrace : public testing::Test {
  protected:
    PipelineTrace() { base::start_trace(); }
    ~PipelineTrace() override { base::forget_trace(); }

    // Waits until all threads have recorded their events. The data server records when the provider
    // reports that a chunk has left, which may be after the origin has received the chunk.
    static void transfer(const Operation& operation, Route route) {
        NetworkOptions options;
        options.memory_bytes = kBytes;
        options.server_threads = true;
        TestNetwork network(options);
        ASSERT_EQ(network.error(), "");
        std::vector<char> local(kBytes);
        network.wait(*network.start(0, 0, route,
                                    make_transfer(operation, contiguous_pattern(kBytes, 0, 0),
                                                  local.data(), network.memory(0))));
        network.fence_all();
        network.wait_until([&] { return network.origin(0).load().posts == 0; });
        network.server(0).fall_silent();
        network.wait_until([&] { return network.server(0).has_fallen_silent(); });
        network.server(0).stop();
    }

    static void expect_stages(const char* last) {
        const auto packed = events_of("pack", "pack");
        const auto sent = events_of("transmit", "transmit");
        const auto executed = events_of("execute", last);
        EXPECT_GT(packed.size(), 4U);
        ASSERT_EQ(packed.size(), sent.size());
        ASSERT_EQ(packed.size(), executed.size());
        EXPECT_EQ(bytes_of(packed), kBytes);
        EXPECT_EQ(bytes_of(sent), kBytes);
        EXPECT_EQ(bytes_of(executed), kBytes);
        for (const auto& [number, pack] : packed) {
            ASSERT_TRUE(sent.contains(number) && executed.contains(number)) << number;
            EXPECT_EQ(pack.bytes, sent.at(number).bytes);
            EXPECT_EQ(pack.bytes, executed.at(number).bytes);
            EXPECT_LE(pack.begin_ns, pack.end_ns);
            EXPECT_LE(pack.end_ns, sent.at(number).begin_ns);
            EXPECT_LE(sent.at(number).begin_ns, sent.at(number).end_ns);
            EXPECT_LE(pack.end_ns, executed.at(number).begin_ns);
            EXPECT_LE(executed.at(number).begin_ns, executed.at(number).end_ns);
        }
        expect_arrows(packed, executed);
    }

    // Each chunk has an arrow of its own from where it was packed to where it was unpacked.
    static void expect_arrows(const std::map<int64_t, TraceEvent>& packed,
                              const std::map<int64_t, TraceEvent>& executed) {
        std::set<uint64_t> arrows;
        for (const auto& [number, pack] : packed) {
            EXPECT_NE(pack.arrow, 0U);
            EXPECT_EQ(pack.kind->arrow, base::TraceArrow::begin);
            EXPECT_EQ(pack.arrow, executed.at(number).arrow);
            EXPECT_EQ(executed.at(number).kind->arrow, base::TraceArrow::end);
            EXPECT_TRUE(arrows.insert(pack.arrow).second) << number;
        }
    }

    // What is under way grows from 0 to no more than the whole transfer, and ends at 0.
    static void expect_under_way() {
        const std::vector<int64_t> values = values_of(base::kTraceUnderWay);
        ASSERT_FALSE(values.empty());
        EXPECT_GT(values.front(), 0);
        EXPECT_EQ(values.back(), 0);
        for (const int64_t value : values) {
            EXPECT_GE(value, 0);
            EXPECT_LE(value, kBytes);
        }
    }
};

TEST_F(PipelineTrace, RecordsEachStageOfAPut) {
    transfer({OpKind::put}, Route::server);
    expect_stages("unpack");
    expect_under_way();
}

TEST_F(PipelineTrace, CountsFreeBuffersAndGrants) {
    transfer({OpKind::put}, Route::server);
    const std::vector<int64_t> free_bytes = values_of(base::kTraceFreeBuffers);
    ASSERT_GT(free_bytes.size(), 1U);
    const auto [least, most] = std::minmax_element(free_bytes.begin(), free_bytes.end());
    EXPECT_LT(*least, *most);
    EXPECT_EQ(free_bytes.back(), *most) << "all are free at the end";
    const std::vector<int64_t> granted = values_of(base::kTraceGranted);
    ASSERT_GT(granted.size(), 1U);
    EXPECT_GE(*std::min_element(granted.begin(), granted.end()), 0);
    const std::vector<int64_t> free_count = values_of(base::kTraceFreeRecvBuffers);
    ASSERT_GT(free_count.size(), 1U);
    EXPECT_GE(*std::min_element(free_count.begin(), free_count.end()), 0);
}

TEST_F(PipelineTrace, RecordsEachStageOfAnAccumulate) {
    transfer({OpKind::acc}, Route::server);
    expect_stages("accumulate");
}

TEST_F(PipelineTrace, RecordsEachStageOfAGet) {
    transfer({OpKind::get}, Route::server);
    expect_stages("unpack");
    expect_under_way();
}

TEST_F(PipelineTrace, RecordsRemoteMemoryAccess) {
    transfer({OpKind::put}, Route::rma);
    int64_t bytes = 0;
    for (const base::TraceThread* thread : base::trace_threads()) {
        for (uint64_t i = 0; i < thread->ring.kept(); ++i) {
            const TraceEvent event = thread->ring.at(i);
            if (event.kind == &base::kTraceRma) {
                EXPECT_STREQ(event.name, "write");
                EXPECT_LE(event.begin_ns, event.end_ns);
                bytes += event.bytes;
            }
        }
    }
    EXPECT_EQ(bytes, kBytes);
    expect_under_way();
}

TEST_F(PipelineTrace, RecordsTheStatesOfATaskOneAfterTheOther) {
    transfer({OpKind::put}, Route::server);
    const auto queued = events_of("task", "task queued");
    const auto posting = events_of("task", "task posting");
    const auto in_flight = events_of("task", "task in flight");
    constexpr int64_t kUs = 1000;  // times are rounded to that
    for (const auto* state : {&queued, &posting, &in_flight}) {
        ASSERT_TRUE(state->contains(1));
        EXPECT_LE(state->at(1).begin_ns, state->at(1).end_ns);
    }
    EXPECT_NEAR(queued.at(1).end_ns, posting.at(1).begin_ns, kUs);
    EXPECT_NEAR(posting.at(1).end_ns, in_flight.at(1).begin_ns, kUs);
    EXPECT_TRUE(events_of("task", "task created").empty());
    EXPECT_TRUE(events_of("task", "task complete").empty());
}

}  // namespace
}  // namespace armci::test
