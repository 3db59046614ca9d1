// SPDX-License-Identifier: BSD-3-Clause
// A summary as one page of HTML, with plots. It needs nothing but itself.
#pragma once

#include <string>

#include "armci-trace/summary.h"

namespace armci::trace {

std::string to_html(const Summary& summary, const std::string& title);

}  // namespace armci::trace
