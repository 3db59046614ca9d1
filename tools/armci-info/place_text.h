// SPDX-License-Identifier: BSD-3-Clause
// Parts of a placement as text, for docs/tuning.md and for people.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/placement.h"

namespace armci::info {

// Returns the ranks that run a data server if there are so many: the first of each block.
std::vector<int> server_ranks(size_t ranks, int servers);

// Returns the ranks that use the adapter.
std::vector<int> ranks_of_adapter(const base::Placement& placement, size_t adapter);

// Returns "0-6", "0, 4, ... 52" or "0, 1, 5".
std::string numbers_text(const std::vector<int>& numbers);

// Returns a bitmap of hwloc as numbers: "0x00000001,0x00000005" is "0, 2, 32". It must be finite.
std::string nodes_text(const std::string& bitmap);

}  // namespace armci::info
