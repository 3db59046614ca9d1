// SPDX-License-Identifier: BSD-3-Clause
// Comparisons that look at every byte and say something useful about the first wrong one.
#pragma once

#include <cstdint>
#include <string>

namespace armci::mp {

// Adds one failure to the running test if the two stretches differ: where, how much, what was
// expected and found, and `what` (the operation that was to produce the bytes). Returns equality.
bool expect_same_bytes(const void* expected, const void* actual, int64_t bytes,
                       const std::string& what);

}  // namespace armci::mp
