// SPDX-License-Identifier: BSD-3-Clause
#include "base/trace_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace armci::base::test {
namespace {

constexpr TraceKind kPlain{"things", "thing"};
constexpr TraceKind kNamed{"things", "a "};
constexpr TraceKind kApart{"others", "far", true, "offset"};
constexpr TraceKind kFrom{.category = "things", .name = "from", .arrow = TraceArrow::begin};
constexpr TraceKind kTo{
    .category = "things", .name = "to", .overlaps = true, .arrow = TraceArrow::end};
constexpr TraceKind kCounter{
    .category = "counter", .name = "level", .number = "of water", .is_counter = true};

// Tests are named after base::TraceFile, which this fixture tests.
class TraceFile : public testing::Test {
  protected:
    TraceFile() : process_{.rank = 7, .ranks = 16, .host = "node1", .clock = {}} {}

    TraceThread& add_thread(const std::string& name, size_t capacity = 16) {
        threads_.push_back(std::make_unique<TraceThread>(capacity));
        threads_.back()->number = static_cast<int>(threads_.size()) - 1;
        threads_.back()->name = name;
        return *threads_.back();
    }

    std::vector<const TraceThread*> threads() const {
        std::vector<const TraceThread*> threads;
        for (const auto& thread : threads_) {
            threads.push_back(thread.get());
        }
        return threads;
    }

    static std::string text_of(int fd) {
        std::string text(static_cast<size_t>(lseek(fd, 0, SEEK_END)), '\0');
        EXPECT_EQ(pread(fd, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
        return text;
    }

    std::string written() const {
        const int fd = memfd_create("trace", MFD_CLOEXEC);
        base::TraceFile file(fd, process_);
        file.append(threads());
        EXPECT_EQ(file.error(), 0);
        return text_of(fd);
    }

    TraceProcess process_;
    std::vector<std::unique_ptr<TraceThread>> threads_;
};

constexpr const char* kProcess =
    R"({"ph":"M","pid":800,"tid":800,"name":"process_name","args":{"name":"rank 7 on node1","ranks":16,"run":"0x0"}},
{"ph":"M","pid":800,"tid":800,"name":"process_sort_index","args":{"sort_index":7}})";

TEST_F(TraceFile, WritesALineForEachEventAndName) {
    TraceThread& thread = add_thread("program");
    thread.ring.push({.kind = &kPlain, .begin_ns = 1'234'567, .end_ns = 1'234'568});
    thread.ring.push({.kind = &kNamed,
                      .name = "b",
                      .begin_ns = 5,
                      .end_ns = 2'000'005,
                      .bytes = 8,
                      .number = 0,
                      .rank = 1,
                      .node = 2});
    add_thread("data server");
    EXPECT_EQ(written(), std::string("[\n") + kProcess + R"(,
{"ph":"M","pid":800,"tid":800,"name":"thread_name","args":{"name":"program"}},
{"ph":"M","pid":800,"tid":800,"name":"thread_sort_index","args":{"sort_index":0}},
{"ph":"X","pid":800,"tid":800,"ts":1234.567,"dur":0.001,"cat":"things","name":"thing","args":{}},
{"ph":"X","pid":800,"tid":800,"ts":0.005,"dur":2000.000,"cat":"things","name":"a b","args":{"bytes":8,"rank":1,"node":2,"chunk":0}},
{"ph":"M","pid":800,"tid":801,"name":"thread_name","args":{"name":"data server"}},
{"ph":"M","pid":800,"tid":801,"name":"thread_sort_index","args":{"sort_index":1}}
]
)");
}

TEST_F(TraceFile, WritesOverlappingEventsAsBeginAndEndWithAnId) {
    TraceThread& thread = add_thread("program");
    thread.ring.push({.kind = &kApart, .begin_ns = 1000, .end_ns = 4000, .number = 64});
    thread.ring.push({.kind = &kApart, .begin_ns = 2000, .end_ns = 3000});
    EXPECT_EQ(written(), std::string("[\n") + kProcess + R"(,
{"ph":"M","pid":800,"tid":800,"name":"thread_name","args":{"name":"program"}},
{"ph":"M","pid":800,"tid":800,"name":"thread_sort_index","args":{"sort_index":0}},
{"ph":"b","pid":800,"tid":800,"ts":1.000,"id2":{"local":"0x1"},"cat":"others","name":"far","args":{"offset":64}},
{"ph":"e","pid":800,"tid":800,"ts":4.000,"id2":{"local":"0x1"},"cat":"others","name":"far"},
{"ph":"b","pid":800,"tid":800,"ts":2.000,"id2":{"local":"0x2"},"cat":"others","name":"far","args":{}},
{"ph":"e","pid":800,"tid":800,"ts":3.000,"id2":{"local":"0x2"},"cat":"others","name":"far"}
]
)");
}

TEST_F(TraceFile, WritesWhereArrowsBeginAndEnd) {
    TraceThread& thread = add_thread("program");
    thread.ring.push({.kind = &kFrom, .begin_ns = 1000, .end_ns = 2000, .arrow = 0xab12});
    thread.ring.push({.kind = &kTo, .begin_ns = 3000, .end_ns = 4000, .arrow = 0xab12});
    thread.ring.push({.kind = &kFrom, .begin_ns = 5000, .end_ns = 6000});
    thread.ring.push({.kind = &kPlain, .begin_ns = 7000, .end_ns = 8000, .arrow = 0xab12});
    const std::string text = written();
    for (
        const char* line :
        {R"("ts":1.000,"dur":1.000,"cat":"things","name":"from","bind_id":"0xab12","flow_out":true,"args":{}})",
         R"("ts":3.000,"id2":{"local":"0x1"},"cat":"things","name":"to","bind_id":"0xab12","flow_in":true,"args":{}})",
         R"("ts":4.000,"id2":{"local":"0x1"},"cat":"things","name":"to"})",
         R"("ts":5.000,"dur":1.000,"cat":"things","name":"from","args":{}})",
         R"("ts":7.000,"dur":1.000,"cat":"things","name":"thing","args":{}})"}) {
        EXPECT_NE(text.find(line), std::string::npos) << line << text;
    }
}

TEST_F(TraceFile, WritesCountersOfTheProcess) {
    add_thread("program");
    TraceThread& thread = add_thread("data server");
    thread.ring.push({.kind = &kCounter, .begin_ns = 2500, .end_ns = 2500, .number = 7});
    thread.ring.push({.kind = &kCounter, .begin_ns = 3500, .end_ns = 3500, .number = 0});
    const std::string text = written();
    for (const char* line :
         {R"({"ph":"C","pid":800,"tid":800,"ts":2.500,"name":"level","args":{"of water":7}})",
          R"({"ph":"C","pid":800,"tid":800,"ts":3.500,"name":"level","args":{"of water":0}})"}) {
        EXPECT_NE(text.find(line), std::string::npos) << line << text;
    }
}

TEST_F(TraceFile, EscapesNames) {
    process_.host = "a\"b\\c";
    TraceThread& thread = add_thread("line\nbreak\x01");
    thread.ring.push({.kind = &kNamed, .name = "\t\"q\" \\ ü"});
    const std::string text = written();
    EXPECT_NE(text.find(R"("name":"rank 7 on a\"b\\c",)"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("name":"line\u000abreak\u0001")"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("name":"a \u0009\"q\" \\ ü")"), std::string::npos) << text;
}

TEST_F(TraceFile, WritesLongNamesCompletely) {
    const std::string name(100'000, 'x');
    add_thread(name);
    EXPECT_NE(written().find(R"({"name":")" + name + R"("}})"), std::string::npos);
}

// By it armci-trace tells files of an earlier run.
TEST_F(TraceFile, WritesTheRunAsTheBeginningOfTheTimeline) {
    process_.clock.zero_ns = 0x1234567890abcdef;
    EXPECT_NE(written().find(R"("ranks":16,"run":"0x1234567890abcdef"}})"), std::string::npos);
}

TEST_F(TraceFile, WritesTheNumberOfDroppedEvents) {
    for (const char* name : {"program", "data server"}) {
        TraceThread& thread = add_thread(name, 4);
        for (int i = 0; i < 5; ++i) {
            thread.ring.push({.kind = &kPlain});
        }
    }
    EXPECT_NE(written().find(R"("name":"process_labels","args":{"labels":)"
                             R"("4 earlier events dropped","dropped":4}})"),
              std::string::npos);
}

// The text is longer than one write.
TEST_F(TraceFile, WritesMoreEventsThanItsBufferHolds) {
    constexpr size_t kEvents = 10'000;
    TraceThread& thread = add_thread("program", 16'384);
    for (size_t i = 0; i < kEvents; ++i) {
        thread.ring.push({.kind = &kPlain, .number = static_cast<int64_t>(i)});
    }
    const std::string text = written();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), static_cast<long>(kEvents) + 6);
    size_t place = 0;
    for (size_t i = 0; i < kEvents; ++i) {
        place = text.find("\"chunk\":" + std::to_string(i) + "}}", place);
        ASSERT_NE(place, std::string::npos) << i;
    }
    EXPECT_TRUE(text.ends_with("}\n]\n"));
}

TEST_F(TraceFile, ReportsAFullDisk) {
    add_thread("program");
    const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    ASSERT_GE(full, 0);
    const base::TraceFile file(full, process_);
    EXPECT_EQ(file.error(), ENOSPC);
}

TEST_F(TraceFile, IsCompleteAfterEachWrite) {
    const int fd = memfd_create("trace", MFD_CLOEXEC);
    base::TraceFile file(fd, process_);
    EXPECT_EQ(text_of(fd), std::string("[\n") + kProcess + "\n]\n");
    TraceThread& thread = add_thread("program");
    for (int time = 0; time < 3; ++time) {
        thread.ring.push({.kind = &kPlain, .number = time});
        file.append(threads());
        file.append(threads());  // nothing new
        EXPECT_EQ(file.events(), static_cast<uint64_t>(time) + 1);
        EXPECT_EQ(file.missing(), 0U);
    }
    EXPECT_EQ(text_of(fd), written()) << "the same as written at once";
}

TEST_F(TraceFile, CountsEventsDroppedBeforeItReadThem) {
    const int fd = memfd_create("trace", MFD_CLOEXEC);
    base::TraceFile file(fd, process_);
    file.append(threads());
    TraceThread& thread = add_thread("program", 4);
    for (int i = 0; i < 5; ++i) {
        thread.ring.push({.kind = &kPlain});
    }
    file.append(threads());  // two had been dropped before the thread was seen
    EXPECT_EQ(file.events(), 3U);
    EXPECT_EQ(file.missing(), 2U);
    for (int i = 0; i < 10; ++i) {
        thread.ring.push({.kind = &kPlain});
    }
    file.append(threads());
    EXPECT_EQ(file.events(), 6U);
    EXPECT_EQ(file.missing(), 9U);
}

// A thread records all the time, in a ring that it fills again and again. No event that is read may
// be a mixture of two.
TEST_F(TraceFile, ReadsConsistentEventsWhileThreadsRecord) {
    constexpr int64_t kEvents = 300'000;
    static constexpr const char* kNames[] = {"even", "odd"};
    const int fd = memfd_create("trace", MFD_CLOEXEC);
    base::TraceFile file(fd, process_);
    TraceThread& thread = add_thread("program", 64);
    std::atomic<bool> is_done{false};
    const auto record = [&](int64_t first, int64_t end) {
        for (int64_t i = first; i < end; ++i) {
            thread.ring.push({.kind = &kNamed,
                              .name = kNames[i % 2],
                              .begin_ns = i,
                              .end_ns = 2 * i,
                              .bytes = i,
                              .number = i});
        }
    };
    std::thread writer([&] {
        record(0, kEvents);
        is_done.store(true);
    });
    while (!is_done.load()) {
        file.append(threads());
    }
    writer.join();
    // How many of those were read depends on timing. The following events are recorded while no
    // reader interferes.
    constexpr int64_t kLast = 10;
    record(kEvents, kEvents + kLast);
    file.append(threads());
    EXPECT_LE(file.events() + file.missing(), static_cast<uint64_t>(kEvents + kLast));
    EXPECT_GE(file.events(), static_cast<uint64_t>(kLast));
    std::istringstream lines(text_of(fd));
    uint64_t events = 0;
    for (std::string line; std::getline(lines, line);) {
        const size_t place = line.find("\"bytes\":");
        if (place == std::string::npos) {
            continue;
        }
        const int64_t i = std::atoll(line.c_str() + place + 8);
        char expected[300];
        std::snprintf(expected, sizeof expected,
                      R"("ts":%lld.%03d,"dur":%lld.%03d,"cat":"things","name":"a %s","args":)"
                      R"({"bytes":%lld,"chunk":%lld}})",
                      static_cast<long long>(i / 1000), static_cast<int>(i % 1000),
                      static_cast<long long>(i / 1000), static_cast<int>(i % 1000), kNames[i % 2],
                      static_cast<long long>(i), static_cast<long long>(i));
        ASSERT_NE(line.find(expected), std::string::npos) << line;
        ++events;
    }
    EXPECT_EQ(events, file.events());
}

TEST_F(TraceFile, ConvertsTimesToTheClockOfTheJob) {
    process_.clock = {.zero_ns = 1'000'000, .begin_ns = 500, .offset_ns = 1'000'000};
    TraceThread& thread = add_thread("program");
    thread.ring.push({.kind = &kPlain, .begin_ns = 600, .end_ns = 700});
    thread.ring.push({.kind = &kPlain, .begin_ns = -1'100, .end_ns = 200});  // before the beginning
    const std::string text = written();
    EXPECT_NE(text.find(R"("ts":0.600,"dur":0.100)"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("ts":-1.100,"dur":1.300)"), std::string::npos) << text;
}

// The clocks of two hosts run at different speeds.
TEST_F(TraceFile, InterpolatesTheClockOffsetBetweenMeasurements) {
    const TraceClock clock{
        .zero_ns = 10, .begin_ns = 1'000, .offset_ns = 100, .end_ns = 2'000, .end_offset_ns = 200};
    EXPECT_EQ(clock.to_job(1'000), 1'090);
    EXPECT_EQ(clock.to_job(1'500), 1'640);
    EXPECT_EQ(clock.to_job(2'000), 2'190);
}

}  // namespace
}  // namespace armci::base::test
