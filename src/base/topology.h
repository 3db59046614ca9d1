// SPDX-License-Identifier: BSD-3-Clause
// Where this process and its threads run, and where its memory is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace armci::base {

// Returns the processors that this process may use, as an hwloc bitmap string, or an empty string
// if hwloc does not know them.
std::string allowed_processors();

// Binds the calling thread to one processor. Returns false if the system refuses.
bool bind_this_thread(int processor);

// Requests the pages of [start, start + bytes), which must be untouched, from the NUMA nodes where
// this process may run. Does nothing on a machine with one NUMA node; logs a refusal.
void place_memory(void* start, size_t bytes);

// Processors of a host, one bit each. Joined by "or", those of several processes are the ones that
// these may use together.
using ProcessorBits = std::array<uint64_t, 16>;
// Returns the processors that this process may run on.
ProcessorBits processor_bits();
// Returns how many there are; at least 1.
int count_processors(const ProcessorBits& bits);
inline int processor_count() {
    return count_processors(processor_bits());
}

}  // namespace armci::base
