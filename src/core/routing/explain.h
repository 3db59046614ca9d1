// SPDX-License-Identifier: BSD-3-Clause
// Why a transfer takes its route, in words.
#pragma once

#include <string>
#include <vector>

#include "core/progress/progress.h"

namespace armci::core {

// What choose_route() would decide, and what the cost model expects, for a transfer between this
// rank and `target` of `block_count` equally long blocks, to or from global memory with nothing
// under way. Lines of text. block_count and block_bytes are positive, and their product fits
// int64_t.
std::vector<std::string> explain_transfer(const Progress& progress, base::OpKind op,
                                          int64_t block_count, int64_t block_bytes, int target);

}  // namespace armci::core
