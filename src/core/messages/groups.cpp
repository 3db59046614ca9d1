// SPDX-License-Identifier: BSD-3-Clause
#include "core/messages/groups.h"

#include <algorithm>
#include <numeric>

#include "core/job/world.h"

namespace armci::core {
namespace {

constexpr int kNoId = -1;  // of groups that no public struct names

}  // namespace

Group::Group(int id, MPI_Comm comm, MPI_Comm own_comm, std::vector<int> world_ranks)
    : id_(id),
      comm_(comm),
      own_comm_(own_comm),
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

Group::Group(int id, uint64_t number, MPI_Comm comm, std::vector<int> world_ranks,
             MeetingPlace place)
    : Group(id, comm, MPI_COMM_NULL, std::move(world_ranks)) {
    number_ = number;
    owns_comms_ = true;
    place_ = std::move(place);
}

Group::Group(MPI_Comm comm, MPI_Comm own_comm, int size, MeetingPlace place)
    : id_(kWorldId), comm_(comm), own_comm_(own_comm), place_(std::move(place)), size_(size) {
    MPI_Comm_rank(comm_, &rank_);
}

Group::~Group() {
    if (owns_comms_) {
        MPI_Comm_free(&comm_);
        if (own_comm_ != MPI_COMM_NULL) {
            MPI_Comm_free(&own_comm_);
        }
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

void Groups::start(const World& world, const node::NodeBarrier& barrier) {
    MeetingPlace place;
    place.here = barrier;
    place.is_one_node = world.node_count == 1;
    place.is_leader = world.is_leader();
    groups_.clear();
    groups_.push_back(
        std::make_shared<Group>(world.user_comm, world.comm, world.size, std::move(place)));
    default_id_ = Group::kWorldId;
    numbers_given_ = 0;

    node_ =
        std::make_shared<Group>(kNoId, world.node_comm, world.node_comm,
                                std::vector<int>(world.node_ranks.begin(), world.node_ranks.end()));
    leaders_.reset();
}

const GroupRef& Groups::leaders(const World& world) {
    if (world.is_leader() && leaders_ == nullptr) {
        std::vector<int> first_ranks(world.node_count, -1);
        for (int rank = world.size - 1; rank >= 0; --rank) {
            first_ranks[world.node_of[rank]] = rank;
        }
        MPI_Comm comm =
            world.masters_comm != MPI_COMM_NULL ? world.masters_comm : world.leaders_comm;
        leaders_ = std::make_shared<Group>(kNoId, comm, comm, std::move(first_ranks));
    }
    return leaders_;
}

void Groups::stop() {
    for (const GroupRef& group : groups_) {
        if (group != nullptr) {
            group->leave_meeting_place();
        }
    }
    for (const auto& freed : freed_) {
        if (const GroupRef group = freed.second.lock()) {
            group->leave_meeting_place();
        }
    }
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

uint64_t Groups::new_number(const World& world) {
    return ++numbers_given_ * static_cast<uint64_t>(world.size) + static_cast<uint64_t>(world.rank);
}

GroupRef Groups::add(uint64_t number, MPI_Comm comm, std::vector<int> world_ranks,
                     MeetingPlace place) {
    const auto id = static_cast<int>(groups_.size());
    groups_.push_back(
        std::make_shared<Group>(id, number, comm, std::move(world_ranks), std::move(place)));
    return groups_.back();
}

GroupRef Groups::single(int world_rank) {
    return std::make_shared<Group>(kNoId, MPI_COMM_NULL, MPI_COMM_NULL,
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
