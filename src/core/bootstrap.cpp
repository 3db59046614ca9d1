// How ranks become nodes: by mapping memory together, not by comparing names.
//
// Ranks that seem to be on one host are a proposal; the first rank of each then offers its memory's
// descriptor on an abstract socket, and whoever can fetch them is on its node. The rest,
// for example ranks of another user, try again among themselves.
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "base/log.h"
#include "core/world.h"
#include "node/node_memory.h"

namespace armci::core {
namespace {

bool all_agree(bool mine, MPI_Comm comm) {
    int agree = mine ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &agree, 1, MPI_INT, MPI_MIN, comm);
    return agree != 0;
}

// Ranks connect before they are counted, and with many of them some can only when others have been
// accepted: so both are done at the same time.
void serve_memory(node::DescriptorServer& server, const node::Descriptor& memory, int most_clients,
                  MPI_Request* counted, const int* clients) {
    constexpr int kTimeoutMs = 1;
    int is_counted = 0;
    for (int served = 0; is_counted == 0 || served < *clients;) {
        if (served == most_clients) {
            MPI_Wait(counted, MPI_STATUS_IGNORE);
            return;
        }
        switch (server.serve_one(memory, kTimeoutMs)) {
            case node::DescriptorServer::Served::one:
                ++served;
                break;
            case node::DescriptorServer::Served::nobody:
                break;
            case node::DescriptorServer::Served::failed:
                base::fatal(nullptr,
                            "passing shared memory to the other ranks of this node failed: %s",
                            std::strerror(errno));
        }
        if (is_counted == 0) {
            MPI_Test(counted, &is_counted, MPI_STATUS_IGNORE);
        }
    }
}

// One proposal: true on the ranks that hold the descriptor of the first rank's memory afterwards.
bool fetch_memory(MPI_Comm comm, size_t bytes, node::Descriptor* memory) {
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank == 0) {
        *memory = node::create_node_memory(bytes);
        if (!memory->valid()) {
            base::fatal(nullptr,
                        "no shared memory can be created on this node (memfd_create of %zu "
                        "bytes of address space): %s",
                        bytes, std::strerror(errno));
        }
    }
    if (size == 1) {
        return true;
    }
    node::DescriptorServer server;
    char name[64] = "";
    if (rank == 0) {
        if (!server.start()) {
            base::fatal(nullptr, "no local socket can be made to share memory on this node: %s",
                        std::strerror(errno));
        }
        std::strncpy(name, server.name().c_str(), sizeof name - 1);
    }
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, comm);
    node::Descriptor connection;
    if (rank != 0) {
        connection = node::connect_to(name);
    }
    const int reached = connection.valid() ? 1 : 0;
    int clients = 0;
    MPI_Request counted = MPI_REQUEST_NULL;
    MPI_Ireduce(&reached, &clients, 1, MPI_INT, MPI_SUM, 0, comm, &counted);
    if (rank == 0) {
        serve_memory(server, *memory, size - 1, &counted, &clients);
        return true;
    }
    MPI_Wait(&counted, MPI_STATUS_IGNORE);
    *memory = node::receive_descriptor(connection);
    return memory->valid();
}

// Splits off the ranks that share memory with the first rank of `comm` until every rank is in a
// node.
MPI_Comm join_node(MPI_Comm comm, size_t bytes, node::Descriptor* memory) {
    for (;;) {
        const bool joined = fetch_memory(comm, bytes, memory);
        if (all_agree(joined, comm)) {
            return comm;
        }
        int rank = 0;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm next = MPI_COMM_NULL;
        MPI_Comm_split(comm, joined ? 0 : 1, rank, &next);
        MPI_Comm_free(&comm);
        if (joined) {
            return next;
        }
        comm = next;
    }
}

void map_at_common_address(MPI_Comm comm, NodeMapping* mapping) {
    for (int index = 0;; ++index) {
        void* address = node::candidate_address(index);
        if (address == nullptr) {
            base::fatal(nullptr,
                        "the ranks of this node have no common free range of %zu bytes of "
                        "address space; lower ARMCI_HEAP_SIZE or raise the limit on virtual memory "
                        "(ulimit -v)",
                        mapping->bytes);
        }
        const bool mapped = node::map_shared(mapping->memory, address, mapping->bytes);
        if (all_agree(mapped, comm)) {
            mapping->base = address;
            return;
        }
        if (mapped) {
            node::unmap_shared(address, mapping->bytes);
        }
    }
}

void number_nodes(World* world) {
    int first_rank = world->rank;
    MPI_Bcast(&first_rank, 1, MPI_INT, 0, world->node_comm);
    std::vector<int> first_ranks(world->size);
    MPI_Allgather(&first_rank, 1, MPI_INT, first_ranks.data(), 1, MPI_INT, world->comm);

    world->node_of.resize(world->size);
    world->node_count = 0;
    for (int rank = 0; rank < world->size; ++rank) {
        // A node's first rank is its lowest, so its number is known before its other ranks come.
        const int first = first_ranks[rank];
        world->node_of[rank] = first == rank ? world->node_count++ : world->node_of[first];
        if (first == first_rank) {
            world->node_ranks.push_back(rank);
        }
    }
    world->node = world->node_of[world->rank];
    MPI_Comm_rank(world->node_comm, &world->rank_in_node);
}

}  // namespace

void form_nodes(MPI_Comm comm, int64_t node_size, size_t mapping_bytes, World* world,
                NodeMapping* mapping) {
    MPI_Comm_dup(comm, &world->user_comm);
    MPI_Comm_dup(comm, &world->comm);
    MPI_Comm_set_errhandler(world->comm, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_rank(world->comm, &world->rank);
    MPI_Comm_size(world->comm, &world->size);

    // Colours are short, so ranks of several hosts may meet here: it is a proposal. (With MPICH,
    // MPI_Comm_split_type takes most of a millisecond.)
    MPI_Comm proposal = MPI_COMM_NULL;
    MPI_Comm_split(world->comm, static_cast<int>(host_identity() % INT_MAX), world->rank,
                   &proposal);
    if (node_size > 0) {
        int rank_on_host = 0;
        MPI_Comm_rank(proposal, &rank_on_host);
        MPI_Comm part = MPI_COMM_NULL;
        MPI_Comm_split(proposal, static_cast<int>(rank_on_host / node_size), world->rank, &part);
        MPI_Comm_free(&proposal);
        proposal = part;
    }
    mapping->bytes = mapping_bytes;
    world->node_comm = join_node(proposal, mapping_bytes, &mapping->memory);
    map_at_common_address(world->node_comm, mapping);
    number_nodes(world);
    MPI_Comm_split(world->comm, world->is_leader() ? 0 : MPI_UNDEFINED, world->rank,
                   &world->leaders_comm);
}

void leave_nodes(World* world, NodeMapping* mapping) {
    if (mapping->base != nullptr) {
        node::unmap_shared(mapping->base, mapping->bytes);
        mapping->base = nullptr;
    }
    mapping->memory.reset();
    for (MPI_Comm* comm :
         {&world->leaders_comm, &world->node_comm, &world->comm, &world->user_comm}) {
        if (*comm != MPI_COMM_NULL) {
            MPI_Comm_free(comm);
        }
    }
}

}  // namespace armci::core
