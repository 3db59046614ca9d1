// SPDX-License-Identifier: BSD-3-Clause
// armci-info --places: how a job would be placed on a node, before there is a job.
#pragma once

#include <cstdio>
#include <string>

namespace armci::info {

// `request` is "RANKS[,MACHINE]": how many ranks a node has, and what describes the node to hwloc,
// as XML in a file or as synthetic text. Without it, the node is this machine. Returns the exit
// status, after a message to standard error if that is not 0.
int print_places_of(std::FILE* out, const std::string& request);

}  // namespace armci::info
