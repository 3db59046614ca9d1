// SPDX-License-Identifier: BSD-3-Clause
// The pattern in memory that must not be used: freed, or where a get has not arrived yet. Which
// byte stands where depends on the address alone. As a double it is -1.2e+148, as an int64_t
// -2.4e+18.
#pragma once

#include <cstdint>

namespace armci::check {

inline constexpr uint64_t kPoison = 0xDEADFEEDDEADFEED;

void poison(void* memory, int64_t bytes);
// The first byte that is something else; nullptr if all is as poison() left it.
const char* find_damage(const void* memory, int64_t bytes);

}  // namespace armci::check
