// SPDX-License-Identifier: BSD-3-Clause
// When each rank writes its statistics (ARMCI_STATS_TRIGGER).
#pragma once

#include <cstdint>
#include <string>

namespace armci::lifecycle {

struct StatsTriggers {
    bool at_exit = false;
    int signal = 0;        // 0: none
    int64_t timer_ns = 0;  // 0: none

    bool are_set() const { return at_exit || signal != 0 || timer_ns != 0; }
};

// Reads a list such as "exit,signal:USR2,timer:60". Returns false and sets *error to a sentence
// when the text is something else. The empty text is no trigger.
bool parse_stats_triggers(const std::string& text, StatsTriggers* triggers, std::string* error);

}  // namespace armci::lifecycle
