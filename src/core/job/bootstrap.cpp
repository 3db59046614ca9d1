// SPDX-License-Identifier: BSD-3-Clause
// How ranks become nodes: by mapping memory together, not by comparing names.
//
// Ranks that seem to be on one host are a proposal. The first rank of each then offers its memory's
// descriptor on an abstract socket, and ranks that can fetch it are on its node. The rest, for
// example ranks of another user, try again among themselves.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>

#include "base/log.h"
#include "base/random.h"
#include "core/job/mpi_collectives.h"
#include "core/job/thread_level.h"
#include "core/job/world.h"
#include "node/heap.h"
#include "node/node_memory.h"

namespace armci::core {
namespace {

// With less there is not even room for what the library needs beside small arrays.
constexpr size_t kMinDataBytes = 64 << 20;

// Makes a communicator of these ranks, each of which calls this. Ranks poll in it, but only for
// each other. In MPI_Comm_split all ranks of `comm` do, which takes much longer where ranks share
// processors.
MPI_Comm communicator_of(MPI_Comm comm, const std::vector<int>& ranks) {
    constexpr int kTag = 0;
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group some = MPI_GROUP_NULL;
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
    MPI_Comm_create_group(comm, some, kTag, &made);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    return made;
}

// What the memory of a host's nodes is made with.
struct MemoryPlan {
    Reservation reservation;
    int64_t node_size = 0;  // 0: they are one node
};

// Halves the data. Returns false where that would be too little.
bool shrink(Reservation* reservation) {
    if (!reservation->may_shrink || reservation->data_bytes / 2 < kMinDataBytes) {
        return false;
    }
    reservation->data_bytes /= 2;
    return true;
}

// Is called on the first rank of those that may share it. Its parts are as large as the system
// permits.
base::Descriptor create_memory(MemoryPlan plan, int rank_count) {
    const int64_t parts =
        plan.node_size > 0 ? (rank_count + plan.node_size - 1) / plan.node_size : 1;
    base::Descriptor memory;
    size_t part_bytes = 0;
    do {
        part_bytes = node::NodeHeap::mapping_bytes(plan.reservation.data_bytes);
        memory = node::create_node_memory(node::HostAccount::kBytes +
                                          static_cast<size_t>(parts) * part_bytes);
    } while (!memory.valid() && (errno == EFBIG || errno == EINVAL) && shrink(&plan.reservation));
    node::HostAccount* account = memory.valid() ? node::map_account(memory) : nullptr;
    if (account == nullptr) {
        const int error = errno;
        base::fatal("ARMCI_Init",
                    "no shared memory can be created on %s (memfd_create, %zu bytes of address "
                    "space): %s; %s",
                    host_name().c_str(), part_bytes, std::strerror(error),
                    node::remedy_for_node_memory(error));
    }
    account->part_bytes = part_bytes;
    node::unmap_account(account);
    return memory;
}

// Ends the job where the system refuses.
uint64_t draw() {
    uint64_t random = 0;
    if (!base::draw_random(&random, sizeof random)) {
        base::fatal("ARMCI_Init",
                    "the system refuses random numbers (getrandom): %s; allow that call",
                    std::strerror(errno));
    }
    return random;
}

bool all_agree(bool mine, MPI_Comm comm) {
    int agree = mine ? 1 : 0;
    mpi::allreduce(&agree, 1, MPI_INT, MPI_MIN, comm);
    return agree != 0;
}

// Returns what to do where a local socket fails.
const char* remedy_for_sockets(int error) {
    switch (error) {
        case EMFILE:
        case ENFILE:
            return "; raise the limit on open files (ulimit -n)";
        case EPERM:
        case EACCES:
        case EAFNOSUPPORT:
            return "; allow sockets of the family AF_UNIX (a seccomp profile or a rule of a "
                   "security module forbids them)";
        default:
            return "; the node may be short of memory";
    }
}

// Ranks connect before they are counted. With many of them some can connect only when others have
// been accepted, so both are done at the same time.
void serve_memory(node::DescriptorServer& server, const base::Descriptor& memory, int max_clients,
                  MPI_Request* counted, const int* clients) {
    constexpr int kTimeoutMs = 1;
    int is_counted = 0;
    for (int served = 0; is_counted == 0 || served < *clients;) {
        if (served == max_clients) {
            mpi::wait(counted);
            return;
        }
        switch (server.serve_one(memory, kTimeoutMs)) {
            case node::DescriptorServer::Served::one:
                ++served;
                break;
            case node::DescriptorServer::Served::none:
                break;
            case node::DescriptorServer::Served::failed:
                base::fatal("ARMCI_Init",
                            "passing shared memory to the other ranks of %s over a local socket "
                            "failed: %s%s",
                            host_name().c_str(), std::strerror(errno), remedy_for_sockets(errno));
        }
        if (is_counted == 0) {
            MPI_Test(counted, &is_counted, MPI_STATUS_IGNORE);
        }
    }
}

// Tries one proposal. Returns true on the ranks that then hold the descriptor of the first rank's
// memory.
bool fetch_memory(MPI_Comm comm, const MemoryPlan& plan, base::Descriptor* memory) {
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank == 0) {
        *memory = create_memory(plan, size);
    }
    if (size == 1) {
        return true;
    }
    node::DescriptorServer server;
    char name[64] = "";
    if (rank == 0) {
        if (!server.start()) {
            base::fatal("ARMCI_Init", "no local socket can be made to share memory on %s: %s%s",
                        host_name().c_str(), std::strerror(errno), remedy_for_sockets(errno));
        }
        std::strncpy(name, server.name().c_str(), sizeof name - 1);
    }
    mpi::bcast(name, sizeof name, MPI_CHAR, 0, comm);
    base::Descriptor connection;
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
    mpi::wait(&counted);
    *memory = node::receive_descriptor(connection);
    return memory->valid();
}

// Splits off the ranks that share memory with the first rank of `comm`, until every rank is in such
// a group.
MPI_Comm join_others(MPI_Comm comm, const MemoryPlan& plan, base::Descriptor* memory) {
    for (;;) {
        const bool joined = fetch_memory(comm, plan, memory);
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

void open_account(NodeMapping* mapping) {
    mapping->account = node::map_account(mapping->memory);
    if (mapping->account == nullptr) {
        base::fatal("ARMCI_Init",
                    "shared memory cannot be mapped on %s: %s; raise the limit on "
                    "virtual memory (ulimit -v)",
                    host_name().c_str(), std::strerror(errno));
    }
}

// Divides the ranks that share memory into virtual nodes of so many ranks, each with a part of the
// memory. One node after the other makes its communicator: where ranks share processors, those that
// poll get one then. (Whether they do is not the same for each rank, because each may be bound to
// other processors.)
void take_part(int64_t node_size, World* world, NodeMapping* mapping) {
    MPI_Comm sharing = world->node_comm;
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(sharing, &rank);
    MPI_Comm_size(sharing, &size);
    const auto part = rank / node_size;
    mapping->offset += static_cast<uint64_t>(part) * mapping->account->part_bytes;
    std::vector<int> here(static_cast<size_t>(std::min(node_size, size - part * node_size)));
    std::iota(here.begin(), here.end(), static_cast<int>(part * node_size));
    for (int64_t turn = 0; turn * node_size < size; ++turn) {
        if (turn == part) {
            world->node_comm = communicator_of(sharing, here);
        }
        mpi::barrier(sharing);
    }
    MPI_Comm_free(&sharing);
}

// Returns an address at which all ranks of the node have room for it, or nullptr. If the user has
// not named a size, it must leave the program as much address space again, where that is limited.
void* find_common_address(MPI_Comm comm, uint64_t random, bool must_leave_room,
                          const NodeMapping& mapping) {
    for (int index = 0;; ++index) {
        void* address = node::candidate_address(index, random);
        if (address == nullptr) {
            return nullptr;
        }
        const bool mapped =
            node::map_shared(mapping.memory, address, mapping.bytes, mapping.offset);
        const bool fits = mapped && (!must_leave_room || node::leaves_address_space(mapping.bytes));
        if (all_agree(fits, comm)) {
            return address;
        }
        if (mapped) {
            node::unmap_shared(address, mapping.bytes);
        }
    }
}

// `random` is used on the first rank only.
void map_at_common_address(MPI_Comm comm, uint64_t random, Reservation wanted,
                           NodeMapping* mapping) {
    mpi::bcast(&random, 1, MPI_UINT64_T, 0, comm);
    do {
        mapping->bytes = node::NodeHeap::mapping_bytes(wanted.data_bytes);
        if (mapping->bytes <= mapping->account->part_bytes) {
            mapping->base = find_common_address(comm, random, wanted.may_shrink, *mapping);
        }
    } while (mapping->base == nullptr && shrink(&wanted));
    if (mapping->base != nullptr) {
        return;
    }
    uint64_t limit = node::address_space_limit();
    mpi::allreduce(&limit, 1, MPI_UINT64_T, MPI_MIN, comm);
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        const std::string limit_text =
            limit == UINT64_MAX ? "unlimited" : std::to_string(limit / 1024) + " KiB";
        base::fatal(
            "ARMCI_Init",
            "the ranks of %s have no common free range of %zu bytes of address space%s; "
            "raise the limit on virtual memory (ulimit -v, which is %s)%s",
            host_name().c_str(), mapping->bytes,
            wanted.may_shrink ? ", the least that the library takes, and as much again" : "",
            limit_text.c_str(), wanted.may_shrink ? "" : ", or lower ARMCI_HEAP_SIZE");
    }
    mpi::barrier(comm);  // the first rank ends the job
}

struct Common {
    bool is_single_host;  // all ranks run on one host and in one network: loopback reaches them all
    bool has_threads;     // MPI provides MPI_THREAD_MULTIPLE to some ranks
};

Common find_common(MPI_Comm comm) {
    const uint64_t mine = host_identity();
    uint64_t least[3] = {mine, ~mine, provided_level() == MPI_THREAD_MULTIPLE ? 0U : 1U};
    mpi::allreduce(least, 3, MPI_UINT64_T, MPI_MIN, comm);
    return {least[0] == ~least[1], least[2] == 0};
}

// Returns the ranks that seem to be on this host. (With MPICH, MPI_Comm_split_type takes most of a
// millisecond.)
MPI_Comm propose_host(const World& world) {
    if (world.is_single_host) {
        MPI_Comm proposal = MPI_COMM_NULL;
        mpi::duplicate(world.comm, &proposal);
        return proposal;
    }
    std::vector<uint64_t> hosts(static_cast<size_t>(world.size));
    hosts[static_cast<size_t>(world.rank)] = host_identity();
    mpi::allgather(hosts.data(), sizeof hosts[0], world.comm);
    std::vector<int> here;
    for (int rank = 0; rank < world.size; ++rank) {
        if (hosts[static_cast<size_t>(rank)] == hosts[static_cast<size_t>(world.rank)]) {
            here.push_back(rank);
        }
    }
    return communicator_of(world.comm, here);
}

// Returns the first rank of each node.
std::vector<int> number_nodes(World* world) {
    int first_rank = world->rank;
    mpi::bcast(&first_rank, 1, MPI_INT, 0, world->node_comm);
    std::vector<int> first_ranks(world->size);
    first_ranks[world->rank] = first_rank;
    mpi::allgather(first_ranks.data(), sizeof first_rank, world->comm);

    std::vector<int32_t> nodes(world->size);
    std::vector<int> leaders;
    for (int rank = 0; rank < world->size; ++rank) {
        // A node's first rank is its lowest, so its number is known before its other ranks come.
        const int first = first_ranks[rank];
        if (first == rank) {
            nodes[rank] = static_cast<int32_t>(leaders.size());
            leaders.push_back(rank);
        } else {
            nodes[rank] = nodes[first];
        }
        if (first == first_rank) {
            world->node_ranks.push_back(rank);
        }
    }
    world->node_count = static_cast<int>(leaders.size());
    world->node_of = NodeNumbers(std::move(nodes), world->node_count, world->rank);
    world->node = world->node_of[world->rank];
    MPI_Comm_rank(world->node_comm, &world->rank_in_node);
    return leaders;
}

}  // namespace

void form_nodes(MPI_Comm comm, int64_t node_size, const Reservation& wanted, World* world,
                NodeMapping* mapping) {
    // This comes before the sockets, which would fail without random names.
    const uint64_t random = draw();
    mpi::duplicate(comm, &world->user_comm);
    mpi::duplicate(comm, &world->comm);
    MPI_Comm_set_errhandler(world->comm, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_rank(world->comm, &world->rank);
    MPI_Comm_size(world->comm, &world->size);

    const Common common = find_common(world->comm);
    world->is_single_host = common.is_single_host;
    if (common.has_threads) {
        mpi::duplicate(world->comm, &world->groups_comm);
    }
    mapping->wanted_bytes = node::NodeHeap::mapping_bytes(wanted.data_bytes);
    world->node_comm = join_others(propose_host(*world), {wanted, node_size}, &mapping->memory);
    open_account(mapping);
    if (node_size > 0) {
        take_part(node_size, world, mapping);
    }
    map_at_common_address(world->node_comm, random, wanted, mapping);
    const std::vector<int> leaders = number_nodes(world);
    if (world->is_leader()) {
        world->leaders_comm = communicator_of(world->comm, leaders);
    }
}

void connect_masters(World* world) {
    if (world->is_leader()) {
        mpi::duplicate(world->leaders_comm, &world->masters_comm);
    }
}

void leave_nodes(World* world, NodeMapping* mapping) {
    if (mapping->base != nullptr) {
        node::unmap_shared(mapping->base, mapping->bytes);
        mapping->base = nullptr;
    }
    if (mapping->account != nullptr) {
        node::unmap_account(mapping->account);
        mapping->account = nullptr;
    }
    mapping->memory.reset();
    for (MPI_Comm* comm : {&world->masters_comm, &world->leaders_comm, &world->node_comm,
                           &world->groups_comm, &world->comm, &world->user_comm}) {
        if (*comm != MPI_COMM_NULL) {
            MPI_Comm_free(comm);
        }
    }
}

}  // namespace armci::core
