// SPDX-License-Identifier: BSD-3-Clause
// Explains in words why a transfer takes its route.
#pragma once

#include <string>
#include <vector>

#include "core/progress/progress.h"

namespace armci::core {

// Returns lines of text: what choose_route() decides, and what the cost model expects. The
// transfer is between this rank and `target`, of `block_count` equally long blocks of global
// memory, with nothing else under way. block_count and block_bytes are positive, and their product
// fits int64_t.
std::vector<std::string> explain_transfer(const Progress& progress, base::OpKind op,
                                          int64_t block_count, int64_t block_bytes, int target);

// Returns which transfers register their local memory, as "registered from 16384 bytes on (...)".
// Empty where the provider does not want that.
std::string describe_registrations(const Network& network);
// Returns the factors that the model has, for people.
std::string describe_learned(const pipeline::LearnedCosts& learned);

}  // namespace armci::core
