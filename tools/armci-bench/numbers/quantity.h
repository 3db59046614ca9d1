// SPDX-License-Identifier: BSD-3-Clause
// Byte counts as users write them: "8", "64K", "1M", and lists of these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace armci::bench {

// A whole number without sign or suffix; nothing if the text is anything else or too large.
std::optional<int64_t> parse_count(std::string_view text);

// A count with an optional suffix K, M or G (powers of 1024, either case).
std::optional<int64_t> parse_bytes(std::string_view text);

// Comma-separated byte counts. An item A:B stands for A, 2A, 4A, ... up to B. Nothing if an item
// is malformed, empty, zero, or a range that runs backwards.
std::optional<std::vector<int64_t>> parse_bytes_list(std::string_view text);

// Splits at every comma; "" gives one empty item.
std::vector<std::string_view> split_list(std::string_view text);

// "8 B", "64 KiB", "1.5 MiB": always exact, in the largest unit of which it is a whole or half
// number, else in bytes.
std::string format_bytes(int64_t bytes);

}  // namespace armci::bench
