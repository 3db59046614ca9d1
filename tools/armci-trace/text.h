// SPDX-License-Identifier: BSD-3-Clause
// A summary as text for a terminal, and quantities as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "armci-trace/summary.h"

namespace armci::trace {

std::string time_text(double ns);      // "12.3 ms"
std::string bytes_text(double bytes);  // "1.50 MiB"
std::string to_text(const Summary& summary);

// Returns what a reader must know before all else: which events are not there. One sentence each.
std::vector<std::string> remarks_on(const Summary& summary);

}  // namespace armci::trace
