// SPDX-License-Identifier: BSD-3-Clause
// Results as one JSON document: the machine, the settings and the rows.
#pragma once

#include "armci-bench/machine.h"
#include "armci-bench/options.h"
#include "armci-bench/result.h"

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace armci::bench {

// A string with quotes, as JSON wants it. Bytes above 0x7f are taken to be UTF-8.
std::string json_string(std::string_view text);

void write_json(std::FILE* out, const Machine& machine, const Options& options,
                const std::vector<Result>& results);

}  // namespace armci::bench
