// SPDX-License-Identifier: BSD-3-Clause
// Which network the nodes of a job on several hosts use: the best one that connects them, which
// they try before anything uses it.
#pragma once

#include <cstdint>
#include <string>

#include "core/runtime/runtime.h"
#include "fabric/provider.h"

namespace armci::lifecycle {

inline constexpr const char* kProviderRemedy =
    "Set FI_LOG_LEVEL=warn to see libfabric's own words, or ARMCI_PROVIDER or ARMCI_INTERFACE to "
    "another network (armci-info --providers)";

// What happens if no network connects all nodes: the job ends with a message, or the caller hears
// of it.
enum class NetworkNeed : uint8_t { required, optional };

struct AgreedNetwork {
    bool connects = true;
    // On rank 0: "192.0.2.0/24 (eth0): the only one that all nodes have", or what is in the way.
    // Nothing on a single host, or if the provider does not use IP.
    std::string reason;
};

// Collective, in a job that has agreed on a provider. Lets *choice use the network that connects
// all nodes. Takes a few round trips, or some seconds where hosts do not answer. On a single host
// it does nothing. A rank whose own environment names another interface than its node's first rank
// keeps to that.
AgreedNetwork agree_on_network(const core::Runtime& runtime, NetworkNeed need,
                               fabric::ProviderChoice* choice);

}  // namespace armci::lifecycle
