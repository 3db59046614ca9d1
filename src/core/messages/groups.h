// SPDX-License-Identifier: BSD-3-Clause
// Process groups: ordered lists of ranks with a communicator. World is group 0.
//
// The public ARMCI_Group is copied by value everywhere, so identity is a number in it; everything
// else lives here. A group stays alive while memory allocated on it does, even after the user freed
// it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace armci::core {

struct World;

class Group {
  public:
    static constexpr int kWorldId = 0;

    // `comm` is the communicator the user sees. `own_comm` is for the library's collectives, which
    // must not mix with the user's. The group frees both when `owns_comms`.
    Group(int id, MPI_Comm comm, MPI_Comm own_comm, bool owns_comms, std::vector<int> world_ranks);
    // Makes world, whose ranks are their own numbers.
    Group(MPI_Comm comm, MPI_Comm own_comm, int size);
    ~Group();
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    int id() const { return id_; }
    MPI_Comm comm() const { return comm_; }
    MPI_Comm own_comm() const { return own_comm_; }
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
    // Returns the table for public structures. World's has an entry for each rank of the job, so it
    // is made at the first call.
    int* world_rank_table();

  private:
    int id_;
    MPI_Comm comm_;
    MPI_Comm own_comm_;
    bool owns_comms_;
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
    void start(const World& world);
    void stop();

    const GroupRef& world() const { return groups_[Group::kWorldId]; }
    // The group of this node's ranks, and that of the first ranks of all nodes (nullptr on the
    // others), which is made at the first call.
    const GroupRef& node() const { return node_; }
    const GroupRef& leaders(const World& world);
    // Returns nullptr when the number is no group's, or a freed one's.
    const GroupRef& find(int id) const;
    // Finds a freed group, too, as long as memory lives that was allocated on it.
    GroupRef find_for_free(int id) const;

    // The members of `world_ranks` call this when all of them have come (Messages::create_group).
    GroupRef create(const World& world, std::vector<int> world_ranks);
    // Takes over a communicator that MPI made from an existing group's.
    GroupRef adopt(MPI_Comm comm, std::vector<int> world_ranks);
    void forget(int id);
    // Makes a group of one rank, for bookkeeping. It has no communicator, and its own rank is -1.
    static GroupRef single(int world_rank);

    int default_id() const { return default_id_; }
    void set_default(int id) { default_id_ = id; }

  private:
    int new_id();

    std::vector<GroupRef> groups_;                         // by number
    std::unordered_map<int, std::weak_ptr<Group>> freed_;  // likewise
    GroupRef none_;
    GroupRef node_;
    GroupRef leaders_;
    int default_id_ = Group::kWorldId;
};

}  // namespace armci::core
