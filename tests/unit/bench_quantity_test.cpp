// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/numbers/quantity.h"

#include <gtest/gtest.h>

namespace armci::bench {
namespace {

using Sizes = std::vector<int64_t>;

TEST(BenchQuantity, ParsesBytes) {
    EXPECT_EQ(parse_bytes("0"), 0);
    EXPECT_EQ(parse_bytes("8"), 8);
    EXPECT_EQ(parse_bytes("64K"), 65536);
    EXPECT_EQ(parse_bytes("64k"), 65536);
    EXPECT_EQ(parse_bytes("3M"), 3 << 20);
    EXPECT_EQ(parse_bytes("2G"), int64_t{2} << 30);
    EXPECT_EQ(parse_bytes("9223372036854775807"), INT64_MAX);
}

TEST(BenchQuantity, RefusesMalformedByteCounts) {
    for (const char* text : {"", "K", "-8", "+8", " 8", "8 ", "8KB", "1.5M", "8X", "0x10",
                             "9223372036854775808", "9007199254740992K"}) {
        EXPECT_EQ(parse_bytes(text), std::nullopt) << "'" << text << "'";
    }
}

TEST(BenchQuantity, ParsesLists) {
    EXPECT_EQ(parse_bytes_list("8"), (Sizes{8}));
    EXPECT_EQ(parse_bytes_list("8,1K,3"), (Sizes{8, 1024, 3}));
}

TEST(BenchQuantity, RangeDoublesUpToItsEnd) {
    EXPECT_EQ(parse_bytes_list("8:64"), (Sizes{8, 16, 32, 64}));
    EXPECT_EQ(parse_bytes_list("8:63"), (Sizes{8, 16, 32}));
    EXPECT_EQ(parse_bytes_list("3:3"), (Sizes{3}));
    EXPECT_EQ(parse_bytes_list("1,512:1K"), (Sizes{1, 512, 1024}));
    EXPECT_EQ(parse_bytes_list("4611686018427387904:9223372036854775807"),
              (Sizes{int64_t{1} << 62}));
}

TEST(BenchQuantity, RefusesMalformedLists) {
    for (const char* text : {"", ",", "8,", ",8", "8,,8", "0", "8,0", "64:8", "8:", ":8", "8:x"}) {
        EXPECT_EQ(parse_bytes_list(text), std::nullopt) << "'" << text << "'";
    }
}

TEST(BenchQuantity, FormatsExactly) {
    EXPECT_EQ(format_bytes(0), "0 B");
    EXPECT_EQ(format_bytes(1023), "1023 B");
    EXPECT_EQ(format_bytes(1024), "1 KiB");
    EXPECT_EQ(format_bytes(1536), "1.5 KiB");
    EXPECT_EQ(format_bytes(1537), "1537 B");
    EXPECT_EQ(format_bytes((1 << 20) + 1024), "1025 KiB");
    EXPECT_EQ(format_bytes(5 << 20), "5 MiB");
    EXPECT_EQ(format_bytes(int64_t{3} << 30), "3 GiB");
}

}  // namespace
}  // namespace armci::bench
