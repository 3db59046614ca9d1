// SPDX-License-Identifier: BSD-3-Clause
// The report of the first member on a node to all others, when it has allocated memory there.
#pragma once

#include <cstdint>
#include <vector>

#include "core/memory/segments.h"

namespace armci::core {

struct NodeReport {
    enum class Outcome : int32_t { no_memory_here = 0, allocated = 1, failed = 2 };

    Outcome outcome = Outcome::no_memory_here;
    uint64_t tables = 0;                 // address, for ranks of the same node
    std::vector<ServerPart> parts;       // those that are not empty, by server
    std::vector<uint64_t> further_keys;  // of one part after the other, where they differ
};

}  // namespace armci::core
