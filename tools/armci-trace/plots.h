// SPDX-License-Identifier: BSD-3-Clause
// The plots of a summary, each as an SVG element for a page. The page's style sheet has the colours
// (html.cpp).
#pragma once

#include <string>

#include "armci-trace/summary.h"

namespace armci::trace {

std::string escaped(const std::string& text);  // for HTML and SVG

// Bars of the works of a group, most time first. Empty if there are none.
std::string plot_group(const Summary& summary, Group group);
std::string plot_activity(const Summary& summary);
// A bar for each rank, or for some neighbours, with its time in waits, in the rest of calls, and
// between calls.
std::string plot_load(const Summary& summary);
// The bytes of each pair of ranks, or of some neighbours.
std::string plot_traffic(const Summary& summary);

}  // namespace armci::trace
