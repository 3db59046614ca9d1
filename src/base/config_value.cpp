// SPDX-License-Identifier: BSD-3-Clause
#include "base/config_value.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace armci::base {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
        }
    }
    return row[b.size()];
}

}  // namespace

bool parse_bool(std::string_view text, bool* out) {
    if (text.empty()) {
        return false;
    }
    switch (text[0]) {
        case 't':
        case 'T':
        case 'y':
        case 'Y':
        case '1':
            *out = true;
            return true;
        case 'f':
        case 'F':
        case 'n':
        case 'N':
        case '0':
            *out = false;
            return true;
        default:
            return false;
    }
}

bool parse_switch(std::string_view text, bool* out) {
    std::string lower(text);
    for (char& letter : lower) {
        letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    int index = 0;
    if (!parse_choice(lower, kSwitchWords, &index)) {
        return false;
    }
    *out = index % 2 != 0;  // words that mean no alternate with their opposites
    return true;
}

bool parse_integer(std::string_view text, int64_t* out) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
        text.remove_prefix(1);
    }
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
        return false;
    }
    *out = value;
    return true;
}

bool parse_level(std::string_view text, int64_t* out) {
    bool flag = false;
    const bool is_word = !text.empty() && (text[0] < '0' || text[0] > '9');
    if (is_word && parse_bool(text, &flag)) {
        *out = flag ? 1 : 0;
        return true;
    }
    return parse_integer(text, out);
}

bool parse_bytes(std::string_view text, int64_t* out) {
    if (text.empty()) {
        return false;
    }
    int64_t unit = 1;
    switch (text.back()) {
        case 'k':
        case 'K':
            unit = int64_t{1} << 10;
            break;
        case 'm':
        case 'M':
            unit = int64_t{1} << 20;
            break;
        case 'g':
        case 'G':
            unit = int64_t{1} << 30;
            break;
        default:
            break;
    }
    if (unit != 1) {
        text.remove_suffix(1);
    }
    int64_t value = 0;
    if (!parse_integer(text, &value) || value < 0 || __builtin_mul_overflow(value, unit, &value)) {
        return false;
    }
    *out = value;
    return true;
}

bool parse_port_range(std::string_view text, PortRange* out) {
    if (text.empty()) {
        *out = {};
        return true;
    }
    const size_t dash = text.find('-');
    int64_t first = 0;
    int64_t last = 0;
    if (dash == std::string_view::npos || !parse_integer(text.substr(0, dash), &first) ||
        !parse_integer(text.substr(dash + 1), &last) || first < 1 || first > last ||
        last > UINT16_MAX) {
        return false;
    }
    *out = {static_cast<uint16_t>(first), static_cast<uint16_t>(last)};
    return true;
}

std::string bytes_text(int64_t bytes) {
    constexpr struct {
        int64_t unit;
        char suffix;
    } kUnits[] = {{int64_t{1} << 30, 'G'}, {int64_t{1} << 20, 'M'}, {int64_t{1} << 10, 'K'}};
    for (const auto& [unit, suffix] : kUnits) {
        if (bytes >= unit && bytes % unit == 0) {
            return std::to_string(bytes / unit) + suffix;
        }
    }
    return std::to_string(bytes);
}

bool parse_choice(std::string_view text, const char* choices, int* out) {
    std::string_view rest(choices);
    for (int index = 0;; ++index) {
        const size_t bar = rest.find('|');
        if (text == rest.substr(0, bar)) {
            *out = index;
            return true;
        }
        if (bar == std::string_view::npos) {
            return false;
        }
        rest.remove_prefix(bar + 1);
    }
}

std::string_view nearest_name(std::string_view name,
                              const std::vector<std::string_view>& candidates) {
    // A word that differs in more than a third of the name is another word, not a misspelling.
    size_t best_distance = name.size() / 3 + 1;
    std::string_view best;
    for (std::string_view candidate : candidates) {
        const size_t distance = edit_distance(name, candidate);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

}  // namespace armci::base
