// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/numbers/quantity.h"

#include <array>
#include <charconv>
#include <limits>

namespace armci::bench {

namespace {

constexpr int64_t kKibi = 1024;

int64_t suffix_factor(char suffix) {
    switch (suffix) {
        case 'k':
        case 'K':
            return kKibi;
        case 'm':
        case 'M':
            return kKibi * kKibi;
        case 'g':
        case 'G':
            return kKibi * kKibi * kKibi;
        default:
            return 1;  // no suffix
    }
}

}  // namespace

std::optional<int64_t> parse_count(std::string_view text) {
    if (text.empty() || text.front() < '0' || text.front() > '9') {
        return std::nullopt;
    }
    int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end) {
        return std::nullopt;
    }
    return value;
}

std::optional<int64_t> parse_bytes(std::string_view text) {
    const int64_t factor = text.empty() ? 1 : suffix_factor(text.back());
    if (factor > 1) {
        text.remove_suffix(1);
    }
    const std::optional<int64_t> count = parse_count(text);
    if (!count || *count > std::numeric_limits<int64_t>::max() / factor) {
        return std::nullopt;
    }
    return *count * factor;
}

std::vector<std::string_view> split_list(std::string_view text) {
    std::vector<std::string_view> items;
    for (;;) {
        const size_t comma = text.find(',');
        items.push_back(text.substr(0, comma));
        if (comma == std::string_view::npos) {
            return items;
        }
        text.remove_prefix(comma + 1);
    }
}

std::optional<std::vector<int64_t>> parse_bytes_list(std::string_view text) {
    std::vector<int64_t> list;
    for (std::string_view item : split_list(text)) {
        const size_t colon = item.find(':');
        const std::optional<int64_t> first = parse_bytes(item.substr(0, colon));
        const std::optional<int64_t> last =
            colon == std::string_view::npos ? first : parse_bytes(item.substr(colon + 1));
        if (!first || !last || *first == 0 || *last < *first) {
            return std::nullopt;
        }
        for (int64_t bytes = *first;; bytes *= 2) {
            list.push_back(bytes);
            if (bytes > *last / 2) {
                break;
            }
        }
    }
    return list;
}

std::string format_bytes(int64_t bytes) {
    struct Unit {
        const char* name;
        int64_t bytes;
    };
    constexpr std::array<Unit, 3> kUnits{
        {{" GiB", kKibi * kKibi * kKibi}, {" MiB", kKibi * kKibi}, {" KiB", kKibi}}};
    for (const Unit& unit : kUnits) {
        if (bytes < unit.bytes) {
            continue;
        }
        const int64_t whole = bytes / unit.bytes;
        const int64_t rest = bytes % unit.bytes;
        if (rest == 0) {
            return std::to_string(whole) + unit.name;
        }
        if (rest * 2 == unit.bytes) {
            return std::to_string(whole) + ".5" + unit.name;
        }
    }
    return std::to_string(bytes) + " B";
}

}  // namespace armci::bench
