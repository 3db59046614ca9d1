// SPDX-License-Identifier: BSD-3-Clause
#include "core/messages/barriers.h"

#include <atomic>

#include "core/progress/wait_for_mpi.h"

namespace armci::core {
namespace {

constexpr int64_t kSleepUs = 2'000;  // at most, because the barrier ends it
constexpr const char* kOtherNodes = "other nodes at a barrier";

}  // namespace

void Barriers::wait_for_node() {
    MpiProgress mpi(progress_.world().comm);
    meet_on_node(groups_.world()->meeting_place().here, "ranks of this node", &mpi);
}

void Barriers::meet_on_node(node::NodeBarrier& here, const char* awaited, MpiProgress* mpi) {
    if (here.rank_count() == 1) {
        std::atomic_thread_fence(std::memory_order_seq_cst);  // as all_arrived() has
        return;
    }
    here.arrive();
    wait_for_ranks(
        progress_, {nullptr, awaited}, [&] { return here.all_arrived(); },
        [&](int64_t) {
            progress_.threads().sleep_without_lock([&] { here.sleep_until_all_arrived(kSleepUs); });
        },
        mpi);
}

void Barriers::wait_for_group(const Group& group) {
    if (group.size() == 1) {
        return;
    }
    MeetingPlace& place = group.meeting_place();
    if (place.by_mpi && !group.is_world()) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(group.own_comm(), &request);
        wait_for_mpi(progress_, &request, "other ranks at a barrier");
        return;
    }
    MpiProgress mpi(progress_.world().comm);
    meet_on_node(place.here,
                 !place.is_one_node ? "ranks of this node at a barrier"
                 : group.is_world() ? "a barrier of all ranks"
                                    : "a barrier of a group",
                 &mpi);
    if (place.is_one_node) {
        return;
    }
    if (place.is_leader) {
        meet_other_nodes(place, &mpi);
        if (place.here.rank_count() > 1) {
            place.here.release();
        }
        return;
    }
    wait_for_ranks(
        progress_, {nullptr, kOtherNodes}, [&] { return place.here.released(); },
        [&](int64_t) {
            progress_.threads().sleep_without_lock(
                [&] { place.here.sleep_until_released(kSleepUs); });
        },
        &mpi);
}

void Barriers::meet_other_nodes(MeetingPlace& place, MpiProgress* mpi) {
    // A message that leaves only while its sender polls may need it beyond the barrier.
    if (place.by_mpi) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(progress_.world().leaders_comm, &request);
        wait_for_mpi(progress_, &request, kOtherNodes);
        return;
    }
    pipeline::JoinedBarrier& barrier = *place.between;
    progress_.network()->origin.barriers().arrive(barrier);
    progress_.wait_for_network({nullptr, kOtherNodes}, &waiting_, [&] {
        if (barrier.is_past()) {
            return true;
        }
        mpi->turn(base::now_ns());
        return false;
    });
}

}  // namespace armci::core
