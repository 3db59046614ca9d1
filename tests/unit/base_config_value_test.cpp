// SPDX-License-Identifier: BSD-3-Clause
#include "base/config_value.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace armci::base::test {
namespace {

constexpr int64_t kUntouched = -77;

TEST(ConfigValue, ParsesIntegers) {
    struct Case {
        const char* text;
        int64_t value;
    };
    for (const Case& one :
         {Case{"0", 0}, Case{"7", 7}, Case{"007", 7}, Case{"-0", 0}, Case{"-12", -12},
          Case{"+12", 12}, Case{"9223372036854775807", std::numeric_limits<int64_t>::max()},
          Case{"-9223372036854775808", std::numeric_limits<int64_t>::min()}}) {
        int64_t value = kUntouched;
        EXPECT_TRUE(parse_integer(one.text, &value)) << one.text;
        EXPECT_EQ(value, one.value) << one.text;
    }
    for (const char* text : {"", "-", "+", "+-1", "++1", "a", "1a", " 1", "1 ", "1.0", "0x1",
                             "9223372036854775808", "-9223372036854775809"}) {
        int64_t value = kUntouched;
        EXPECT_FALSE(parse_integer(text, &value)) << text;
        EXPECT_EQ(value, kUntouched) << text;
    }
}

TEST(ConfigValue, ParsesLevels) {
    int64_t value = kUntouched;
    EXPECT_TRUE(parse_level("2", &value));
    EXPECT_EQ(value, 2);
    EXPECT_TRUE(parse_level("true", &value));
    EXPECT_EQ(value, 1);
    EXPECT_TRUE(parse_level("No", &value));
    EXPECT_EQ(value, 0);
    for (const char* text : {"", "1x", "loud", "-"}) {
        value = kUntouched;
        EXPECT_FALSE(parse_level(text, &value)) << text;
        EXPECT_EQ(value, kUntouched) << text;
    }
}

TEST(ConfigValue, ParsesBytes) {
    int64_t value = kUntouched;
    EXPECT_TRUE(parse_bytes("8388607G", &value));
    EXPECT_EQ(value, int64_t{8388607} << 30);
    EXPECT_TRUE(parse_bytes("0K", &value));
    EXPECT_EQ(value, 0);
    EXPECT_TRUE(parse_bytes("9223372036854775807", &value));
    EXPECT_EQ(value, std::numeric_limits<int64_t>::max());
    for (const char* text : {"", "K", "kK", "1Kk", "1 K", "-1", "-1K", "1T", "1KiB",
                             "9007199254740992K", "9223372036854775807M", "9223372036854775808"}) {
        value = kUntouched;
        EXPECT_FALSE(parse_bytes(text, &value)) << text;
        EXPECT_EQ(value, kUntouched) << text;
    }
}

TEST(ConfigValue, ParsesBooleans) {
    bool value = false;
    for (const char* text : {"t", "T", "y", "Y", "1", "tomorrow"}) {
        value = false;
        EXPECT_TRUE(parse_bool(text, &value)) << text;
        EXPECT_TRUE(value) << text;
    }
    for (const char* text : {"f", "F", "n", "N", "0", "never"}) {
        value = true;
        EXPECT_TRUE(parse_bool(text, &value)) << text;
        EXPECT_FALSE(value) << text;
    }
    for (const bool before : {false, true}) {
        for (const char* text : {"", "2", "on", "-", " 1"}) {
            value = before;
            EXPECT_FALSE(parse_bool(text, &value)) << text;
            EXPECT_EQ(value, before) << text;
        }
    }
}

TEST(ConfigValue, ParsesChoices) {
    int index = 0;
    EXPECT_TRUE(parse_choice("a", "a|bb|c", &index));
    EXPECT_EQ(index, 0);
    EXPECT_TRUE(parse_choice("bb", "a|bb|c", &index));
    EXPECT_EQ(index, 1);
    EXPECT_TRUE(parse_choice("c", "a|bb|c", &index));
    EXPECT_EQ(index, 2);
    EXPECT_TRUE(parse_choice("only", "only", &index));
    EXPECT_EQ(index, 0);
    for (const char* text : {"", "b", "bbb", "a|bb", "C", "c ", "|"}) {
        index = kUntouched;
        EXPECT_FALSE(parse_choice(text, "a|bb|c", &index)) << text;
        EXPECT_EQ(index, kUntouched) << text;
    }
}

TEST(ConfigValue, ParsesRangesOfPorts) {
    PortRange ports;
    EXPECT_TRUE(parse_port_range("22000-22999", &ports));
    EXPECT_EQ(ports.first, 22000);
    EXPECT_EQ(ports.last, 22999);
    EXPECT_TRUE(ports.contains(22000) && ports.contains(22999));
    EXPECT_FALSE(ports.contains(21999) || ports.contains(23000));
    EXPECT_TRUE(parse_port_range("1-65535", &ports));
    EXPECT_TRUE(parse_port_range("80-80", &ports));
    for (const char* text : {"80", "-80", "80-", "0-80", "81-80", "80-65536", "a-b", "80-90-100"}) {
        EXPECT_FALSE(parse_port_range(text, &ports)) << text;
    }
    EXPECT_EQ(ports.first, 80);
    EXPECT_TRUE(parse_port_range("", &ports));
    EXPECT_FALSE(ports.is_given());
    EXPECT_TRUE(ports.contains(4711));
}

TEST(ConfigValue, NearestNameHasTheSmallestEditDistance) {
    const std::vector<std::string_view> names = {"ARMCI_ROUTE", "ARMCI_STATS", "ARMCI_BUFFER_SIZE",
                                                 "ARMCI_BUFFER_COUNT"};
    EXPECT_EQ(nearest_name("ARMCI_ROUTE", names), "ARMCI_ROUTE");
    EXPECT_EQ(nearest_name("ARMCI_STAT", names), "ARMCI_STATS");    // one missing
    EXPECT_EQ(nearest_name("ARMCI_STARTS", names), "ARMCI_STATS");  // one too many
    EXPECT_EQ(nearest_name("ARMCI_ROUDE", names), "ARMCI_ROUTE");   // one exchanged
    EXPECT_EQ(nearest_name("ARMCI_BUFFER_COUN", names), "ARMCI_BUFFER_COUNT");
    EXPECT_EQ(nearest_name("ARMCI_BUFFER_SICE", names), "ARMCI_BUFFER_SIZE");
    EXPECT_EQ(nearest_name("XYZ", names), "");
    EXPECT_EQ(nearest_name("", names), "");
    EXPECT_EQ(nearest_name("ARMCI_COMPLETELY_DIFFERENT_THING", names), "");
    EXPECT_EQ(nearest_name("ARMCI_ROUTE", {}), "");
}

}  // namespace
}  // namespace armci::base::test
