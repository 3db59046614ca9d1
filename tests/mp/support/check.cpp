// SPDX-License-Identifier: BSD-3-Clause
#include "support/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace armci::mp {
namespace {

std::string hex(const unsigned char* data, int64_t bytes) {
    std::string text;
    for (int64_t i = 0; i < bytes; ++i) {
        char digits[4];
        std::snprintf(digits, sizeof digits, "%02x ", data[i]);
        text += digits;
    }
    return text;
}

}  // namespace

bool expect_same_bytes(const void* expected, const void* actual, int64_t bytes,
                       const std::string& what) {
    if (bytes == 0 || std::memcmp(expected, actual, static_cast<size_t>(bytes)) == 0) {
        return true;
    }
    const auto* want = static_cast<const unsigned char*>(expected);
    const auto* have = static_cast<const unsigned char*>(actual);
    int64_t first = -1;
    int64_t last = -1;
    int64_t wrong_count = 0;
    for (int64_t i = 0; i < bytes; ++i) {
        if (want[i] != have[i]) {
            first = first < 0 ? i : first;
            last = i;
            ++wrong_count;
        }
    }
    const int64_t shown = std::min<int64_t>(16, bytes - first);
    ADD_FAILURE() << what << ": " << wrong_count << " of " << bytes
                  << " bytes are wrong, between offsets " << first << " and " << last
                  << "\n  expected from " << first << ": " << hex(want + first, shown)
                  << "\n  found:              " << hex(have + first, shown);
    return false;
}

}  // namespace armci::mp
