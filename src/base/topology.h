// SPDX-License-Identifier: BSD-3-Clause
// Where this process and its threads run, and where its memory is.
#pragma once

#include <sched.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace armci::base {

// Binds the calling thread to one processor. Returns false if the system refuses.
bool bind_this_thread(int processor);

// Requests the pages of [start, start + bytes), which must be untouched, from the NUMA nodes where
// this process may run. Does nothing on a machine with one NUMA node; logs a refusal.
void place_memory(void* start, size_t bytes);

// Processors of a host, one bit each: 8192, as many as Linux has at most. Joined by "or", those of
// several processes are the ones that these may use together.
using ProcessorBits = std::array<uint64_t, 128>;
// Returns the processors that this process may run on, or none if the system does not tell. Tests
// ask another system.
ProcessorBits processor_bits(decltype(&sched_getaffinity) ask = &sched_getaffinity);
// Returns them as hwloc writes a bitmap, or an empty text if there are none.
std::string processors_text(const ProcessorBits& bits);
// Returns how many there are; at least 1.
int count_processors(const ProcessorBits& bits);
inline int processor_count() {
    return count_processors(processor_bits());
}

}  // namespace armci::base
