// SPDX-License-Identifier: BSD-3-Clause
// How armci-trace reads files: as the library writes them, as other programs join them, and files
// that are broken.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "armci-trace/event_reader.h"
#include "armci-trace/selection.h"
#include "trace_file_of_text.h"

namespace armci::trace::test {
namespace {

struct Read {
    std::vector<Event> events;
    std::vector<std::string> sources;
    bool is_cut_off = false;
    std::string error;  // empty: none
};

Read read(const std::string& text) {
    const FileOfText file(text);
    Read result;
    try {
        EventReader reader(file.path());
        reader.keep_source();
        Event event;
        while (reader.next(&event)) {
            result.events.push_back(event);
            result.sources.push_back(reader.source());
        }
        result.is_cut_off = reader.is_cut_off();
    } catch (const TraceError& error) {
        result.error = error.what();
    }
    return result;
}

constexpr const char* kCall =
    R"({"ph":"X","pid":300,"tid":301,"ts":1234.567,"dur":2.005,"cat":"call","name":"ARMCI_Put","bind_id":"0x1","flow_out":true,"args":{"bytes":64,"rank":5}})";

TEST(TraceReader, ReadsWhatTheLibraryWrites) {
    const Read read_file = read(std::string("[\n") + kCall + R"(,
{"ph":"C","pid":300,"tid":300,"ts":-0.001,"name":"bytes","args":{"under way":4096}},
{"ph":"M","pid":300,"tid":300,"name":"process_name","args":{"name":"rank 2 on a\"b\u000a\\","ranks":16,"run":"0xfedcba9876543210"}}
]
)");
    EXPECT_EQ(read_file.error, "");
    ASSERT_EQ(read_file.events.size(), 3U);
    const Event& call = read_file.events[0];
    EXPECT_EQ(call.kind, Event::Kind::span);
    EXPECT_EQ(call.rank, 2);
    EXPECT_EQ(call.thread, 301);
    EXPECT_EQ(call.begin_ns, 1'234'567);
    EXPECT_EQ(call.duration_ns, 2'005);
    EXPECT_EQ(call.end_ns(), 1'236'572);
    EXPECT_EQ(call.category, "call");
    EXPECT_EQ(call.name, "ARMCI_Put");
    EXPECT_EQ(call.bytes, 64);
    EXPECT_EQ(call.other_rank, 5);
    EXPECT_EQ(read_file.sources[0], kCall);
    EXPECT_EQ(read_file.events[1].kind, Event::Kind::counter);
    EXPECT_EQ(read_file.events[1].begin_ns, -1);
    EXPECT_EQ(read_file.events[1].name, "bytes under way");
    EXPECT_EQ(read_file.events[1].value, 4096);
    EXPECT_EQ(read_file.events[2].kind, Event::Kind::name);
    EXPECT_EQ(read_file.events[2].text, "rank 2 on a\"b\n\\");
    EXPECT_EQ(read_file.events[2].job_ranks, 16);
    EXPECT_EQ(read_file.events[2].run, "0xfedcba9876543210");
    EXPECT_EQ(call.job_ranks, 0);
    EXPECT_FALSE(read_file.is_cut_off);
}

// jq and others write spaces, other orders of keys, and times without a fraction or with an
// exponent.
TEST(TraceReader, ReadsOtherFormsOfJson) {
    const Read read_file = read(R"( [ { "args" : { "more" : [ 1, {"a": null} ], "rank" : 1 } ,
        "name":"x", "dur":1e3, "ts":5, "tid":100, "pid":100, "extra":[true,{}], "ph":"X" } ] )");
    EXPECT_EQ(read_file.error, "");
    ASSERT_EQ(read_file.events.size(), 1U);
    EXPECT_EQ(read_file.events[0].rank, 0);
    EXPECT_EQ(read_file.events[0].begin_ns, 5'000);
    EXPECT_EQ(read_file.events[0].duration_ns, 1'000'000);
    EXPECT_EQ(read_file.events[0].other_rank, 1);
}

TEST(TraceReader, JoinsTheTwoHalvesOfACharacter) {
    const auto name_of = [](const std::string& text) {
        const Read read_file = read(R"([{"ph":"X","pid":100,"name":")" + text + "\"}]");
        EXPECT_EQ(read_file.error, "") << text;
        return read_file.events.empty() ? "" : read_file.events[0].name;
    };
    EXPECT_EQ(name_of(R"(x\ud83d\ude00y)"), "x\xf0\x9f\x98\x80y");
    EXPECT_EQ(name_of(R"(\uDBFF\uDFFF)"), "\xf4\x8f\xbf\xbf");
    EXPECT_EQ(name_of(R"(\u20ac)"), "\xe2\x82\xac");
    EXPECT_EQ(name_of(R"(\ud83d\u0078)"), "\xed\xa0\xbdx") << "a half alone";
    EXPECT_EQ(name_of(R"(\ude00)"), "\xed\xb8\x80");
    EXPECT_EQ(name_of(R"(\ud83d\ud83d\ude00)"), "\xed\xa0\xbd\xf0\x9f\x98\x80");
}

TEST(TraceReader, ReadsTheLargestTimesAndRanks) {
    const Read read_file = read(R"([{"ph":"X","pid":1677721600,"ts":-9007199254740.992,
        "dur":9007199254740.992,"args":{"rank":16777215}}])");
    EXPECT_EQ(read_file.error, "");
    ASSERT_EQ(read_file.events.size(), 1U);
    EXPECT_EQ(read_file.events[0].rank, 16'777'215);
    EXPECT_EQ(read_file.events[0].other_rank, 16'777'215);
    EXPECT_EQ(read_file.events[0].begin_ns, -(int64_t{1} << 53));
    EXPECT_EQ(read_file.events[0].duration_ns, int64_t{1} << 53);
}

TEST(TraceReader, ReadsCountersBelowZero) {
    const Read read_file =
        read(R"([{"ph":"C","pid":100,"ts":1,"name":"bytes","args":{"under way":-5}}])");
    ASSERT_EQ(read_file.events.size(), 1U);
    EXPECT_EQ(read_file.events[0].name, "bytes under way");
    EXPECT_EQ(read_file.events[0].value, -5);
}

TEST(TraceReader, JoinsBeginAndEndByTheirNumber) {
    const Read read_file = read(R"([
{"ph":"b","pid":100,"tid":100,"ts":1,"id2":{"local":"0x1"},"cat":"transmit","name":"transmit","args":{"bytes":8}},
{"ph":"b","pid":200,"tid":200,"ts":2,"id2":{"local":"0x1"},"cat":"transmit","name":"other","args":{}},
{"ph":"e","pid":200,"tid":200,"ts":9,"id2":{"local":"0x1"},"cat":"transmit","name":"other"},
{"ph":"e","pid":100,"tid":100,"ts":4,"id2":{"local":"0x1"},"cat":"transmit","name":"transmit"}
])");
    EXPECT_EQ(read_file.error, "");
    ASSERT_EQ(read_file.events.size(), 2U);
    EXPECT_EQ(read_file.events[0].name, "other");
    EXPECT_EQ(read_file.events[0].duration_ns, 7'000);
    EXPECT_EQ(read_file.events[1].bytes, 8);
    EXPECT_EQ(read_file.events[1].begin_ns, 1'000);
    EXPECT_EQ(read_file.events[1].duration_ns, 3'000);
    EXPECT_NE(read_file.sources[1].find("\"ph\":\"b\""), std::string::npos);
    EXPECT_NE(read_file.sources[1].find("\"ph\":\"e\""), std::string::npos);
}

TEST(TraceReader, ReadsWhatIsThereOfAFileThatEndsInTheMiddle) {
    const std::string whole = std::string("[\n") + kCall + ",\n" + kCall + "\n]\n";
    for (size_t bytes = 2 + std::string(kCall).size(); bytes < whole.size() - 2; ++bytes) {
        const Read read_file = read(whole.substr(0, bytes));
        EXPECT_EQ(read_file.error, "") << bytes;
        EXPECT_TRUE(read_file.is_cut_off) << bytes;
        const bool has_both = bytes >= 4 + 2 * std::string(kCall).size();
        EXPECT_EQ(read_file.events.size(), has_both ? 2U : 1U) << bytes;
    }
}

TEST(TraceReader, SaysWhereAFileIsWrong) {
    struct Case {
        std::string text;
        const char* error;
    };
    const std::string call = kCall;
    const std::string head = "[\n" + call + ",\n";
    for (const Case& wrong : {
             Case{"", "is empty"},
             Case{"{\"traceEvents\":[]}",
                  "is no timeline of ARMCI_TRACE: it does not begin with '['"},
             Case{head + "\"text\"]", "line 3, byte 153: expected '{', found '\"'"},
             Case{head + "{\"ph\":\"X\" \"pid\":100}]",
                  "line 3, byte 163: expected '}', found '\"'"},
             Case{head + "{\"ph\":\"X\",\"pid\":x}]", "expected a number"},
             Case{head + "{\"ph\":\"X\",\"pid\":42,\"tid\":42}]", "process 42 is no rank"},
             Case{head + "{\"ph\":\"B\",\"pid\":100}]", "no events of the kind \"ph\":\"B\""},
             Case{head + "{\"pid\":100,\"name\":\"a\nb\"}]", "a line ends inside a string"},
             Case{head + "{\"pid\":100,\"name\":\"\\q\"}]", "'\\q' is nothing in a string"},
             Case{head + "{\"pid\":100,\"name\":\"\\u00g0\"}]", "four hexadecimal digits"},
             Case{head + "{\"ph\":\"e\",\"pid\":100,\"ts\":1,\"id2\":{\"local\":\"0x7\"}}]",
                  "an event ends that has not begun"},
             Case{head + "{\"ph\":\"M\",\"pid\":100,\"args\":{\"ranks\":1000000000000}}]",
                  "no job has 1000000000000 ranks"},
             Case{head + "{\"ph\":\"X\",\"pid\":1677721700}]", "no job has a rank 16777216"},
             Case{head + "{\"ph\":\"X\",\"pid\":214748364800}]", "no job has a rank 2147483647"},
             Case{head + "{\"ph\":\"X\",\"pid\":100,\"args\":{\"rank\":2147483647}}]",
                  "no job has a rank 2147483647"},
             Case{head + "{\"ph\":\"X\",\"pid\":100,\"args\":{\"rank\":4294967296}}]",
                  "no job has a rank 4294967296"},
             Case{head + "{\"ph\":\"X\",\"pid\":100,\"ts\":9100000000000000}]",
                  "9100000000000000 us is no time of a job"},
             Case{head + "{\"ph\":\"X\",\"pid\":100,\"ts\":-9007199254740.993}]",
                  "-9007199254740.993 us is no time of a job"},
             Case{head + "{\"ph\":\"X\",\"pid\":100,\"ts\":1e300}]",
                  "1e300 us is no time of a job"},
             Case{head + "{\"ph\":\"X\",\"pid\":100,\"dur\":99999999999999999999}]",
                  "99999999999999999999 us is no time of a job"},
             Case{"[\n" + call + "\n] [", "there is something behind the end of the array"},
         }) {
        const Read read_file = read(wrong.text);
        EXPECT_NE(read_file.error.find(wrong.error), std::string::npos) << wrong.text << "\n"
                                                                        << read_file.error;
    }
}

TEST(TraceReader, SaysThatAFileIsNotThere) {
    try {
        EventReader reader("/nonexistent/t.0.json");
        FAIL();
    } catch (const TraceError& error) {
        EXPECT_STREQ(error.what(), "/nonexistent/t.0.json: No such file or directory");
    }
    EXPECT_THROW(files_of("/nonexistent/t"), TraceError);
}

TEST(TraceSelection, HasRanksAndTimes) {
    Selection selection;
    ASSERT_TRUE(parse_ranks("0,4-7", &selection.ranks));
    ASSERT_TRUE(parse_seconds("0.5", &selection.from_ns));
    ASSERT_TRUE(parse_seconds("1e0", &selection.to_ns));
    const auto has = [&](int rank, int64_t begin_ns, int64_t duration_ns,
                         Event::Kind kind = Event::Kind::span) {
        Event event;
        event.kind = kind;
        event.rank = rank;
        event.begin_ns = begin_ns;
        event.duration_ns = duration_ns;
        return selection.has(event);
    };
    EXPECT_TRUE(has(0, 600'000'000, 1));
    EXPECT_TRUE(has(7, 400'000'000, 100'000'000)) << "ends at its beginning";
    EXPECT_TRUE(has(4, 1'000'000'000, 5)) << "begins at its end";
    EXPECT_FALSE(has(3, 600'000'000, 1));
    EXPECT_FALSE(has(0, 100, 499'999'899));
    EXPECT_FALSE(has(0, 1'000'000'001, 1));
    EXPECT_TRUE(has(5, 0, 0, Event::Kind::name)) << "names have no time";
    EXPECT_FALSE(has(8, 0, 0, Event::Kind::name));
}

TEST(TraceSelection, RefusesOtherTexts) {
    for (const char* text : {"", "a", "1-", "-1", "3-2", "1,,2", "1 2"}) {
        std::vector<std::pair<int, int>> ranks;
        EXPECT_FALSE(parse_ranks(text, &ranks)) << text;
    }
    for (const char* text : {"", "a", "1s", "nan", "1e30"}) {
        int64_t ns = 0;
        EXPECT_FALSE(parse_seconds(text, &ns)) << text;
    }
}

}  // namespace
}  // namespace armci::trace::test
