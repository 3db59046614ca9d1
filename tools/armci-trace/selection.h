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
    static constexpr int64_t kNever = std::numeric_limits<int64_t>::min();
    static constexpr int64_t kForever = std::numeric_limits<int64_t>::max();

    int64_t from_ns = kNever;
    int64_t to_ns = kForever;
    std::vector<std::pair<int, int>> ranks;  // first and last; empty: all

    bool is_everything() const { return ranks.empty() && from_ns == kNever && to_ns == kForever; }
    bool has_rank(int rank) const;
    // Returns whether some of the event is in it. Names are, whatever the time.
    bool has(const Event& event) const;
};

// What the files have, for the message about a selection that has nothing of it.
class Offered {
  public:
    void add(const Event& event);
    // "the files have ranks 0 to 3, from 0.001 s to 0.250 s"; of no events, too.
    std::string text() const;

  private:
    int first_rank_ = -1;
    int last_rank_ = -1;
    int64_t begin_ns_ = Selection::kForever;
    int64_t end_ns_ = Selection::kNever;
};

// Reads seconds, as in "0.25". Returns false if the text is something else.
bool parse_seconds(const std::string& text, int64_t* ns);
// Reads "0,4-7". Returns false if the text is something else.
bool parse_ranks(const std::string& text, std::vector<std::pair<int, int>>* ranks);

// Returns the files that a name stands for: itself, or as a value of ARMCI_TRACE the files of all
// ranks, by rank. Throws TraceError if there are none.
std::vector<std::string> files_of(const std::string& name);

}  // namespace armci::trace
