// SPDX-License-Identifier: BSD-3-Clause
// Process groups: ordered lists of ranks with a communicator, and where they meet at barriers.
// World is group 0.
//
// The public ARMCI_Group is copied by value everywhere, so identity is a number in it; everything
// else lives here. A group stays alive while memory allocated on it does, even after the user freed
// it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "node/barrier.h"
#include "node/shared_barrier.h"
#include "pipeline/origin/joined_barrier.h"

namespace armci::core {

struct World;

// Where the members of a group meet at barriers.
struct MeetingPlace {
    node::NodeBarrier here;      // of the members on this node
    node::SharedBarrier memory;  // of `here`, unless it is world's
    bool is_one_node = true;     // all members are on this node
    bool is_leader = true;       // this is the first member on its node
    // Whether nodes meet by MPI, because the provider does not send the library's messages alone.
    bool by_mpi = false;
    std::shared_ptr<pipeline::JoinedBarrier> between;  // the leader's, if nodes meet by messages
    const char* visitor = nullptr;                     // the function whose thread is there
};

class Group {
  public:
    static constexpr int kWorldId = 0;
    static constexpr uint64_t kWorldNumber = 0;

    // `comm` is the communicator the user sees. `own_comm` is for the library's collectives, which
    // must not mix with the user's. Both stay the caller's.
    Group(int id, MPI_Comm comm, MPI_Comm own_comm, std::vector<int> world_ranks);
    // Makes world, whose ranks are their own numbers.
    Group(MPI_Comm comm, MPI_Comm own_comm, int size, MeetingPlace place);
    // Makes a group of the program, which owns its communicators. The library's own is made when it
    // is needed (Communicators::own). `number` is what all members know the group by.
    Group(int id, uint64_t number, MPI_Comm comm, std::vector<int> world_ranks, MeetingPlace place);
    ~Group();
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    int id() const { return id_; }
    MPI_Comm comm() const { return comm_; }
    // Returns MPI_COMM_NULL until it is made.
    MPI_Comm own_comm() const { return own_comm_; }
    void keep_own_comm(MPI_Comm comm) const { own_comm_ = comm; }
    uint64_t number() const { return number_; }
    // Is used by the one thread that is in a meeting of the group.
    MeetingPlace& meeting_place() const { return place_; }
    // The members meet no more. This is for the end of the library, before the node's memory goes.
    void leave_meeting_place() { place_ = {}; }
    int rank() const { return rank_; }
    int size() const { return size_; }
    bool is_world() const { return id_ == kWorldId; }
    // Converts a group rank to a world rank; -1 outside the group.
    int world_rank(int group_rank) const {
        if (group_rank < 0 || group_rank >= size_) {
            return -1;
        }
        return is_world() ? group_rank : world_ranks_[group_rank];
    }
    // Converts a world rank to a group rank; -1 for ranks that are not members.
    int group_rank(int world_rank) const;
    // Is empty for world until the next function is called.
    const std::vector<int>& world_ranks() const { return world_ranks_; }
    // Returns the table for public structures. World's has an entry for each rank of the job, so it
    // is made at the first call.
    int* world_rank_table();

  private:
    int id_;
    uint64_t number_ = kWorldNumber;
    MPI_Comm comm_;
    mutable MPI_Comm own_comm_;
    bool owns_comms_ = false;
    mutable MeetingPlace place_;
    int rank_ = -1;
    int size_;
    std::vector<int> world_ranks_;
    // (world rank, group rank), sorted; empty if the list above is sorted, and of world.
    std::vector<std::pair<int, int>> by_world_rank_;
};

using GroupRef = std::shared_ptr<Group>;

class Groups {
  public:
    // Creates group 0.
    void start(const World& world, const node::NodeBarrier& barrier);
    void stop();

    const GroupRef& world() const { return groups_[Group::kWorldId]; }
    // The group of this node's ranks, and that of the first ranks of all nodes (nullptr on the
    // others), which is made at the first call. Nodes are domains.
    const GroupRef& node() const { return node_; }
    const GroupRef& leaders(const World& world);
    // Returns nullptr when the number is no group's, or a freed one's.
    const GroupRef& find(int id) const;
    // Finds a freed group, too, as long as memory lives that was allocated on it.
    GroupRef find_for_free(int id) const;

    // Adds a group whose members have agreed on all this (GroupMaker).
    GroupRef add(uint64_t number, MPI_Comm comm, std::vector<int> world_ranks, MeetingPlace place);
    void forget(int id);
    // Returns a number that no rank has given to a group yet. The first member gives it.
    uint64_t new_number(const World& world);
    // Makes a group of one rank, for bookkeeping. It has no communicator, and its own rank is -1.
    static GroupRef single(int world_rank);

    int default_id() const { return default_id_; }
    void set_default(int id) { default_id_ = id; }

  private:
    // By number. A call that waits refers to one while another thread adds some.
    std::deque<GroupRef> groups_;
    std::unordered_map<int, std::weak_ptr<Group>> freed_;  // likewise
    GroupRef none_;
    GroupRef node_;
    GroupRef leaders_;
    int default_id_ = Group::kWorldId;
    uint64_t numbers_given_ = 0;
};

}  // namespace armci::core
