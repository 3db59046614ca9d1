// SPDX-License-Identifier: BSD-3-Clause
// Where the processes of a node run and where the data server's thread should run (hwloc).
#pragma once

#include <cstddef>
#include <string>

namespace armci::base {

// The processors this process may use, as an hwloc bitmap string; empty when hwloc cannot tell.
std::string allowed_processors();

// A processor for the node's data server of that number: one that this machine allows, that no rank
// of the node is bound to, and that is near the PCI device `nic_bus_id` ("0000:41:00.0", may be
// empty). `rank_processors` joins the allowed_processors() of all ranks with ';'. Returns its OS
// index, or -1 when there are not that many which are no rank's: the thread then stays unbound and
// shares.
int spare_processor(const std::string& rank_processors, const std::string& nic_bus_id, int number);

// Binds the calling thread to one processor; false when the system refuses.
bool bind_this_thread(int processor);

// Asks for pages of [start, start + bytes), not touched yet, from the NUMA nodes next to where this
// process may run. Does nothing on a machine with one; a refusal is logged.
void place_memory(void* start, size_t bytes);

// Processors this process may run on; at least 1.
int processor_count();

}  // namespace armci::base
