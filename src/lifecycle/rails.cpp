// SPDX-License-Identifier: BSD-3-Clause
#include "lifecycle/rails.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "core/job/mpi_collectives.h"
#include "fabric/endpoint.h"
#include "lifecycle/choose_network.h"

namespace armci::lifecycle {
namespace {

// Returns whether no rank has an obstacle. The first rank that has one names it.
bool can_all_use(const core::World& world, const std::string& interface,
                 const std::string& obstacle) {
    int first = obstacle.empty() ? INT_MAX : world.rank;
    core::mpi::allreduce(&first, 1, MPI_INT, MPI_MIN, world.comm);
    if (first == world.rank) {
        ARMCI_LOG_WARN(
            "ARMCI_INTERFACE: interface \"%s\" is left out, because %s cannot use it: %s. "
            "Transfers use the other interfaces",
            interface.c_str(), core::describe_node(world).c_str(), obstacle.c_str());
    }
    return first == INT_MAX;
}

// Returns why no endpoint can be opened there, or an empty text.
std::string try_to_open(fabric::Domain& rail) {
    std::string error;
    fabric::Endpoint endpoint;
    return endpoint.open(rail, {}, &error) ? std::string() : error;
}

// Does the same for an adapter that is no IP interface. It has no other trial, and because ranks
// may begin with different adapters, a later one could not leave out the same for all.
std::string try_adapter(const fabric::ProviderChoice& choice) {
    if (choice.adapters.empty()) {
        return {};
    }
    fabric::ProviderChoice copy;
    copy.info = fabric::InfoPtr(fi_dupinfo(choice.info.get()));
    copy.row = choice.row;
    std::string error;
    fabric::Domain domain;
    return domain.open(std::move(copy), 1, &error) ? try_to_open(domain) : error;
}

}  // namespace

std::vector<RailChoice> choose_rails(const core::Runtime& runtime, const std::string& provider,
                                     int count) {
    const core::World& world = runtime.world;
    const std::vector<std::string> names = runtime.config().interfaces();
    std::vector<RailChoice> rails;
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
        RailChoice rail;
        rail.interface = i < names.size() ? names[i] : std::string();
        std::string obstacle = "its ARMCI_INTERFACE names only " + std::to_string(names.size());
        if (i < names.size()) {
            rail.choice = fabric::choose_provider({provider, rail.interface, world.is_single_host});
            obstacle = rail.choice.info ? try_adapter(rail.choice) : rail.choice.error;
        }
        if (!can_all_use(world, rail.interface, obstacle)) {
            continue;
        }
        const AgreedNetwork network =
            agree_on_network(runtime, NetworkNeed::optional, &rail.choice);
        rail.network_reason = network.reason;
        if (network.connects || can_all_use(world, rail.interface, network.reason)) {
            rails.push_back(std::move(rail));
        }
    }
    if (rails.empty()) {
        if (world.rank == 0) {
            base::fatal("ARMCI_Init", "all ranks can use none of the interfaces %s. %s",
                        runtime.config().interface.c_str(), kProviderRemedy);
        }
        core::mpi::barrier(world.comm);  // rank 0 ends the job
    }
    return rails;
}

std::vector<fabric::Adapter> adapters_of(const std::vector<RailChoice>& rails) {
    std::vector<fabric::Adapter> adapters;
    for (const RailChoice& rail : rails) {
        const char* fabric = rail.choice.info->fabric_attr->name;
        const char* first = rails.front().choice.info->fabric_attr->name;
        const bool is_of_one_fabric = rail.choice.row->fabrics_have_names && fabric != nullptr &&
                                      first != nullptr && std::strcmp(fabric, first) == 0;
        if (rail.choice.adapters.empty() || !is_of_one_fabric) {
            return {};
        }
        adapters.push_back(rail.choice.adapters.front());
    }
    return adapters;
}

std::vector<fabric::Adapter> agree_on_adapters(const core::World& world,
                                               const std::vector<RailChoice>& rails) {
    std::vector<fabric::Adapter> adapters = adapters_of(rails);
    int are_there = adapters.empty() ? 0 : 1;
    core::mpi::allreduce(&are_there, 1, MPI_INT, MPI_MIN, world.comm);
    return are_there != 0 ? adapters : std::vector<fabric::Adapter>();
}

size_t rotate_to(const std::string& adapter, std::vector<RailChoice>* rails) {
    const auto first = std::find_if(rails->begin(), rails->end(), [&](const RailChoice& rail) {
        return fabric::interface_name(*rail.choice.info) == adapter;
    });
    if (first == rails->end()) {
        return 0;
    }
    const auto count = static_cast<size_t>(first - rails->begin());
    std::rotate(rails->begin(), first, rails->end());
    return count;
}

void open_rails(const core::World& world, std::vector<RailChoice> rails, size_t peer_count,
                fabric::Domain* domain) {
    for (RailChoice& rail : rails) {
        std::string obstacle;
        const bool is_added = domain->add_rail(std::move(rail.choice), peer_count, &obstacle);
        if (is_added) {
            obstacle = try_to_open(*domain->rails().back());
        }
        if (!can_all_use(world, rail.interface, obstacle) && is_added) {
            domain->drop_rail();
        }
    }
}

void check_keys(const core::World& world, const fabric::Domain& domain) {
    if (domain.rails().empty()) {
        return;  // so it is on all ranks
    }
    const auto mine = static_cast<int>(domain.further_key_count());
    int range[] = {mine, -mine};
    core::mpi::allreduce(range, 2, MPI_INT, MPI_MAX, world.comm);
    if (range[0] != -range[1]) {
        if (mine == 0) {
            base::fatal("ARMCI_Init",
                        "provider %s lets memory have one key on all interfaces of ARMCI_INTERFACE "
                        "on %s, and not on other hosts, which perhaps have another version of "
                        "libfabric. Use one version, or name one interface",
                        domain.provider_name().c_str(), core::describe_node(world).c_str());
        }
        core::mpi::barrier(world.comm);  // a rank without further keys ends the job
    }
}

}  // namespace armci::lifecycle
