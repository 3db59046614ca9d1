// SPDX-License-Identifier: BSD-3-Clause
// Which events the user wants.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "armci-trace/event.h"

namespace armci::trace {

struct Selection {
    int64_t from_ns = std::numeric_limits<int64_t>::min();
    int64_t to_ns = std::numeric_limits<int64_t>::max();
    std::vector<std::pair<int, int>> ranks;  // first and last; empty: all

    bool has_rank(int rank) const;
    // Returns whether some of the event is in it. Names are, whatever the time.
    bool has(const Event& event) const;
};

// Reads seconds, as in "0.25". Returns false if the text is something else.
bool parse_seconds(const std::string& text, int64_t* ns);
// Reads "0,4-7". Returns false if the text is something else.
bool parse_ranks(const std::string& text, std::vector<std::pair<int, int>>* ranks);

// Returns the files that a name stands for: itself, or as a value of ARMCI_TRACE the files of all
// ranks, by rank. Throws TraceError if there are none.
std::vector<std::string> files_of(const std::string& name);

}  // namespace armci::trace
