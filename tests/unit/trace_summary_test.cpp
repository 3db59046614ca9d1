// SPDX-License-Identifier: BSD-3-Clause
// What armci-trace sums up, on a timeline of which all sums are known.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "armci-trace/activity.h"
#include "armci-trace/durations.h"
#include "armci-trace/event_reader.h"
#include "armci-trace/html.h"
#include "armci-trace/json.h"
#include "armci-trace/plots.h"
#include "armci-trace/summary.h"
#include "armci-trace/text.h"
#include "trace_file_of_text.h"

namespace armci::trace::test {
namespace {

// Two ranks: rank 0 puts twice to rank 1 and copies once inside the node to rank 2, which has no
// file. Rank 1 has the data server.
constexpr const char* kRank0 = R"([
{"ph":"M","pid":100,"tid":100,"name":"process_name","args":{"name":"rank 0 on a"}},
{"ph":"M","pid":100,"tid":100,"name":"thread_name","args":{"name":"program"}},
{"ph":"X","pid":100,"tid":100,"ts":10,"dur":100,"cat":"call","name":"ARMCI_Put","args":{"bytes":1000,"rank":1}},
{"ph":"X","pid":100,"tid":100,"ts":20,"dur":60,"cat":"wait","name":"wait for completion at rank","args":{"rank":1}},
{"ph":"X","pid":100,"tid":100,"ts":30,"dur":40,"cat":"wait","name":"asleep","args":{}},
{"ph":"X","pid":100,"tid":100,"ts":12,"dur":4,"cat":"pack","name":"pack","args":{"bytes":1000,"node":1,"chunk":2}},
{"ph":"b","pid":100,"tid":100,"ts":16,"id2":{"local":"0x1"},"cat":"stall","name":"stall: no buffer is free","args":{}},
{"ph":"e","pid":100,"tid":100,"ts":18,"id2":{"local":"0x1"},"cat":"stall","name":"stall: no buffer is free"},
{"ph":"X","pid":100,"tid":100,"ts":200,"dur":300,"cat":"call","name":"ARMCI_Put","args":{"bytes":3000,"rank":1}},
{"ph":"X","pid":100,"tid":100,"ts":510,"dur":50,"cat":"copy","name":"copy of a get","args":{"bytes":500,"rank":2}},
{"ph":"X","pid":100,"tid":100,"ts":600,"dur":20,"cat":"call","name":"ARMCI_Barrier","args":{}},
{"ph":"C","pid":100,"tid":100,"ts":12,"name":"bytes","args":{"under way":1000}},
{"ph":"C","pid":100,"tid":100,"ts":80,"name":"bytes","args":{"under way":0}}
])";
constexpr const char* kRank1 = R"([
{"ph":"M","pid":200,"tid":200,"name":"process_name","args":{"name":"rank 1 on b"}},
{"ph":"M","pid":200,"tid":201,"name":"thread_name","args":{"name":"data server"}},
{"ph":"M","pid":200,"tid":200,"name":"process_labels","args":{"labels":"7 earlier events dropped","dropped":7}},
{"ph":"X","pid":200,"tid":201,"ts":40,"dur":30,"cat":"server","name":"turn of the data server","args":{}},
{"ph":"X","pid":200,"tid":201,"ts":50,"dur":10,"cat":"execute","name":"unpack","args":{"bytes":1000,"rank":0,"chunk":2}},
{"ph":"X","pid":200,"tid":201,"ts":70,"dur":900,"cat":"wait","name":"asleep","args":{}},
{"ph":"X","pid":200,"tid":200,"ts":600,"dur":400,"cat":"call","name":"ARMCI_Barrier","args":{}},
{"ph":"C","pid":200,"tid":200,"ts":12,"name":"bytes","args":{"under way":77}}
])";

Summary sum_of(const std::vector<const char*>& texts) {
    Summary summary;
    for (const char* text : texts) {
        const FileOfText file(text);
        EventReader reader(file.path());
        Event event;
        while (reader.next(&event)) {
            summary.add(event);
        }
    }
    return summary;
}

// A microsecond of rank 0.
Event span_of(const char* category, const char* name) {
    Event event;
    event.kind = Event::Kind::span;
    event.rank = 0;
    event.category = category;
    event.name = name;
    event.duration_ns = 1000;
    return event;
}

TEST(TraceSummary, SumsWaitsForRanks) {
    Summary summary;
    summary.add(span_of("wait", "wait for a fence of rank"));
    summary.add(span_of("wait", "wait for a message of any rank"));
    const auto& waits = summary.works(Group::wait);
    ASSERT_EQ(waits.size(), 2U);
    EXPECT_EQ(waits.count("wait for a fence of a rank"), 1U);
    EXPECT_EQ(waits.count("wait for a message of any rank"), 1U);
}

TEST(TraceSummary, SumsTimeByName) {
    const Summary summary = sum_of({kRank0, kRank1});
    const Work& put = summary.works(Group::call).at("ARMCI_Put");
    EXPECT_EQ(put.time.count(), 2);
    EXPECT_EQ(put.time.total_ns(), 400'000);
    EXPECT_EQ(put.time.min_ns(), 100'000);
    EXPECT_EQ(put.time.mean_ns(), 200'000);
    EXPECT_EQ(put.time.max_ns(), 300'000);
    EXPECT_EQ(put.bytes, 4000);
    const auto calls = summary.by_time(Group::call);
    ASSERT_EQ(calls.size(), 2U);
    EXPECT_EQ(calls[0].first, "ARMCI_Barrier") << "420 µs";
    EXPECT_EQ(calls[0].second->time.total_ns(), 420'000);
    EXPECT_EQ(summary.works(Group::wait).size(), 2U);
    EXPECT_EQ(summary.works(Group::wait).at("wait for completion at a rank").time.total_ns(),
              60'000);
    EXPECT_EQ(summary.works(Group::wait).at("asleep").time.total_ns(), 40'000)
        << "that of a data server is no wait";
    const auto& stages = summary.works(Group::stage);
    ASSERT_EQ(stages.size(), 3U);
    EXPECT_EQ(stages.at("pack").time.total_ns(), 4'000);
    EXPECT_EQ(stages.at("unpack").time.total_ns(), 10'000);
    EXPECT_EQ(stages.at("copy of a get").time.total_ns(), 50'000);
    EXPECT_EQ(summary.works(Group::stall).at("stall: no buffer is free").time.total_ns(), 2'000);
    EXPECT_EQ(summary.begin_ns(), 10'000);
    EXPECT_EQ(summary.end_ns(), 1'000'000);
    EXPECT_EQ(summary.event_count(), 12);
    EXPECT_EQ(summary.dropped_count(), 7);
}

TEST(TraceSummary, KnowsTheLoadOfRanks) {
    const Summary summary = sum_of({kRank0, kRank1});
    const RankLoad& first = summary.ranks().at(0);
    EXPECT_EQ(first.host, "a");
    EXPECT_EQ(first.calls_ns, 420'000);
    EXPECT_EQ(first.waits_ns, 60'000);
    EXPECT_EQ(first.server_ns, 0);
    EXPECT_EQ(first.sent_bytes, 4500);
    EXPECT_EQ(first.received_bytes, 0);
    const RankLoad& second = summary.ranks().at(1);
    EXPECT_EQ(second.host, "b");
    EXPECT_EQ(second.calls_ns, 400'000);
    EXPECT_EQ(second.waits_ns, 0);
    EXPECT_EQ(second.server_ns, 30'000);
    EXPECT_EQ(second.received_bytes, 4000);
    EXPECT_FALSE(summary.ranks().at(2).has_events);
    const Balance calls = balance_of(summary, kLoads[0]);
    EXPECT_EQ(calls.min, 400'000);
    EXPECT_EQ(calls.min_rank, 1);
    EXPECT_EQ(calls.mean, 410'000) << "of ranks with a file";
    EXPECT_EQ(calls.max, 420'000);
    EXPECT_EQ(calls.max_rank, 0);
}

TEST(TraceSummary, KnowsWhoCommunicatesWithWhom) {
    const Summary summary = sum_of({kRank0, kRank1});
    ASSERT_EQ(summary.traffic().size(), 2U);
    const Traffic put = summary.traffic().at({0, 1});
    EXPECT_EQ(put.transfers, 2);
    EXPECT_EQ(put.bytes, 4000);
    const Traffic copy = summary.traffic().at({0, 2});
    EXPECT_EQ(copy.transfers, 1);
    EXPECT_EQ(copy.bytes, 500);
}

TEST(TraceSummary, KnowsTheRangeOfCounters) {
    const Summary summary = sum_of({kRank0, kRank1});
    const CounterRange range = summary.counters().at("bytes under way");
    EXPECT_EQ(range.min, 0);
    EXPECT_EQ(range.min_rank, 0);
    EXPECT_EQ(range.max, 1000);
    EXPECT_EQ(range.max_rank, 0);
}

TEST(TraceSummary, KeepsTheTenSlowestTransfersInEveryOrder) {
    std::vector<Event> events;
    for (int i = 0; i < 100; ++i) {
        Event event;
        event.rank = 0;
        event.category = "call";
        event.name = "ARMCI_Put";
        event.bytes = 8;
        event.other_rank = 1;
        event.begin_ns = i;
        event.duration_ns = 1000 * (i % 50);  // each twice
        events.push_back(event);
    }
    std::vector<int64_t> begins;
    for (int order = 0; order < 3; ++order) {
        Summary summary;
        for (size_t i = 0; i < events.size(); ++i) {
            summary.add(events[order == 0 ? i : order == 1 ? 99 - i : i * 37 % 100]);
        }
        ASSERT_EQ(summary.slowest().size(), Summary::kSlowest);
        std::vector<int64_t> found;
        for (size_t i = 0; i < Summary::kSlowest; ++i) {
            EXPECT_EQ(summary.slowest()[i].duration_ns, 1000 * (49 - static_cast<int64_t>(i) / 2));
            found.push_back(summary.slowest()[i].begin_ns);
        }
        EXPECT_TRUE(begins.empty() || begins == found);
        begins = found;
    }
}

TEST(TraceSummary, WritesJson) {
    const auto json = nlohmann::json::parse(to_json(sum_of({kRank0, kRank1})));
    EXPECT_EQ(json["events"], 12);
    EXPECT_EQ(json["dropped_events"], 7);
    EXPECT_EQ(json["calls"][1]["name"], "ARMCI_Put");
    EXPECT_EQ(json["calls"][1]["total_ns"], 400'000);
    EXPECT_EQ(json["stages"].size(), 3U);
    EXPECT_EQ(json["slowest_transfers"][0]["duration_ns"], 300'000);
    EXPECT_EQ(json["slowest_transfers"][2]["name"], "copy of a get");
    EXPECT_EQ(json["balance"]["calls_ns"]["max_rank"], 0);
    EXPECT_EQ(json["ranks"].size(), 2U);
    EXPECT_EQ(json["ranks"][1]["host"], "b");
    EXPECT_EQ(json["traffic"][0]["bytes"], 4000);
    EXPECT_EQ(json["counters"][0]["max"], 1000);
}

// A file of another program may have any bytes.
TEST(TraceSummary, WritesJsonOfNamesThatAreNotUtf8) {
    Event event;
    event.rank = 0;
    event.category = "call";
    event.name = "ARMCI_\xff";
    Summary summary;
    summary.add(event);
    const auto json = nlohmann::json::parse(to_json(summary));
    EXPECT_EQ(json["calls"][0]["name"], "ARMCI_\xef\xbf\xbd");
}

TEST(TraceSummary, WritesText) {
    Summary summary = sum_of({kRank0, kRank1});
    summary.note_cut_off("t.1.json");
    summary.note_missing({2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    const std::string text = to_text(summary);
    for (const char* part : {"12 events of 2 ranks, from 10.0 us to 1.00 ms",
                             "7 events had been dropped", "t.1.json ends in the middle",
                             "There is no file of ranks 2, 3, 4, 5, 6, 7, 8, 9 and 2 more of the "
                             "job; sums are without",
                             "ARMCI_Barrier                               2     420 us",
                             "Slowest transfers", "3.91 KiB", "time in calls"}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    }
}

TEST(TraceSummary, WritesAPageThatNeedsNothingElse) {
    const Event event = span_of("call", "<b>&\"");
    Summary summary = sum_of({kRank0, kRank1});
    summary.add(event);
    const std::string html = to_html(summary, "a < b");
    EXPECT_EQ(html.find("http"), std::string::npos) << "nothing from elsewhere";
    EXPECT_EQ(html.find("src="), std::string::npos);
    EXPECT_EQ(html.find("<b>&\""), std::string::npos) << "names are escaped";
    EXPECT_NE(html.find("&lt;b&gt;&amp;&quot;"), std::string::npos);
    EXPECT_NE(html.find("<title>a &lt; b</title>"), std::string::npos);
    size_t plots = 0;
    for (size_t place = 0; (place = html.find("<svg", place)) != std::string::npos; ++place) {
        ++plots;
    }
    EXPECT_EQ(plots, 7U) << "activity, calls, waits, stages, stalls, load, matrix";
}

TEST(TraceSummary, LongNamesKeepColumnsInLine) {
    Event event = span_of("wait", "");
    Summary summary;
    for (const char* name : {"asleep", "wait for a message or a collective operation of MPI"}) {
        event.name = name;
        summary.add(event);
    }
    const std::string text = to_text(summary);
    const std::string title = "\nWaits ";
    const size_t heads = text.find(title) + 1;
    const size_t end_of_count = text.find("count", heads) + 5 - heads;
    for (const char* name :
         {"\nasleep ", "\nwait for a message or a collective operation of MPI "}) {
        const size_t line = text.find(name) + 1;
        EXPECT_EQ(text.substr(line + end_of_count - 3, 3), "  1") << text;
    }
}

// Operations under way are many more than threads, whose curves would be flat beside theirs.
TEST(TraceSummary, StagesOverTimeHaveAnAxisOfTheirOwn) {
    Event event = span_of("call", "ARMCI_Put");
    Summary summary;
    summary.add(event);
    const auto axes_of = [](const std::string& plot) {
        size_t axes = 0;
        for (size_t place = 0; (place = plot.find(">0</text>", place)) != std::string::npos;
             ++place) {
            ++axes;
        }
        return axes;
    };
    EXPECT_EQ(axes_of(plot_activity(summary)), 1U) << "nothing of stages";
    const auto calls_of = [](const std::string& plot) {
        const size_t begin = plot.find("<polyline class=\"l0\"");
        return plot.substr(begin, plot.find("/>", begin) - begin);
    };
    const std::string calls = calls_of(plot_activity(summary));
    EXPECT_FALSE(calls.empty());
    event.category = "transmit";
    for (int chunk = 0; chunk < 30; ++chunk) {
        summary.add(event);
    }
    const std::string plot = plot_activity(summary);
    EXPECT_EQ(axes_of(plot), 2U);
    EXPECT_EQ(calls_of(plot), calls);
}

// Stalls have no curve, so bins need not reach until there.
TEST(TraceSummary, PlotsNoActivityOfLateStalls) {
    for (const int64_t begin_ns : {int64_t{1'000'000}, int64_t{3'000'000'000'000}}) {
        Event event;
        event.rank = 0;
        event.category = "stall";
        event.begin_ns = begin_ns;
        Summary summary;
        summary.add(event);
        EXPECT_EQ(plot_activity(summary), "") << begin_ns;
    }
}

// No plot may fail for want of events, and many ranks share cells.
TEST(TraceSummary, PlotsEveryNumberOfRanks) {
    const Summary nothing;
    EXPECT_EQ(plot_activity(nothing) + plot_load(nothing) + plot_traffic(nothing) +
                  plot_group(nothing, Group::call),
              "");
    for (const int ranks : {1, 64, 65, 1000}) {
        Summary summary;
        for (int rank = 0; rank < ranks; ++rank) {
            Event event;
            event.rank = rank;
            event.category = "call";
            event.name = "ARMCI_Put";
            event.duration_ns = 1000;
            event.bytes = 8;
            event.other_rank = (rank + 1) % ranks;
            summary.add(event);
        }
        const std::string plot = plot_traffic(summary);
        const std::string neighbour = ranks <= 64 ? "rank 0 to rank " : "to ranks ";
        EXPECT_NE(plot.find(neighbour), std::string::npos) << ranks;
        EXPECT_EQ(plot.find("nan"), std::string::npos) << ranks;
        EXPECT_EQ(plot_load(summary).find("nan"), std::string::npos) << ranks;
    }
}

TEST(TraceDurations, HaveQuantilesWithinSevenPercent) {
    Durations durations;
    EXPECT_EQ(durations.quantile_ns(0.5), 0);
    for (int64_t ns = 1; ns <= 100'000; ++ns) {
        durations.add(ns);
    }
    EXPECT_EQ(durations.count(), 100'000);
    EXPECT_EQ(durations.total_ns(), int64_t{50'000} * 100'001);
    for (const double part : {0.01, 0.5, 0.95, 0.99}) {
        EXPECT_NEAR(static_cast<double>(durations.quantile_ns(part)), part * 1e5,
                    0.07 * part * 1e5);
    }
    EXPECT_EQ(durations.quantile_ns(1), 100'000);
}

TEST(TraceDurations, AreExactForFewAndSmall) {
    Durations durations;
    for (const int64_t ns : {5, 1, 3, -2}) {
        durations.add(ns);
    }
    EXPECT_EQ(durations.min_ns(), 0) << "clocks of two hosts differ a little";
    EXPECT_EQ(durations.quantile_ns(0.5), 1);
    EXPECT_EQ(durations.quantile_ns(0.99), 5);
    durations.add(INT64_MAX);
    EXPECT_EQ(durations.max_ns(), INT64_MAX);
    EXPECT_EQ(durations.total_ns(), INT64_MAX);
    EXPECT_GT(durations.quantile_ns(1), INT64_MAX / 10 * 9);
}

TEST(TraceActivity, SharesTimeAmongBinsAndWidensThem) {
    Activity activity;
    activity.add(500, 2500);
    EXPECT_EQ(activity.width_ns(), 1000);
    EXPECT_EQ(activity.level(0), 0.5);
    EXPECT_EQ(activity.level(1), 1.0);
    EXPECT_EQ(activity.level(2), 0.5);
    EXPECT_EQ(activity.level(3), 0);
    activity.add(-100, 400'000);
    EXPECT_EQ(activity.width_ns(), 2000);
    EXPECT_EQ(activity.level(0), 0.75 + 1);
    EXPECT_EQ(activity.level(1), 0.25 + 1);
    EXPECT_EQ(activity.level(199), 1);
    EXPECT_EQ(activity.level(200), 0);
    activity.widen_to(8000);
    EXPECT_EQ(activity.level(0), 0.25 + 1);
}

}  // namespace
}  // namespace armci::trace::test
