// SPDX-License-Identifier: BSD-3-Clause
// The network of raw operations over libfabric: what a workload needs of it.
#pragma once

#include "armci-bench/workloads/raw/raw.h"
#include "armci-bench/workloads/raw/raw_endpoint.h"

#include <cstdint>
#include <string>
#include <vector>

namespace armci::bench {

class FabricNetwork : public RawNetwork {
  public:
    FabricNetwork(const Options& options, const Arena& arena);
    ~FabricNetwork() override;

    // Collective over world. Returns whether all ranks succeeded; *error as open_raw_network().
    bool open(std::string* error);

    std::string describe() const override;
    std::unique_ptr<Workload> make_workload(const Context& context) override;

    RawEndpoint& endpoint() { return endpoint_; }
    fi_addr_t peer(int rank) const { return peers_[static_cast<size_t>(rank)].handle; }

    // What a write to, or a read from, a place in a rank's part of the arena needs.
    uint64_t remote_address(const Arena& part, int rank) const;
    uint64_t key(int rank) const { return peers_[static_cast<size_t>(rank)].key; }
    void* local_descriptor() const { return local_region_.descriptor; }

    // Whether this rank sleeps while it serves.
    bool sleeps() const { return sleeps_; }

  private:
    struct Peer {
        fi_addr_t handle = FI_ADDR_UNSPEC;
        uint64_t key = 0;
        uint64_t base = 0;
    };

    std::string open_here();
    std::string insert_peers();

    const Options& options_;
    const Arena& arena_;
    int rank_ = 0;
    int rank_count_ = 1;
    bool sleeps_ = false;
    RawEndpoint endpoint_;
    RawRegion area_region_;
    RawRegion local_region_;
    std::vector<Peer> peers_;
};

}  // namespace armci::bench
