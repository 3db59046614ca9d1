// SPDX-License-Identifier: BSD-3-Clause
// Adapters of networks with remote memory access, as the kernel shows them, and why libfabric may
// offer nothing for one: it leaves providers out without a word.
#pragma once

#include <cstdint>
#include <string>

namespace armci::fabric {

// Where the kernel lists the adapters that a provider drives. All null: it needs no special one.
struct AdapterKind {
    const char* directory = nullptr;      // with an entry for each adapter
    const char* driver = nullptr;         // only those of this kernel driver
    const char* except_driver = nullptr;  // not those of this one
};

// The name of one of them below `root`, which is empty but in tests; empty if there is none.
std::string find_adapter(const std::string& root, const AdapterKind& kind);

// What may keep libfabric from offering a provider.
struct ProviderObstacles {
    std::string adapter;        // that it could use; empty if there is none
    uint64_t locked_bytes = 0;  // that this process may lock
    // Whether libfabric knows the provider at all: it was built with it, and it could start.
    bool is_registered = false;
};

// The likeliest of them, and what to do about it.
std::string explain_absence(const AdapterKind& kind, const ProviderObstacles& obstacles);

// ulimit -l
uint64_t locked_memory_limit();

}  // namespace armci::fabric
