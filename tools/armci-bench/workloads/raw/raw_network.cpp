// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/raw/raw_network.h"

#include "armci-bench/workloads/implementation.h"
#include "armci-bench/workloads/raw/raw_workload.h"

#include <mpi.h>

#include <array>
#include <cstdlib>
#include <cstring>

namespace armci::bench {

namespace {

// The information that every rank sends to the others.
struct Card {
    std::array<char, 256> address;
    uint64_t key;
    uint64_t base;
};

bool all_succeeded(const std::string& error) {
    int ok = error.empty() ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_MIN, world());
    return ok == 1;
}

std::string wanted_provider(const Options& options) {
    if (!options.raw_provider.empty()) {
        return options.raw_provider;
    }
    const std::string in_use = provider_name();
    return in_use == "none" ? "" : in_use;
}

}  // namespace

FabricNetwork::FabricNetwork(const Options& options, const Arena& arena)
    : options_(options), arena_(arena) {
    MPI_Comm_rank(world(), &rank_);
    MPI_Comm_size(world(), &rank_count_);
}

FabricNetwork::~FabricNetwork() {
    MPI_Barrier(world());  // no rank closes what another one still uses
}

bool FabricNetwork::open(std::string* error) {
    *error = open_here();
    if (!all_succeeded(*error)) {
        return false;
    }
    *error = insert_peers();
    return all_succeeded(*error);
}

std::string FabricNetwork::open_here() {
    const char* interface = std::getenv("ARMCI_INTERFACE");
    std::string error;
    InfoPtr info = choose_raw_provider(wanted_provider(options_),
                                       interface != nullptr ? interface : "", &error);
    if (info == nullptr) {
        return error;
    }
    const bool acts = options_.pattern == Pattern::pair ? rank_ < rank_count_ / 2 : rank_ == 0;
    sleeps_ = options_.raw_peer == RawPeer::wait && !acts;
    error = endpoint_.open(std::move(info), sleeps_, static_cast<size_t>(rank_count_));
    if (error.empty()) {
        error = endpoint_.register_for_peers(
            arena_.area(rank_), static_cast<size_t>(arena_.area_bytes()), &area_region_);
    }
    if (error.empty()) {
        error = endpoint_.register_for_own_use(arena_.local_buffer(),
                                               static_cast<size_t>(arena_.local_buffer_bytes()),
                                               &local_region_);
    }
    if (error.empty() && endpoint_.address().size() > Card{}.address.size()) {
        error = "the provider's addresses are unusually long";
    }
    return error;
}

std::string FabricNetwork::insert_peers() {
    Card mine{};
    std::memcpy(mine.address.data(), endpoint_.address().data(), endpoint_.address().size());
    mine.key = area_region_.key;
    mine.base = area_region_.remote_base;
    std::vector<Card> cards(static_cast<size_t>(rank_count_));
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, cards.data(), sizeof mine, MPI_BYTE, world());
    std::string error;
    for (const Card& card : cards) {
        Peer peer{.key = card.key, .base = card.base};
        if (error.empty()) {
            error = endpoint_.insert_peer(card.address.data(), &peer.handle);
        }
        peers_.push_back(peer);
    }
    return error;
}

std::string FabricNetwork::describe() const {
    const fi_info& info = endpoint_.info();
    const char* domain = info.domain_attr->name;
    return std::string("provider ") + info.fabric_attr->prov_name + " on " +
           (domain != nullptr ? domain : "its network") +
           (options_.raw_peer == RawPeer::spin ? ", targets poll" : ", targets sleep");
}

uint64_t FabricNetwork::remote_address(const Arena& part, int rank) const {
    return peers_[static_cast<size_t>(rank)].base +
           static_cast<uint64_t>(part.data(rank) - arena_.area(rank));
}

std::unique_ptr<Workload> FabricNetwork::make_workload(const Context& context) {
    if (context.row.op == Op::raw_rmw) {
        return std::make_unique<RawRmwWorkload>(context, *this);
    }
    return std::make_unique<RawTransferWorkload>(context, *this);
}

bool raw_is_available() {
    return true;
}

std::unique_ptr<RawNetwork> open_raw_network(const Options& options, const Arena& arena,
                                             std::string* error) {
    auto network = std::make_unique<FabricNetwork>(options, arena);
    return network->open(error) ? std::move(network) : nullptr;
}

}  // namespace armci::bench
