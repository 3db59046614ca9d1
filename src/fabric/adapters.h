// SPDX-License-Identifier: BSD-3-Clause
// Adapters of networks with remote memory access, as the kernel shows them. They explain why a
// provider is missing: libfabric leaves providers out without a message.
#pragma once

#include <cstdint>
#include <string>

namespace armci::fabric {

// Names where the kernel lists the adapters that a provider drives. If all are null, it needs no
// special adapter.
struct AdapterKind {
    const char* directory = nullptr;      // contains an entry for each adapter
    const char* driver = nullptr;         // only adapters of this kernel driver
    const char* except_driver = nullptr;  // no adapters of this one
};

// Adapters of all makers that the provider verbs drives. The queues of EFA cannot do what ofi_rxm
// needs from it.
inline constexpr AdapterKind kVerbsAdapter = {.directory = "/sys/class/infiniband",
                                              .except_driver = "efa"};

// Returns the name of one such adapter below `root`, or an empty text. `root` is empty except in
// tests.
std::string find_adapter(const std::string& root, const AdapterKind& kind);

// Facts that may explain why libfabric does not offer a provider.
struct ProviderObstacles {
    std::string adapter;        // that it could use, or empty
    uint64_t locked_bytes = 0;  // that this process may lock
    // Says whether libfabric knows the provider: it was built with it, and the provider could
    // start.
    bool is_registered = false;
};

// Returns the likeliest reason, and what to do about it.
std::string explain_absence(const AdapterKind& kind, const ProviderObstacles& obstacles);

// Returns the limit that ulimit -l shows, in bytes.
uint64_t locked_memory_limit();

}  // namespace armci::fabric
