// SPDX-License-Identifier: BSD-3-Clause
#include "base/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace armci::base::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

ConfigResult read(const std::vector<std::string>& environment) {
    std::vector<const char*> entries;
    for (const std::string& entry : environment) {
        entries.push_back(entry.c_str());
    }
    entries.push_back(nullptr);
    return read_config(entries.data());
}

const ConfigRow& row(const ConfigResult& result, const std::string& name) {
    static const ConfigRow none;
    const auto found = std::find_if(result.rows.begin(), result.rows.end(),
                                    [&](const ConfigRow& one) { return one.name == name; });
    EXPECT_NE(found, result.rows.end()) << name;
    return found != result.rows.end() ? *found : none;
}

// A second table of all variables, as the tests need it.
enum Class { own, mirrored };
enum Whose { job, rank };

struct Number {
    std::string name;
    int64_t Config::*member;
    int64_t value;
    int64_t low;
    int64_t high;
    Class kind;
};
struct Choice {
    std::string name;
    int Config::*member;
    int value;
    std::string choices;
    Class kind;
};
struct Boolean {
    std::string name;
    bool Config::*member;
    bool value;
    Class kind;
};

#define ARMCI_SKIP_RANGE(member, name, value, low, high, kind, whose, help)
#define ARMCI_SKIP_BOOL(member, name, value, kind, whose, help)
#define ARMCI_SKIP_CHOICE(member, name, value, choices, kind, whose, help)
#define ARMCI_SKIP_TEXT(member, name, value, kind, whose, help)
#define ARMCI_TAKE_NUMBER(member, name, value, low, high, kind, whose, help) \
    {name, &Config::member, value, low, high, kind},
#define ARMCI_TAKE_BOOL(member, name, value, kind, whose, help) \
    {name, &Config::member, value != 0, kind},
#define ARMCI_TAKE_CHOICE(member, name, value, choices, kind, whose, help) \
    {name, &Config::member, value, choices, kind},

const std::vector<Number> kIntegers = {ARMCI_CONFIG_TABLE(ARMCI_TAKE_NUMBER, ARMCI_SKIP_RANGE,
                                                          ARMCI_SKIP_RANGE, ARMCI_SKIP_BOOL,
                                                          ARMCI_SKIP_CHOICE, ARMCI_SKIP_TEXT)};
const std::vector<Number> kBytes = {ARMCI_CONFIG_TABLE(ARMCI_SKIP_RANGE, ARMCI_SKIP_RANGE,
                                                       ARMCI_TAKE_NUMBER, ARMCI_SKIP_BOOL,
                                                       ARMCI_SKIP_CHOICE, ARMCI_SKIP_TEXT)};
const std::vector<Boolean> kBooleans = {ARMCI_CONFIG_TABLE(ARMCI_SKIP_RANGE, ARMCI_SKIP_RANGE,
                                                           ARMCI_SKIP_RANGE, ARMCI_TAKE_BOOL,
                                                           ARMCI_SKIP_CHOICE, ARMCI_SKIP_TEXT)};
const std::vector<Choice> kChoices = {ARMCI_CONFIG_TABLE(ARMCI_SKIP_RANGE, ARMCI_SKIP_RANGE,
                                                         ARMCI_SKIP_RANGE, ARMCI_SKIP_BOOL,
                                                         ARMCI_TAKE_CHOICE, ARMCI_SKIP_TEXT)};

// A range as messages give it.
std::string numbers_of(const ConfigRow& one) {
    constexpr std::string_view kOrAuto = "auto or ";
    return one.range.starts_with(kOrAuto) ? one.range.substr(kOrAuto.size()) : one.range;
}

// What must have happened to a malformed value of each class.
void expect_malformed(const ConfigResult& result, const std::string& name, const std::string& text,
                      const std::string& expected, Class kind) {
    SCOPED_TRACE(name + "=" + text);
    const std::vector<std::string>& messages = kind == own ? result.errors : result.warnings;
    EXPECT_THAT(messages,
                ElementsAre(AllOf(HasSubstr(name + "=\"" + text + "\""), HasSubstr(expected))));
    EXPECT_THAT(kind == own ? result.warnings : result.errors, IsEmpty());
    EXPECT_EQ(row(result, name).source, "default");
    EXPECT_EQ(row(result, name).value, row(result, name).default_value);
    if (kind == mirrored) {
        EXPECT_THAT(messages[0], HasSubstr("the default " + row(result, name).default_value));
    }
}

void expect_clean(const ConfigResult& result) {
    EXPECT_THAT(result.errors, IsEmpty());
    EXPECT_THAT(result.warnings, IsEmpty());
}

TEST(Config, EmptyEnvironmentGivesTheDefaults) {
    for (const ConfigResult& result : {read({}), read_config(nullptr)}) {
        expect_clean(result);
        EXPECT_THAT(result.ignored, IsEmpty());
        for (const ConfigRow& one : result.rows) {
            EXPECT_EQ(one.source, "default") << one.name;
            EXPECT_EQ(one.value, one.default_value) << one.name;
        }
        for (const Number& number : kIntegers) {
            EXPECT_EQ(result.config.*number.member, number.value) << number.name;
            EXPECT_EQ(row(result, number.name).default_value,
                      number.value == kAuto ? "auto" : std::to_string(number.value));
        }
        for (const Number& number : kBytes) {
            EXPECT_EQ(result.config.*number.member, number.value) << number.name;
        }
        for (const Choice& choice : kChoices) {
            EXPECT_EQ(result.config.*choice.member, choice.value) << choice.name;
        }
        for (const Boolean& boolean : kBooleans) {
            EXPECT_EQ(result.config.*boolean.member, boolean.value) << boolean.name;
        }
    }
}

TEST(Config, AcceptsAutoOnlyWhereItIsTheDefault) {
    for (const auto* numbers : {&kIntegers, &kBytes}) {
        for (const Number& number : *numbers) {
            const ConfigResult result = read({number.name + "=auto"});
            if (number.value == kAuto) {
                expect_clean(result);
                EXPECT_EQ(result.config.*number.member, kAuto) << number.name;
                EXPECT_EQ(row(result, number.name).source, "environment");
                EXPECT_THAT(row(result, number.name).range, testing::StartsWith("auto or "));
            } else {
                expect_malformed(result, number.name, "auto", "", number.kind);
            }
        }
    }
}

TEST(Config, RowsDescribeTheWholeTable) {
    const ConfigResult result = read({});
    struct Wanted {
        std::string name;
        std::string type;
        Class kind;
        Whose whose;
        std::string help;
    };
#define ARMCI_WANT_INTEGER(member, name, value, low, high, kind, whose, help) \
    {name, "integer", kind, whose, help},
#define ARMCI_WANT_BYTES(member, name, value, low, high, kind, whose, help) \
    {name, "bytes", kind, whose, help},
#define ARMCI_WANT_BOOL(member, name, value, kind, whose, help) \
    {name, "boolean", kind, whose, help},
#define ARMCI_WANT_CHOICE(member, name, value, choices, kind, whose, help) \
    {name, "choice", kind, whose, help},
#define ARMCI_WANT_TEXT(member, name, value, kind, whose, help) {name, "text", kind, whose, help},
    const std::vector<Wanted> wanted = {ARMCI_CONFIG_TABLE(ARMCI_WANT_INTEGER, ARMCI_WANT_INTEGER,
                                                           ARMCI_WANT_BYTES, ARMCI_WANT_BOOL,
                                                           ARMCI_WANT_CHOICE, ARMCI_WANT_TEXT)};
    ASSERT_EQ(result.rows.size(), wanted.size());
    std::set<std::string> names;
    for (size_t i = 0; i < wanted.size(); ++i) {
        const ConfigRow& one = result.rows[i];
        EXPECT_EQ(one.name, wanted[i].name);
        EXPECT_EQ(one.type, wanted[i].type) << one.name;
        EXPECT_EQ(one.mirrored, wanted[i].kind == mirrored) << one.name;
        EXPECT_EQ(one.is_jobs, wanted[i].whose == job) << one.name;
        EXPECT_EQ(one.help, wanted[i].help) << one.name;
        EXPECT_FALSE(one.help.empty()) << one.name;
        EXPECT_EQ(one.range.empty(), one.type == "text") << one.name;
        EXPECT_TRUE(one.name.starts_with("ARMCI_")) << one.name;
        EXPECT_TRUE(names.insert(std::string(one.name)).second) << one.name << " twice";
    }
    EXPECT_EQ(row(result, "ARMCI_BUFFER_COUNT").range, "auto or 1..4096");
    EXPECT_EQ(row(result, "ARMCI_BUFFER_SIZE").range, "auto or 4K..16M");
    EXPECT_EQ(row(result, "ARMCI_BUFFER_SIZE").default_value, "auto");
    EXPECT_EQ(row(result, "ARMCI_DOMAINS").range, "process|node");
    EXPECT_EQ(row(result, "ARMCI_DOMAINS").default_value, "process");
    EXPECT_EQ(row(result, "ARMCI_STATS").range, "0|1|no|yes|false|true|off|on");
}

TEST(Config, AcceptsNumbersInRangeOnly) {
    for (const std::vector<Number>* numbers : {&kIntegers, &kBytes}) {
        for (const Number& number : *numbers) {
            for (const int64_t value : {number.low, number.high}) {
                const ConfigResult result = read({number.name + "=" + std::to_string(value)});
                expect_clean(result);
                EXPECT_EQ(result.config.*number.member, value) << number.name;
                EXPECT_EQ(row(result, number.name).source, "environment") << number.name;
            }
            for (const int64_t value : {number.low - 1, number.high + 1}) {
                const ConfigResult result = read({number.name + "=" + std::to_string(value)});
                expect_malformed(result, number.name, std::to_string(value),
                                 numbers_of(row(result, number.name)), number.kind);
                EXPECT_EQ(result.config.*number.member, number.value) << number.name;
            }
        }
    }
}

TEST(Config, RefusesMalformedNumbers) {
    for (const char* text : {"", " ", "x", "12x", " 8", "8 ", "1.5", "1e3", "0x10", "--5", "8,000",
                             "9223372036854775808", "99999999999999999999"}) {
        expect_malformed(read({std::string("ARMCI_BUFFER_COUNT=") + text}), "ARMCI_BUFFER_COUNT",
                         text, "auto or a whole number in 1..4096", own);
        expect_malformed(read({std::string("ARMCI_PROGRESS_USLEEP=") + text}),
                         "ARMCI_PROGRESS_USLEEP", text, "a whole number in 0..1000000", mirrored);
    }
    for (const char* text : {"", "K", "-1", "-4K", "64KK", "64KB", "64 K", "1.5M", "64T", "K64",
                             "9223372036854775807K", "9007199254740992K", "99999999999999999999"}) {
        expect_malformed(
            read({std::string("ARMCI_BUFFER_SIZE=") + text}), "ARMCI_BUFFER_SIZE", text,
            "auto or a number of bytes, with K, M or G for units of 1024 in 4K..16M", own);
        expect_malformed(read({std::string("ARMCI_SHM_LIMIT=") + text}), "ARMCI_SHM_LIMIT", text,
                         "a number of bytes", mirrored);
    }
}

TEST(Config, BytesAcceptSuffixesOf1024) {
    struct Case {
        const char* text;
        int64_t bytes;
        const char* shown;
    };
    const Case cases[] = {{"0", 0, "0"},
                          {"1", 1, "1"},
                          {"1023", 1023, "1023"},
                          {"1024", 1024, "1K"},
                          {"1k", 1024, "1K"},
                          {"3K", 3072, "3K"},
                          {"1000K", 1024000, "1000K"},
                          {"1024K", 1 << 20, "1M"},
                          {"7m", 7 << 20, "7M"},
                          {"7M", 7 << 20, "7M"},
                          {"2g", int64_t{2} << 30, "2G"},
                          {"65536G", int64_t{1} << 46, "65536G"}};
    for (const Case& one : cases) {
        const ConfigResult result = read({std::string("ARMCI_HEAP_SIZE=") + one.text});
        expect_clean(result);
        EXPECT_EQ(result.config.heap_size, one.bytes) << one.text;
        EXPECT_EQ(row(result, "ARMCI_HEAP_SIZE").value, one.shown) << one.text;
    }
}

struct BooleanTexts {
    std::vector<const char*> yes;
    std::vector<const char*> no;
    std::vector<const char*> neither;
};

void expect_boolean(const Boolean& boolean, const BooleanTexts& texts) {
    for (const bool value : {true, false}) {
        for (const char* text : value ? texts.yes : texts.no) {
            const ConfigResult result = read({boolean.name + "=" + text});
            expect_clean(result);
            EXPECT_EQ(result.config.*boolean.member, value) << boolean.name << "=" << text;
            EXPECT_EQ(row(result, boolean.name).value, value ? "1" : "0");
            EXPECT_EQ(row(result, boolean.name).source, "environment");
        }
    }
    for (const char* text : texts.neither) {
        const ConfigResult result = read({boolean.name + "=" + text});
        expect_malformed(result, boolean.name, text, row(result, boolean.name).range, boolean.kind);
        EXPECT_EQ(result.config.*boolean.member, boolean.value) << boolean.name;
    }
}

TEST(Config, MirroredBooleansAreReadByFirstLetter) {
    const BooleanTexts texts = {{"1", "t", "T", "true", "True", "y", "Y", "yes", "10"},
                                {"0", "f", "F", "false", "n", "N", "no", "01", "nonsense"},
                                {"", "2", "on", "off", "-1", " 1"}};
    for (const Boolean& boolean : kBooleans) {
        if (boolean.kind == Class::mirrored) {
            expect_boolean(boolean, texts);
        }
    }
}

TEST(Config, OwnBooleansAreReadAsWholeWords) {
    const BooleanTexts texts = {
        {"1", "yes", "true", "on", "Yes", "TRUE", "On"},
        {"0", "no", "false", "off", "NO", "False", "oFF"},
        {"", "2", "t", "y", "nonsense", "10", "01", "yes ", " 1", "on|off", "maybe"}};
    for (const Boolean& boolean : kBooleans) {
        if (boolean.kind == Class::own) {
            expect_boolean(boolean, texts);
        }
    }
    EXPECT_EQ(read({"ARMCI_CHECK=yes"}).config.check_choice(), CheckChoice::on);
    EXPECT_EQ(read({"ARMCI_CHECK=Off"}).config.check_choice(), CheckChoice::off);
    EXPECT_EQ(row(read({"ARMCI_CHECK=true"}), "ARMCI_CHECK").value, "1");
}

TEST(Config, ChoicesMatchExactly) {
    for (const Choice& choice : kChoices) {
        int index = 0;
        for (size_t begin = 0; begin <= choice.choices.size(); ++index) {
            const size_t end = std::min(choice.choices.find('|', begin), choice.choices.size());
            const std::string text = choice.choices.substr(begin, end - begin);
            const ConfigResult result = read({choice.name + "=" + text});
            expect_clean(result);
            EXPECT_EQ(result.config.*choice.member, index) << choice.name << "=" << text;
            EXPECT_EQ(row(result, choice.name).value, text);
            EXPECT_EQ(row(result, choice.name).source, "environment");
            begin = end + 1;
        }
        EXPECT_GT(index, 1) << choice.name;
        const std::string first = choice.choices.substr(0, choice.choices.find('|'));
        for (const std::string& text :
             {std::string(), std::string("00"), first + " ", first.substr(1), "|" + first,
              choice.choices, std::string("AUTO")}) {
            const ConfigResult result = read({choice.name + "=" + text});
            expect_malformed(result, choice.name, text, "one of " + choice.choices, choice.kind);
            EXPECT_EQ(result.config.*choice.member, choice.value) << choice.name;
        }
    }
    EXPECT_EQ(read({"ARMCI_ROUTE=alternate"}).config.route_choice(), RouteChoice::alternate);
    EXPECT_EQ(read({"ARMCI_ROUTE=rma"}).config.route_choice(), RouteChoice::rma);
    EXPECT_EQ(read({"ARMCI_ROUTE=server"}).config.route_choice(), RouteChoice::server);
    EXPECT_EQ(read({"ARMCI_DOMAINS=node"}).config.domain_choice(), DomainChoice::node);
    EXPECT_EQ(read({"ARMCI_RMA_ORDER=none"}).config.order_choice(), OrderChoice::none);
}

TEST(Config, TextIsKeptUnchanged) {
    for (const char* text : {"", "tcp;ofi_rxm", "a=b=c", " spaced "}) {
        const ConfigResult result = read({std::string("ARMCI_PROVIDER=") + text});
        expect_clean(result);
        EXPECT_EQ(result.config.provider, text);
        EXPECT_EQ(row(result, "ARMCI_PROVIDER").value, text);
        EXPECT_EQ(row(result, "ARMCI_PROVIDER").source, "environment");
    }
}

TEST(Config, EveryMalformedValueIsReported) {
    const ConfigResult result =
        read({"ARMCI_BUFFER_COUNT=x", "ARMCI_ROUTE=y", "ARMCI_STATS=z", "ARMCI_VERBOSE=w"});
    EXPECT_EQ(result.errors.size(), 3U);
    EXPECT_EQ(result.warnings.size(), 1U);
}

TEST(Config, WarnsOfUnknownNamesAndSuggestsTheNearest) {
    struct Case {
        const char* name;
        const char* nearest;
    };
    for (const Case& one :
         {Case{"ARMCI_BUFER_SIZE", "ARMCI_BUFFER_SIZE"},
          Case{"ARMCI_BUFFERSIZE", "ARMCI_BUFFER_SIZE"}, Case{"ARMCI_PROVIDERS", "ARMCI_PROVIDER"},
          Case{"ARMCI_ROUTES", "ARMCI_ROUTE"}, Case{"ARMCI_NODESIZE", "ARMCI_NODE_SIZE"},
          Case{"ARMCI_LOGLEVEL", "ARMCI_LOG_LEVEL"},
          Case{"ARMCI_RECV_BUFFERS_COUNT", "ARMCI_RECV_BUFFER_COUNT"}}) {
        const ConfigResult result = read({std::string(one.name) + "=1"});
        EXPECT_THAT(result.errors, IsEmpty());
        EXPECT_THAT(result.ignored, IsEmpty());
        EXPECT_THAT(result.warnings,
                    ElementsAre(AllOf(HasSubstr(std::string("unknown variable ") + one.name + " "),
                                      HasSubstr(std::string("mean ") + one.nearest + "?"))));
    }
    const ConfigResult far = read({"ARMCI_QWERTZUIOPQWERTZUIOP=1"});
    EXPECT_THAT(far.warnings, ElementsAre(AllOf(HasSubstr("ARMCI_QWERTZUIOPQWERTZUIOP"),
                                                Not(HasSubstr("did you mean")))));
}

TEST(Config, OldNamesWorkWithOneWarningEach) {
    struct Case {
        const char* old_name;
        const char* name;
        int64_t Config::*member;
    };
    for (const Case& one :
         {Case{"ARMCI_FINALIZE_TIMEOUT_S", "ARMCI_FINALIZE_TIMEOUT_SECONDS",
               &Config::finalize_timeout_seconds},
          Case{"ARMCI_CHECK_PATIENCE_S", "ARMCI_CHECK_PATIENCE_SECONDS",
               &Config::check_patience_seconds},
          Case{"ARMCI_RMA_MIN_RUN", "ARMCI_RMA_MIN_BLOCK", &Config::rma_min_block}}) {
        const std::string old_name(one.old_name);
        const std::string name(one.name);
        const ConfigResult result = read({old_name + "=77"});
        EXPECT_THAT(result.errors, IsEmpty());
        EXPECT_THAT(result.warnings, ElementsAre(old_name + " still works, but its name is now " +
                                                 name + "; set that instead"));
        EXPECT_EQ(result.config.*one.member, 77) << old_name;
        EXPECT_EQ(row(result, name).source, "environment");

        const ConfigResult malformed = read({old_name + "=x"});
        EXPECT_THAT(malformed.errors, ElementsAre(HasSubstr(name + "=\"x\" is not")));
        EXPECT_THAT(malformed.warnings, ElementsAre(HasSubstr(old_name + " still works")));
    }
}

TEST(Config, PresentNameWinsOverOldNameInAnyOrder) {
    const std::string present = "ARMCI_RMA_MIN_BLOCK=5";
    const std::string old = "ARMCI_RMA_MIN_RUN=7";
    for (const std::vector<std::string>& environment :
         {std::vector{present, old}, {old, present}}) {
        const ConfigResult result = read(environment);
        EXPECT_THAT(result.errors, IsEmpty());
        EXPECT_THAT(
            result.warnings,
            ElementsAre("ARMCI_RMA_MIN_RUN has no effect beside ARMCI_RMA_MIN_BLOCK; unset it"));
        EXPECT_EQ(result.config.rma_min_block, 5);
    }
}

TEST(Config, SecondsHaveOneSuffix) {
    for (const ConfigRow& one : read({}).rows) {
        EXPECT_FALSE(one.name.ends_with("_S")) << one.name;
    }
}

TEST(Config, IgnoresNamesOfOtherImplementationsWithoutWarning) {
    const ConfigResult result = read({"ARMCI_STRIDED_METHOD=IOV", "ARMCI_USE_WIN_ALLOCATE=0",
                                      "ARMCI_DEFAULT_SHMMAX=1", "ARMCI_NETWORK=MPI-PR"});
    expect_clean(result);
    EXPECT_THAT(result.ignored,
                testing::UnorderedElementsAre("ARMCI_STRIDED_METHOD", "ARMCI_USE_WIN_ALLOCATE",
                                              "ARMCI_DEFAULT_SHMMAX", "ARMCI_NETWORK"));
}

TEST(Config, IgnoresNamesOfComExWithoutWarning) {
    const ConfigResult result = read({"COMEX_MAX_NB_OUTSTANDING=8", "COMEX_ROUTE=x"});
    expect_clean(result);
    EXPECT_THAT(result.ignored,
                testing::UnorderedElementsAre("COMEX_MAX_NB_OUTSTANDING", "COMEX_ROUTE"));
}

TEST(Config, FileOfStatisticsNeedsATrigger) {
    EXPECT_THAT(read({"ARMCI_STATS=1", "ARMCI_STATS_FILE=/tmp/s"}).warnings,
                ElementsAre(HasSubstr(
                    "ARMCI_STATS_FILE=/tmp/s has no effect without ARMCI_STATS_TRIGGER")));
    expect_clean(read({"ARMCI_STATS_TRIGGER=exit", "ARMCI_STATS_FILE=/tmp/s"}));
    expect_clean(read({"ARMCI_STATS_FILE="}));
}

TEST(Config, WarnsThatProgressRanksHaveNoEffect) {
    const ConfigResult result = read({"GA_NUM_PROGRESS_RANKS_PER_NODE=2", "GA_SOMETHING=1"});
    EXPECT_THAT(result.errors, IsEmpty());
    EXPECT_THAT(result.warnings,
                ElementsAre(AllOf(HasSubstr("GA_NUM_PROGRESS_RANKS_PER_NODE=2 has no effect"),
                                  HasSubstr("needs no progress ranks"))));
    EXPECT_THAT(result.ignored, ElementsAre("GA_NUM_PROGRESS_RANKS_PER_NODE"));
}

// Collective calls and sizes must agree between ranks, and so must settings that change results.
TEST(Config, OnlyListedVariablesMayDifferBetweenRanks) {
    std::vector<std::string> own_of_ranks;
    for (const ConfigRow& one : read({}).rows) {
        if (!one.is_jobs) {
            own_of_ranks.emplace_back(one.name);
        }
    }
    EXPECT_THAT(
        own_of_ranks,
        testing::UnorderedElementsAre(
            "ARMCI_CONFIG", "ARMCI_INTERFACE", "ARMCI_PROFILE", "ARMCI_FAULTS", "ARMCI_SERVER_POLL",
            "ARMCI_SERVER_SPIN_US", "ARMCI_WAIT_SPIN_US", "ARMCI_LOG_LEVEL", "ARMCI_BACKTRACE",
            "ARMCI_VERBOSE", "ARMCI_SHM_LIMIT", "ARMCI_PROGRESS_USLEEP", "ARMCI_THREAD_LEVEL"));
}

TEST(Config, LastOfRepeatedNamesCounts) {
    const ConfigResult result = read({"ARMCI_NODE_SIZE=1", "ARMCI_ROUTE=rma", "ARMCI_NODE_SIZE=2"});
    expect_clean(result);
    EXPECT_EQ(result.config.node_size, 2);
}

TEST(Config, IgnoresOtherVariables) {
    const ConfigResult result =
        read({"PATH=/bin", "ARMCI=1", "ARMCIX_BUFFER_SIZE=1", "MY_ARMCI_BUFFER_SIZE=1",
              "armci_buffer_size=1", "ARMCI_BUFFER_SIZE", "", "=", "=ARMCI_BUFFER_SIZE=3",
              "COMEX=1", "GA_NUM_PROGRESS_RANKS_PER_NODE", "GA_OTHER=1"});
    expect_clean(result);
    EXPECT_THAT(result.ignored, IsEmpty());
    EXPECT_EQ(row(result, "ARMCI_BUFFER_SIZE").source, "default");
}

}  // namespace
}  // namespace armci::base::test
