// SPDX-License-Identifier: BSD-3-Clause
// How much faster several data servers of a node add into one array than one of them does, in
// virtual time.
#pragma once

namespace armci::sim {

// Origins on eight nodes accumulate into one array that lies on the ranks of one more node, which
// has one, two or four servers. Prints the times. Returns false if two servers are not at least
// 1.8 times as fast as one (with accumulates of 1 KiB, 1.5 times), or if one server takes a fifth
// longer for accumulates of 1 KiB than for longer ones.
bool check_servers();

}  // namespace armci::sim
