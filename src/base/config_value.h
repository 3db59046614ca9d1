// SPDX-License-Identifier: BSD-3-Clause
// Parsing of single configuration values, and the nearest known name for a misspelt one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace armci::base {

// Ports of TCP from `first` to `last`, both included.
struct PortRange {
    uint16_t first = 0;
    uint16_t last = 0;  // 0: no range is given, so any port will do

    bool is_given() const { return last != 0; }
    bool contains(uint16_t port) const { return !is_given() || (first <= port && port <= last); }
};

inline constexpr const char* kSwitchWords = "0|1|no|yes|false|true|off|on";

// Each function returns false and leaves *out unchanged if the text is not a value of its type.
bool parse_bool(std::string_view text, bool* out);        // t T y Y 1 / f F n N 0 as first letter
bool parse_switch(std::string_view text, bool* out);      // kSwitchWords, in any case of letters
bool parse_integer(std::string_view text, int64_t* out);  // decimal, optional sign
bool parse_level(std::string_view text, int64_t* out);    // an integer, or as parse_bool: 1 or 0
bool parse_bytes(std::string_view text, int64_t* out);    // decimal with optional K, M or G (1024)
bool parse_choice(std::string_view text, const char* choices, int* out);  // "a|b|c", exact
bool parse_port_range(std::string_view text, PortRange* out);  // "first-last", or empty: any

// Returns the text that parse_bytes() reads as this number, with the largest suffix that fits.
std::string bytes_text(int64_t bytes);

// Returns the candidate with the smallest edit distance to `name`, or an empty text if none is
// near.
std::string_view nearest_name(std::string_view name,
                              const std::vector<std::string_view>& candidates);

}  // namespace armci::base
