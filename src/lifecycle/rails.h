// SPDX-License-Identifier: BSD-3-Clause
// The interfaces of ARMCI_INTERFACE, if it names several: each is a rail (fabric/endpoint.h). One
// that some rank cannot use is left out on all ranks, with a warning.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/runtime/runtime.h"
#include "fabric/domain.h"
#include "fabric/provider.h"

namespace armci::lifecycle {

struct RailChoice {
    std::string interface;  // as the setting names it
    fabric::ProviderChoice choice;
    std::string network_reason;  // as AgreedNetwork::reason
};

// Collective. Returns those of the first `count` interfaces of the setting that all ranks can use
// with this provider, in its order. Ends the job with a message if there is none.
std::vector<RailChoice> choose_rails(const core::Runtime& runtime, const std::string& provider,
                                     int count);

// Returns the adapters of the rails if they are of one fabric, so that each reaches all others.
// Otherwise there are none.
std::vector<fabric::Adapter> adapters_of(const std::vector<RailChoice>& rails);

// Collective. Returns the adapters among which each rank may have another one as its first rail.
// None if some rank's do not reach all others.
std::vector<fabric::Adapter> agree_on_adapters(const core::World& world,
                                               const std::vector<RailChoice>& rails);

// Moves so many of the rails from the front to the end that the one with that adapter is the first.
// Returns their number, 0 if none has it.
size_t rotate_to(const std::string& adapter, std::vector<RailChoice>* rails);

// Collective. Opens these rails in an open domain.
void open_rails(const core::World& world, std::vector<RailChoice> rails, size_t peer_count,
                fabric::Domain* domain);

// Collective. Ends the job with a message if ranks differ in how many further keys memory has:
// records and tables have room for equally many.
void check_keys(const core::World& world, const fabric::Domain& domain);

}  // namespace armci::lifecycle
