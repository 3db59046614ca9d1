// SPDX-License-Identifier: BSD-3-Clause
#include "core/sync/sync.h"

#include <atomic>

#include "core/progress/wait_for_ranks.h"

namespace armci::core {
namespace {

constexpr int64_t kSleepUs = 2'000;  // at most, because the barrier ends it

}  // namespace

// On the node's own memory all stores are done when the call that made them returns. Only the
// processor's order is left to enforce.
void fence(Progress& progress, int target) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (progress.network() != nullptr && !progress.world().on_my_node(target)) {
        progress.threads().hold_lock();
        const Threads::Use use(progress.threads());
        pipeline::Origin& origin = progress.network()->origin;
        pipeline::Fence needed = origin.fences().start(progress.network()->rank_servers.of(target));
        if (!needed.empty()) {
            progress.wait_for_network({nullptr, "a fence of rank", target},
                                      [&] { return origin.fences().is_done(&needed); });
        }
    }
}

void fence_other_nodes(Progress& progress) {
    if (progress.network() != nullptr) {
        progress.threads().hold_lock();
        const Threads::Use use(progress.threads());
        pipeline::Origin& origin = progress.network()->origin;
        pipeline::Fence needed = origin.fences().start_all();
        if (!needed.empty()) {
            progress.wait_for_network({nullptr, "a fence of all ranks"},
                                      [&] { return origin.fences().is_done(&needed); });
        }
    }
}

void fence_all(Progress& progress) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    fence_other_nodes(progress);
}

bool fence_all_before(Progress& progress, int server) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    progress.threads().hold_lock();
    const Threads::Use use(progress.threads());
    pipeline::Origin& origin = progress.network()->origin;
    bool is_left_out = false;
    pipeline::Fence needed = origin.fences().start_all_before(server, &is_left_out);
    if (!needed.empty()) {
        progress.wait_for_network({nullptr, "a fence of all ranks"},
                                  [&] { return origin.fences().is_done(&needed); });
    }
    return is_left_out;
}

void Barriers::meet_on_node(MpiProgress* mpi) {
    node_.arrive();
    wait_for_ranks(
        progress_,
        {nullptr, progress_.world().node_count == 1 ? "a barrier of all ranks"
                                                    : "ranks of this node at a barrier"},
        [&] { return node_.all_arrived(); },
        [&](int64_t) {
            progress_.threads().sleep_without_lock(
                [&] { node_.sleep_until_all_arrived(kSleepUs); });
        },
        mpi);
}

void Barriers::wait_for_node() {
    MpiProgress mpi(progress_.world().comm);
    meet_on_node(&mpi);
}

void Barriers::wait_for_world() {
    const World& world = progress_.world();
    MpiProgress mpi(world.comm);
    meet_on_node(&mpi);
    if (world.node_count == 1) {
        return;
    }
    if (!world.is_leader()) {
        wait_for_ranks(
            progress_, {nullptr, "other nodes at a barrier"}, [&] { return node_.released(); },
            [&](int64_t) {
                progress_.threads().sleep_without_lock(
                    [&] { node_.sleep_until_released(kSleepUs); });
            },
            &mpi);
        return;
    }
    // A message that leaves only while its sender polls may need it beyond the barrier.
    if (!progress_.network()->domain.row().sends_alone) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(world.leaders_comm, &request);
        messages_.complete(&request, "other nodes at a barrier");
        node_.release();
        return;
    }
    pipeline::Origin& origin = progress_.network()->origin;
    origin.barrier().arrive();
    progress_.wait_for_network({nullptr, "other nodes at a barrier"}, &waiting_, [&] {
        if (origin.barrier().is_past()) {
            return true;
        }
        mpi.turn(base::now_ns());
        return false;
    });
    node_.release();
}

void Barriers::wait_for_group(const Group& group) {
    if (group.is_world()) {
        wait_for_world();
        return;
    }
    if (group.size() > 1) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(group.own_comm(), &request);
        messages_.complete(&request, "other ranks at a barrier");
    }
}

}  // namespace armci::core
