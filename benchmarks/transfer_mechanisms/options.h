// SPDX-License-Identifier: BSD-3-Clause
// The command line of transfer_mechanisms.
#pragma once

#include "mechanisms.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace armci::mechanisms {

struct Options {
    std::vector<const Kind*> kinds;
    std::vector<int64_t> latency_sizes;  // of transfers, in bytes
    std::vector<int64_t> stream_sizes;
    std::vector<int64_t> cache_sizes;
    int64_t working_set_bytes = 0;
    Sizes sizes;
    // Much larger than second-level caches, so that data is not cached from an earlier transfer.
    size_t min_area_bytes = size_t{32} << 20;
    int64_t repeat = 15;
    int64_t timeout_s = 120;  // for one mechanism
    int64_t count = 0;        // not 0: no times, only transfers that a simulator watches
    std::string csv_path;     // empty: none; "-": standard output instead of the table
    bool help = false;
};

// Returns an empty string, or which argument is wrong and why.
std::string parse_options(const std::vector<std::string_view>& arguments, Options* options);

std::string usage_text();

}  // namespace armci::mechanisms
