// SPDX-License-Identifier: BSD-3-Clause
#include "core/messages/barriers.h"

#include <atomic>

#include "base/log.h"
#include "core/progress/wait_for_mpi.h"

namespace armci::core {
namespace {

constexpr int64_t kSleepUs = 2'000;  // at most, because the barrier ends it
constexpr const char* kOtherNodes = "other nodes at a barrier";

const char* name_of(Purpose purpose) {
    switch (purpose) {
        case Purpose::barrier:
            return "waits at a barrier";
        case Purpose::sizes:
        case Purpose::tables:
            return "allocates memory";
        case Purpose::freed:
        case Purpose::removal:
            return "frees memory";
    }
    return "does something unknown";  // something else has written there
}

// The time in which a thread is at a meeting place.
class Visit {
  public:
    Visit(const Threads& threads, MeetingPlace& place) : place_(place) {
        if (!threads.is_multiple()) {
            return;  // the wait finds a second thread (Threads::Use)
        }
        if (place.visitor != nullptr) {
            base::fatal(threads.function(),
                        "another thread of this process is in %s on the same group; make "
                        "collective calls on a group one after the other, in the same order on "
                        "all members",
                        place.visitor);
        }
        place.visitor = threads.function();
    }
    ~Visit() { place_.visitor = nullptr; }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

  private:
    MeetingPlace& place_;
};

}  // namespace

void Barriers::wait_for_node(Purpose purpose) {
    const Group& world = *groups_.world();
    const Visit visit(progress_.threads(), world.meeting_place());
    MpiProgress mpi(progress_.world().comm);
    meet_on_node(world, purpose, "ranks of this node", &mpi);
}

void Barriers::meet_on_node(const Group& group, Purpose purpose, const char* awaited,
                            MpiProgress* mpi) {
    node::NodeBarrier& here = group.meeting_place().here;
    if (here.rank_count() == 1) {
        std::atomic_thread_fence(std::memory_order_seq_cst);  // as all_arrived() has
        return;
    }
    here.arrive(static_cast<uint8_t>(purpose));
    wait_on_node(group, purpose, awaited, mpi);
}

void Barriers::wait_on_node(const Group& group, Purpose purpose, const char* awaited,
                            MpiProgress* mpi) {
    node::NodeBarrier& here = group.meeting_place().here;
    wait_for_ranks(
        progress_, {nullptr, awaited}, [&] { return here.all_arrived(); },
        [&](int64_t) {
            progress_.threads().sleep_without_lock([&] { here.sleep_until_all_arrived(kSleepUs); });
        },
        mpi);
    if (here.rank_with_other_purpose() >= 0) {
        fail_different(group, purpose);
    }
}

void Barriers::fail_different(const Group& group, Purpose purpose) {
    const node::NodeBarrier& here = group.meeting_place().here;
    int left = here.rank_with_other_purpose();
    int other = -1;
    for (int member = 0; left >= 0; ++member) {
        other = group.world_rank(member);
        left -= progress_.world().on_my_node(other) ? 1 : 0;
    }
    const auto others = static_cast<Purpose>(here.purpose_of(here.rank_with_other_purpose()));
    base::fatal(progress_.threads().function(),
                "rank %d is in another collective call on the same group: it %s, and this rank %s; "
                "make the same collective calls on a group in the same order on all members",
                other, name_of(others), name_of(purpose));
}

void Barriers::find_largest(const Group& group, Purpose purpose, node::BarrierWords* words) {
    MeetingPlace& place = group.meeting_place();
    const Visit visit(progress_.threads(), place);
    MpiProgress mpi(progress_.world().comm);
    place.here.arrive_with(static_cast<uint8_t>(purpose), *words);
    wait_on_node(group, purpose, "ranks of this node in a collective call", &mpi);
    *words = place.here.largest_words();
}

void Barriers::find_largest_on_node(Purpose purpose, node::BarrierWords* words) {
    const Group& world = *groups_.world();
    if (world.meeting_place().here.rank_count() > 1) {
        find_largest(world, purpose, words);
    }
}

bool Barriers::find_largest_on_one_node(const Group& group, Purpose purpose,
                                        node::BarrierWords* words) {
    if (group.size() == 1) {
        return true;
    }
    if (!group.meeting_place().is_one_node) {
        return false;
    }
    find_largest(group, purpose, words);
    return true;
}

void Barriers::wait_for_group(const Group& group) {
    if (group.size() == 1) {
        return;
    }
    MeetingPlace& place = group.meeting_place();
    const Visit visit(progress_.threads(), place);
    if (place.by_mpi && !group.is_world()) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(group.own_comm(), &request);
        wait_for_mpi(progress_, &request, "other ranks at a barrier");
        return;
    }
    MpiProgress mpi(progress_.world().comm);
    meet_on_node(group, Purpose::barrier,
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
    progress_.network()->learning.drop();
    pipeline::BarrierMessages& messages = progress_.network()->origin.barriers();
    messages.arrive(barrier);
    progress_.wait_for_network({nullptr, kOtherNodes}, &waiting_, [&] {
        if (barrier.is_past()) {
            return true;
        }
        mpi->turn(base::now_ns());
        return false;
    });
    messages.leave(barrier);
}

}  // namespace armci::core
