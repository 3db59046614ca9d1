// SPDX-License-Identifier: BSD-3-Clause
#include "lifecycle/places.h"

#include <cstring>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/placement.h"
#include "base/topology.h"
#include "core/job/mpi_collectives.h"

namespace armci::lifecycle {
namespace {

// What the first rank of a node tells each rank there.
struct PlaceReport {
    char adapter[64] = "";
    int processor = -1;
};

// Returns where each rank of the node may run, on its first rank.
std::vector<std::string> gather_processors(const core::World& world) {
    const base::ProcessorBits mine = base::processor_bits();
    std::vector<base::ProcessorBits> all(world.is_leader() ? world.node_ranks.size() : 0);
    core::mpi::gather(mine.data(), all.data(), static_cast<int>(sizeof mine), 0, world.node_comm);
    std::vector<std::string> processors;
    for (const base::ProcessorBits& bits : all) {
        processors.push_back(base::processors_text(bits));
    }
    return processors;
}

std::vector<PlaceReport> place_all(const core::Runtime& runtime,
                                   std::vector<std::string> processors,
                                   const core::RankServers& servers,
                                   const std::vector<fabric::Adapter>& adapters) {
    const core::World& world = runtime.world;
    std::vector<PlaceReport> places(world.node_ranks.size());
    // Virtual nodes share their host's processors, so a processor that is free in one node may be
    // used by another.
    const bool binds_servers = runtime.config().node_size == 0;
    if (!binds_servers && adapters.size() < 2) {
        return places;  // hwloc takes milliseconds to look at the machine
    }
    const base::Hardware hardware = base::Hardware::of_this_host();
    base::PlacementQuestion question;
    question.ranks = std::move(processors);
    for (int i = 0; i < static_cast<int>(places.size()); ++i) {
        if (servers.is_host(world, i)) {
            question.server_ranks.push_back(i);
        }
    }
    for (const fabric::Adapter& adapter : adapters) {
        question.adapters.push_back(hardware.processors_near(adapter.bus_id));
    }
    const base::Placement placement = base::place_node(hardware, question);
    for (size_t i = 0; i < places.size() && adapters.size() > 1; ++i) {
        const auto adapter = static_cast<size_t>(placement.adapter_of_rank[i]);
        std::strncpy(places[i].adapter, adapters[adapter].name.c_str(),
                     sizeof places[i].adapter - 1);
    }
    for (size_t server = 0; binds_servers && server < question.server_ranks.size(); ++server) {
        places[static_cast<size_t>(question.server_ranks[server])].processor =
            placement.processor_of_server[server];
    }
    return places;
}

}  // namespace

Place agree_on_place(const core::Runtime& runtime, int servers_per_node,
                     const std::vector<fabric::Adapter>& adapters) {
    const core::World& world = runtime.world;
    core::RankServers servers;
    servers.start(world, {world.node_count, servers_per_node});
    std::vector<std::string> processors = gather_processors(world);
    std::vector<PlaceReport> places;
    if (world.is_leader()) {
        places = place_all(runtime, std::move(processors), servers, adapters);
    }
    PlaceReport mine;
    core::mpi::scatter(places.data(), &mine, sizeof mine, 0, world.node_comm);
    return {mine.adapter, mine.processor};
}

void use_adapter(const core::World& world, const std::string& adapter,
                 fabric::ProviderChoice* choice) {
    if (adapter.empty() || choice->adapters.size() < 2 ||
        fabric::interface_name(*choice->info) == adapter) {
        return;
    }
    fabric::ProviderChoice there = fabric::choose_provider(
        {choice->info->fabric_attr->prov_name, adapter, world.is_single_host});
    if (there.info) {
        choice->info = std::move(there.info);
    } else {
        // The node's first rank sees the adapter, and this rank does not. It keeps the one that it
        // has.
        ARMCI_LOG_INFO("adapter %s is not used here: %s", adapter.c_str(), there.error.c_str());
    }
}

}  // namespace armci::lifecycle
