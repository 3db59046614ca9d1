// SPDX-License-Identifier: BSD-3-Clause
// The times of a simulated machine: the parameters of LogGP, and those of a processor.
//
// They come from the constants of the cost model (pipeline/costs/cost_model.h). armci-tune measures
// these and writes them into a profile. So a profile of a real network makes a simulated one.
// docs/references.md: Alexandrov 1995
#pragma once

#include <cstdint>
#include <string>

#include "pipeline/costs/cost_profile.h"

namespace armci::sim {

struct Machine {
    pipeline::CostProfile profile;  // that the library uses, too

    // LogGP. All times are in nanoseconds.
    int64_t latency_ns = 0;   // L: from an adapter to another
    int64_t overhead_ns = 0;  // o: of a processor, for a message that it sends or receives
    int64_t gap_ns = 0;       // g: of an adapter, from one message to the next
    double byte_ns = 0;       // G: of an adapter, for a byte; it is the time that a link takes

    int64_t operation_ns = 0;  // of a data server, for a message
    double copy_byte_ns = 0;   // of a processor, for a byte that it packs, or that arrives in a
                               // message
    int64_t poll_ns = 50;      // of a look at a completion queue
    int64_t wake_ns = 3000;    // from an event to the thread that slept until then
};

// Takes them from the constants of a profile.
Machine machine_of(const pipeline::CostProfile& profile);
// The provider table's guess for that provider, and a processor that copies 10 GB/s.
Machine guessed_machine(const std::string& provider);
// That of a profile in a file; with an empty `provider` the first one there. Returns false and sets
// *error if there is none.
bool read_machine(const std::string& path, const std::string& provider, Machine* machine,
                  std::string* error);
std::string describe(const Machine& machine);

}  // namespace armci::sim
