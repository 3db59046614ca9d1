// SPDX-License-Identifier: BSD-3-Clause
#include "core/messages/groups.h"

#include <algorithm>
#include <numeric>

#include "base/log.h"
#include "core/job/mpi_collectives.h"
#include "core/job/world.h"

namespace armci::core {
namespace {

constexpr int kNoId = -1;  // of groups that no public struct names

// MPI has communicators for some thousand groups, and its own error text names no remedy.
template <class Make>
MPI_Comm make_communicator(MPI_Comm from, Make&& make) {
    MPI_Errhandler usual = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(from, &usual);
    MPI_Comm_set_errhandler(from, MPI_ERRORS_RETURN);
    MPI_Comm made = MPI_COMM_NULL;
    const int result = make(&made);
    MPI_Comm_set_errhandler(from, usual);
    if (result != MPI_SUCCESS) {
        base::fatal("ARMCI_Group_create",
                    "MPI makes no more communicators, of which each group takes two; free groups "
                    "that are not needed any more (ARMCI_Group_free), and their memory");
    }
    MPI_Comm_set_errhandler(made, usual);
    MPI_Errhandler_free(&usual);
    return made;
}

}  // namespace

Group::Group(int id, MPI_Comm comm, MPI_Comm own_comm, bool owns_comms,
             std::vector<int> world_ranks)
    : id_(id),
      comm_(comm),
      own_comm_(own_comm),
      owns_comms_(owns_comms),
      size_(static_cast<int>(world_ranks.size())),
      world_ranks_(std::move(world_ranks)) {
    if (comm_ != MPI_COMM_NULL) {
        MPI_Comm_rank(comm_, &rank_);
    }
    if (std::is_sorted(world_ranks_.begin(), world_ranks_.end())) {
        return;
    }
    by_world_rank_.reserve(world_ranks_.size());
    for (int i = 0; i < size(); ++i) {
        by_world_rank_.emplace_back(world_ranks_[i], i);
    }
    std::sort(by_world_rank_.begin(), by_world_rank_.end());
}

Group::Group(MPI_Comm comm, MPI_Comm own_comm, int size)
    : id_(kWorldId), comm_(comm), own_comm_(own_comm), owns_comms_(false), size_(size) {
    MPI_Comm_rank(comm_, &rank_);
}

Group::~Group() {
    if (owns_comms_) {
        MPI_Comm_free(&comm_);
        MPI_Comm_free(&own_comm_);
    }
}

int* Group::world_rank_table() {
    if (is_world() && world_ranks_.empty()) {
        world_ranks_.resize(static_cast<size_t>(size_));
        std::iota(world_ranks_.begin(), world_ranks_.end(), 0);
    }
    return world_ranks_.data();
}

int Group::group_rank(int world_rank) const {
    if (is_world()) {
        return world_rank >= 0 && world_rank < size() ? world_rank : -1;
    }
    if (by_world_rank_.empty()) {
        const auto same = std::lower_bound(world_ranks_.begin(), world_ranks_.end(), world_rank);
        return same != world_ranks_.end() && *same == world_rank
                   ? static_cast<int>(same - world_ranks_.begin())
                   : -1;
    }
    const auto found = std::lower_bound(by_world_rank_.begin(), by_world_rank_.end(),
                                        std::make_pair(world_rank, 0));
    return found != by_world_rank_.end() && found->first == world_rank ? found->second : -1;
}

void Groups::start(const World& world) {
    groups_.clear();
    groups_.push_back(std::make_shared<Group>(world.user_comm, world.comm, world.size));
    default_id_ = Group::kWorldId;

    node_ =
        std::make_shared<Group>(kNoId, world.node_comm, world.node_comm, false,
                                std::vector<int>(world.node_ranks.begin(), world.node_ranks.end()));
    leaders_.reset();
}

const GroupRef& Groups::leaders(const World& world) {
    if (world.is_leader() && leaders_ == nullptr) {
        std::vector<int> first_ranks(world.node_count, -1);
        for (int rank = world.size - 1; rank >= 0; --rank) {
            first_ranks[world.node_of[rank]] = rank;
        }
        leaders_ = std::make_shared<Group>(kNoId, world.leaders_comm, world.leaders_comm, false,
                                           std::move(first_ranks));
    }
    return leaders_;
}

void Groups::stop() {
    groups_.clear();
    freed_.clear();
    node_.reset();
    leaders_.reset();
}

const GroupRef& Groups::find(int id) const {
    return id >= 0 && id < static_cast<int>(groups_.size()) ? groups_[id] : none_;
}

GroupRef Groups::find_for_free(int id) const {
    if (const GroupRef& group = find(id); group != nullptr) {
        return group;
    }
    const auto found = freed_.find(id);
    return found != freed_.end() ? found->second.lock() : nullptr;
}

int Groups::new_id() {
    groups_.emplace_back();
    return static_cast<int>(groups_.size()) - 1;
}

GroupRef Groups::create(const World& world, std::vector<int> world_ranks) {
    // Only members call, as in many programs. In programs where all ranks of the parent call, the
    // others never get here. Members that create overlapping groups must do so in one order, so one
    // tag is enough.
    constexpr int kTag = 0;
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group members = MPI_GROUP_NULL;
    MPI_Comm_group(world.comm, &all);
    MPI_Group_incl(all, static_cast<int>(world_ranks.size()), world_ranks.data(), &members);
    MPI_Comm comm = make_communicator(world.comm, [&](MPI_Comm* made) {
        return MPI_Comm_create_group(world.comm, members, kTag, made);
    });
    MPI_Group_free(&members);
    MPI_Group_free(&all);
    return adopt(comm, std::move(world_ranks));
}

GroupRef Groups::adopt(MPI_Comm comm, std::vector<int> world_ranks) {
    const int id = new_id();
    MPI_Comm user_comm =
        make_communicator(comm, [&](MPI_Comm* made) { return mpi::duplicate(comm, made); });
    groups_[id] = std::make_shared<Group>(id, user_comm, comm, true, std::move(world_ranks));
    return groups_[id];
}

GroupRef Groups::single(int world_rank) {
    return std::make_shared<Group>(kNoId, MPI_COMM_NULL, MPI_COMM_NULL, false,
                                   std::vector<int>{world_rank});
}

void Groups::forget(int id) {
    if (id > Group::kWorldId && id < static_cast<int>(groups_.size())) {
        std::erase_if(freed_, [](const auto& freed) { return freed.second.expired(); });
        if (groups_[id].use_count() > 1) {
            freed_[id] = groups_[id];
        }
        groups_[id].reset();
        if (default_id_ == id) {
            default_id_ = Group::kWorldId;
        }
    }
}

}  // namespace armci::core
