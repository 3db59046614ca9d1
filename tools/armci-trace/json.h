// SPDX-License-Identifier: BSD-3-Clause
// A summary as JSON. Times are in nanoseconds.
#pragma once

#include <string>

#include "armci-trace/summary.h"

namespace armci::trace {

std::string to_json(const Summary& summary);

}  // namespace armci::trace
