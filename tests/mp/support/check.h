// SPDX-License-Identifier: BSD-3-Clause
// Comparisons that check every byte and report the first wrong one.
#pragma once

#include <cstdint>
#include <string>

namespace armci::mp {

// Adds one failure to the running test if the two ranges differ: where, how much, what was expected
// and found, and `what` (the operation that was to produce the bytes). Returns equality.
bool expect_same_bytes(const void* expected, const void* actual, int64_t bytes,
                       const std::string& what);

}  // namespace armci::mp
