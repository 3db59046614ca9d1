// SPDX-License-Identifier: BSD-3-Clause
// Results as one JSON document: the machine, the settings and the rows.
#pragma once

#include "armci-bench/measuring/result.h"
#include "armci-bench/options/options.h"
#include "armci-bench/reporting/machine.h"

#include <cstdio>
#include <vector>

namespace armci::bench {

// Numbers that are not finite become null.
void write_json(std::FILE* out, const Machine& machine, const Options& options,
                const std::vector<Result>& results);

}  // namespace armci::bench
