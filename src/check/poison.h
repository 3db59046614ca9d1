// SPDX-License-Identifier: BSD-3-Clause
// The pattern in memory that must not be used, because it is freed or because a get has not arrived
// yet. Each byte depends only on its address. As a double the pattern is -1.2e+148, as an int64_t
// -2.4e+18.
#pragma once

#include <cstdint>

namespace armci::check {

inline constexpr uint64_t kPoison = 0xDEADFEEDDEADFEED;

void poison(void* memory, int64_t bytes);
// Returns the first byte that differs from what poison() wrote, or nullptr.
const char* find_damage(const void* memory, int64_t bytes);

}  // namespace armci::check
