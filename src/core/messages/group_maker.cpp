// SPDX-License-Identifier: BSD-3-Clause
#include "core/messages/group_maker.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "base/log.h"

namespace armci::core {
namespace {

constexpr const char* kFunction = "ARMCI_Group_create";
constexpr const char* kMembers = "the other members of a new group";

// What each member tells the others. If the group is on several nodes, the address of its endpoint
// follows.
struct Report {
    uint64_t barrier = 0;  // the address of the node's SharedBarrier, of its first member
    uint64_t token = 0;
};

// What members tell each other when they meet.
struct Offer {
    uint64_t number = 0;   // of the group, if the sender knows it
    uint64_t members = 0;  // digest_of() the list
};

// Lists that differ have different digests, except by chance: FNV-1a of 64 bits.
uint64_t digest_of(const std::vector<int>& world_ranks) {
    uint64_t digest = 0xcbf29ce484222325;
    for (const int rank : world_ranks) {
        digest = (digest ^ static_cast<uint32_t>(rank)) * 0x100000001b3;
    }
    return digest;
}

// The members of a group by node. Nodes have numbers in the group, in the order of their first
// members.
struct Nodes {
    Nodes(const World& world, const std::vector<int>& world_ranks) {
        std::unordered_map<int, int> places;
        for (size_t member = 0; member < world_ranks.size(); ++member) {
            const int node = world.node_of[world_ranks[member]];
            const auto [place, is_new] = places.emplace(node, static_cast<int>(leaders.size()));
            if (is_new) {
                leaders.push_back(member);
            }
            if (node == world.node) {
                here = place->second;
                my_rank_here = world_ranks[member] == world.rank ? count_here : my_rank_here;
                ++count_here;
            }
        }
    }
    int count() const { return static_cast<int>(leaders.size()); }
    bool am_leader() const { return my_rank_here == 0; }

    std::vector<size_t> leaders;  // by node: its first member
    int here = 0;                 // this node's number
    int count_here = 0;           // members on this node
    int my_rank_here = 0;         // among these
};

}  // namespace

struct GroupMaker::Reports {
    size_t bytes_each = 0;
    std::vector<unsigned char> all;

    Report of(size_t member) const {
        Report report;
        std::memcpy(&report, all.data() + member * bytes_each, sizeof report);
        return report;
    }
    const unsigned char* address_of(size_t member) const {
        return all.data() + member * bytes_each + sizeof(Report);
    }
};

GroupRef GroupMaker::make(std::vector<int> world_ranks, const Group* parent) {
    const uint64_t number = agree(world_ranks, parent);
    MPI_Comm comm = communicators_.make(world_ranks, number);
    MeetingPlace place = find_place(world_ranks, number, comm);
    const bool by_mpi = place.by_mpi;
    const GroupRef group = groups_.add(number, comm, std::move(world_ranks), std::move(place));
    if (by_mpi || checking_.is_on()) {
        group->keep_own_comm(communicators_.make(group->world_ranks(), number));
    }
    return group;
}

// MPI_Comm_create_group would wait without a message for a member that does not come, and without
// progress. In each round every member hears from one twice as far before it as in the last round,
// and through that one from those before it. Ranks that send each other messages here are both
// members of the group, so they make it in the same order as others that have the same parent, or
// none. Threads may do so for several parents at a time, so each parent has a tag, on a
// communicator where nothing else is sent. Without threads one tag is enough.
uint64_t GroupMaker::agree(const std::vector<int>& world_ranks, const Group* parent) {
    const World& world = progress_.world();
    const bool by_threads = world.groups_comm != MPI_COMM_NULL;
    MPI_Comm comm = by_threads ? world.groups_comm : world.comm;
    const int last_tag = own_tag();
    const int tag = by_threads && parent != nullptr
                        ? static_cast<int>(parent->number() % static_cast<uint64_t>(last_tag))
                        : last_tag;
    const auto found = std::find(world_ranks.begin(), world_ranks.end(), world.rank);
    const size_t count = world_ranks.size();
    const auto mine = static_cast<size_t>(found - world_ranks.begin());
    Offer offer{mine == 0 ? groups_.new_number(world) : 0, digest_of(world_ranks)};
    for (size_t distance = 1; distance < count; distance *= 2) {
        const int from = world_ranks[(mine + count - distance) % count];
        const int to = world_ranks[(mine + distance) % count];
        Offer received;
        MPI_Request receive = MPI_REQUEST_NULL;
        MPI_Request send = MPI_REQUEST_NULL;
        MPI_Irecv(&received, sizeof received, MPI_BYTE, from, tag, comm, &receive);
        MPI_Isend(&offer, sizeof offer, MPI_BYTE, to, tag, comm, &send);
        messages_.complete(&receive, kMembers);
        messages_.complete(&send, kMembers);
        if (received.members != offer.members) {
            base::fatal(kFunction,
                        "rank %d makes a group with other members than this rank, or in another "
                        "order; all members pass the same pid_list, and make the groups that they "
                        "have in common in the same order",
                        from);
        }
        offer.number = std::max(offer.number, received.number);
    }
    return offer.number;
}

GroupMaker::Reports GroupMaker::exchange(const void* mine, size_t bytes, size_t members,
                                         MPI_Comm comm) {
    Reports reports{bytes, std::vector<unsigned char>(bytes * members)};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgather(mine, static_cast<int>(bytes), MPI_BYTE, reports.all.data(),
                   static_cast<int>(bytes), MPI_BYTE, comm, &request);
    messages_.complete(&request, kMembers);
    return reports;
}

// The program does not have the communicator yet, so the library may use it.
MeetingPlace GroupMaker::find_place(const std::vector<int>& world_ranks, uint64_t number,
                                    MPI_Comm comm) {
    const World& world = progress_.world();
    const Nodes nodes(world, world_ranks);
    MeetingPlace place;
    place.is_one_node = nodes.count() == 1;
    place.is_leader = nodes.am_leader();
    place.by_mpi = !place.is_one_node && !progress_.network()->domain.row().sends_alone;
    if (place.by_mpi || world_ranks.size() == 1) {
        return place;
    }
    if (place.is_leader && nodes.count_here > 1) {
        const node::NodeHeap::Range range =
            node_.heap.allocate(node::SharedBarrier::bytes(nodes.count_here));
        checking_->check_given_out(kFunction, range);
        place.memory = node::SharedBarrier::make(node_.heap, range, nodes.count_here);
        if (!place.memory.is_valid()) {
            base::fatal(kFunction,
                        "the node heap has no room for the barrier of a group; raise "
                        "ARMCI_HEAP_SIZE, or free groups that are not needed any more "
                        "(ARMCI_Group_free), and their memory");
        }
    }
    Network* network = place.is_one_node ? nullptr : progress_.network();
    const Report report{place.memory.address(), network != nullptr ? network->token : 0};
    std::vector<unsigned char> mine(sizeof report +
                                    (network != nullptr ? network->origin_address_bytes : 0));
    std::memcpy(mine.data(), &report, sizeof report);
    if (network != nullptr) {
        const pipeline::BarrierMessages::Address& address = network->origin.barriers().address();
        std::copy(address.begin(), address.end(), mine.begin() + sizeof report);
    }
    const Reports reports = exchange(mine.data(), mine.size(), world_ranks.size(), comm);
    if (!place.is_leader) {
        const size_t leader = nodes.leaders[static_cast<size_t>(nodes.here)];
        place.memory = node::SharedBarrier::join(node_.heap, reports.of(leader).barrier);
    }
    if (nodes.count_here > 1) {
        place.here = place.memory.barrier(nodes.my_rank_here);
    }
    if (network == nullptr) {
        return place;
    }
    if (place.is_leader) {
        place.between = network->origin.barriers().join(
            kFunction, number, pipeline::InterNodeBarrier(nodes.here, nodes.count()),
            [&](int other) {
                const size_t leader = nodes.leaders[static_cast<size_t>(other)];
                const int rank = world_ranks[leader];
                return pipeline::BarrierMessages::Partner{rank, world.node_of[rank],
                                                          reports.of(leader).token,
                                                          reports.address_of(leader)};
            });
    }
    // No member arrives at a barrier before all take its messages.
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(comm, &request);
    messages_.complete(&request, kMembers);
    return place;
}

}  // namespace armci::core
