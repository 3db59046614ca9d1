// SPDX-License-Identifier: BSD-3-Clause
// All mechanisms, in the order in which they are shown.
#pragma once

#include "mechanism.h"

#include <span>
#include <string_view>

namespace armci::mechanisms {

std::span<const Kind> all_kinds();

// Null if there is none of that name.
const Kind* find_kind(std::string_view name);

}  // namespace armci::mechanisms
