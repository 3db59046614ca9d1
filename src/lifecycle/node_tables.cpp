// SPDX-License-Identifier: BSD-3-Clause
#include "lifecycle/node_tables.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/log.h"
#include "core/job/mpi_collectives.h"
#include "core/job/world.h"
#include "core/progress/network.h"
#include "node/heap.h"
#include "wire/frame.h"

namespace armci::lifecycle {
namespace {

// Returns memory of the node, which its first rank allocates.
unsigned char* allocate_shared(core::Runtime& runtime, size_t bytes, const char* purpose,
                               uint32_t* record) {
    uint64_t location = 0;
    if (runtime.world.is_leader()) {
        const node::NodeHeap::Range range = runtime.node.heap.allocate(bytes);
        if (range.data == nullptr) {
            base::fatal("ARMCI_Init", "the node heap has no room for %s; raise ARMCI_HEAP_SIZE",
                        purpose);
        }
        *record = range.record;
        location = reinterpret_cast<uint64_t>(range.data);
    }
    core::mpi::bcast(&location, 1, MPI_UINT64_T, 0, runtime.world.node_comm);
    return reinterpret_cast<unsigned char*>(location);
}

// Writes the record of this rank's data server.
void write_record(const core::Runtime& runtime, unsigned char* place) {
    const datasrv::Server& server = *runtime.network->server;
    core::ServerRecord record{server.recv_area(),
                              reinterpret_cast<uint64_t>(runtime.node.mapping.base),
                              runtime.node.mapping.bytes, runtime.network->token};
    std::snprintf(record.host, sizeof record.host, "%s", core::host_name().c_str());
    std::memcpy(place, &record, sizeof record);
    place += sizeof record;
    const std::vector<uint64_t>& keys = server.recv_area_keys();
    std::copy(keys.begin(), keys.end(), reinterpret_cast<uint64_t*>(place));
    place += runtime.network->domain.further_key_count() * sizeof keys[0];
    const std::vector<unsigned char>& address = server.address();
    std::copy(address.begin(), address.end(), place);
}

}  // namespace

void share_rank_tables(core::Runtime& runtime) {
    core::RankTable& nodes = runtime.world.node_of.table();
    core::RankTable& servers = runtime.network->rank_servers.table();
    if (nodes.empty()) {
        return;  // so it is on all ranks
    }
    uint32_t record = 0;
    auto* shared = reinterpret_cast<int32_t*>(
        allocate_shared(runtime, nodes.by_rank().size_bytes() + servers.by_rank().size_bytes(),
                        "the numbers of the nodes and data servers of all ranks", &record));
    int32_t* shared_servers = shared + nodes.by_rank().size();
    if (runtime.world.is_leader()) {
        std::ranges::copy(nodes.by_rank(), shared);
        std::ranges::copy(servers.by_rank(), shared_servers);
    }
    core::mpi::barrier(runtime.world.node_comm);
    nodes.use_copy(shared);
    servers.use_copy(shared_servers);
}

void exchange_addresses(core::Runtime& runtime) {
    core::Network& network = *runtime.network;
    const core::World& world = runtime.world;
    // Most providers have addresses of one length; the longest sets the room for all.
    uint64_t bytes_each = network.server == nullptr
                              ? 0
                              : wire::padded(sizeof(core::ServerRecord) +
                                             network.domain.further_key_count() * sizeof(uint64_t) +
                                             network.server->address().size());
    core::mpi::allreduce(&bytes_each, 1, MPI_UINT64_T, MPI_MAX, world.comm);
    unsigned char* records =
        allocate_shared(runtime, bytes_each * static_cast<size_t>(network.servers.count()),
                        "the addresses of the data servers", &network.server_addresses_record);
    if (network.server != nullptr) {
        write_record(runtime, records + bytes_each * static_cast<size_t>(
                                                         runtime.network->rank_servers.hosted()));
    }
    core::mpi::barrier(world.node_comm);
    if (world.is_leader()) {
        const size_t bytes = bytes_each * static_cast<size_t>(network.servers.per_node);
        core::mpi::allgather(records, static_cast<int>(bytes), world.leaders_comm);
    }
    core::mpi::barrier(world.node_comm);
    network.server_addresses = records;
    network.server_address_bytes = bytes_each;
}

}  // namespace armci::lifecycle
