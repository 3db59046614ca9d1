// SPDX-License-Identifier: BSD-3-Clause
// Which network the nodes of a job on several hosts use: the best one that connects them, which
// they try before anything uses it.
#pragma once

#include <string>

#include "base/ip.h"
#include "core/runtime/runtime.h"
#include "fabric/provider.h"

namespace armci::lifecycle {

struct ChosenNetwork {
    base::IpAddress own;  // this node's address there; none if the provider does not use IP
    std::string reason;   // "192.0.2.0/24 (eth0): the only one that all nodes have"; on rank 0
};

// Collective, in a job on several hosts that has agreed on a provider. Takes a few round trips, or
// some seconds where hosts do not answer. Ends the job with a message if no network connects the
// nodes.
ChosenNetwork choose_network(const core::Runtime& runtime, const fabric::ProviderChoice& choice);

}  // namespace armci::lifecycle
