// SPDX-License-Identifier: BSD-3-Clause
// These functions use hwloc to find where the processes of a node run, and where the data server's
// thread should run.
#pragma once

#include <cstddef>
#include <string>

namespace armci::base {

// Returns the processors that this process may use, as an hwloc bitmap string, or an empty string
// if hwloc does not know them.
std::string allowed_processors();

// Returns the OS index of a processor for the node's data server `number`. This machine allows the
// processor, no rank of the node is bound to it, and it is near the PCI device `nic_bus_id`
// ("0000:41:00.0"; may be empty). `rank_processors` joins the allowed_processors() of all ranks
// with ';'. Returns -1 if too few processors are free of ranks; the thread then stays unbound.
int spare_processor(const std::string& rank_processors, const std::string& nic_bus_id, int number);

// Binds the calling thread to one processor. Returns false if the system refuses.
bool bind_this_thread(int processor);

// Requests the pages of [start, start + bytes), which must be untouched, from the NUMA nodes where
// this process may run. Does nothing on a machine with one NUMA node; logs a refusal.
void place_memory(void* start, size_t bytes);

// Returns how many processors this process may run on; at least 1.
int processor_count();

}  // namespace armci::base
