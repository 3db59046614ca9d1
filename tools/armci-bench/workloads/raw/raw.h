// SPDX-License-Identifier: BSD-3-Clause
// Operations by libfabric alone: the speed of the network without the library. raw_network.cpp
// makes them; a program built without libfabric has raw_absent.cpp instead.
#pragma once

#include "armci-bench/options/options.h"
#include "armci-bench/workloads/arena.h"

#include <memory>
#include <string>

namespace armci::bench {

struct Context;
class Workload;

// Endpoints of all ranks, apart from the library's, that can reach the memory of the arena.
class RawNetwork {
  public:
    RawNetwork() = default;
    virtual ~RawNetwork() = default;
    RawNetwork(const RawNetwork&) = delete;
    RawNetwork& operator=(const RawNetwork&) = delete;

    // "provider tcp;ofi_rxm on eth0, target spins".
    virtual std::string describe() const = 0;

    // For a row of a raw operation. The network outlives the workload.
    virtual std::unique_ptr<Workload> make_workload(const Context& context) = 0;
};

// Whether this program was built with libfabric.
bool raw_is_available();

// Collective over world, as is the destruction of the network. The arena outlives it. On failure
// every rank gets null, and *error has the reason on the ranks that know it.
std::unique_ptr<RawNetwork> open_raw_network(const Options& options, const Arena& arena,
                                             std::string* error);

}  // namespace armci::bench
