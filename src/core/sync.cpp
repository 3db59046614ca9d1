// SPDX-License-Identifier: BSD-3-Clause
#include "core/sync.h"

#include <atomic>

#include "core/wait_for_ranks.h"

namespace armci::core {

// On the node's own memory all stores are done when the call that made them returns; the
// processor's order is all that is left to enforce.
void fence(Runtime& runtime, int target) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (runtime.network != nullptr && !runtime.world.on_my_node(target)) {
        runtime.hold_lock();
        const Runtime::Use use(runtime);
        const int node = runtime.world.node_of[target];
        pipeline::Origin& origin = runtime.network->origin;
        pipeline::Fence needed = origin.fences().start(node);
        if (!needed.empty()) {
            runtime.wait_for_network({nullptr, "a fence of rank", target},
                                     [&] { return origin.fences().is_done(&needed); });
        }
    }
}

void fence_other_nodes(Runtime& runtime) {
    if (runtime.network != nullptr) {
        runtime.hold_lock();
        const Runtime::Use use(runtime);
        pipeline::Origin& origin = runtime.network->origin;
        pipeline::Fence needed = origin.fences().start_all();
        if (!needed.empty()) {
            runtime.wait_for_network({nullptr, "a fence of all ranks"},
                                     [&] { return origin.fences().is_done(&needed); });
        }
    }
}

void fence_all(Runtime& runtime) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    fence_other_nodes(runtime);
}

void world_barrier(Runtime& runtime) {
    constexpr int64_t kSleepUs = 2'000;  // at most; the barrier ends it
    const World& world = runtime.world;
    node::NodeBarrier& barrier = runtime.node_barrier;
    MpiProgress mpi(world.comm);
    barrier.arrive();
    const bool is_one_node = world.node_count == 1;
    wait_for_ranks(
        runtime,
        {nullptr, is_one_node ? "a barrier of all ranks" : "ranks of this node at a barrier"},
        [&] { return barrier.all_arrived(); },
        [&](int64_t) {
            runtime.sleep_without_lock([&] { barrier.sleep_until_all_arrived(kSleepUs); });
        },
        &mpi);
    if (is_one_node) {
        return;
    }
    if (!world.is_leader()) {
        wait_for_ranks(
            runtime, {nullptr, "other nodes at a barrier"}, [&] { return barrier.released(); },
            [&](int64_t) {
                runtime.sleep_without_lock([&] { barrier.sleep_until_released(kSleepUs); });
            },
            &mpi);
        return;
    }
    // A message that leaves only while its sender polls may need it beyond the barrier.
    if (!runtime.network->domain.row().sends_alone) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(world.leaders_comm, &request);
        runtime.messages.complete(runtime, &request, "other nodes at a barrier");
        barrier.release();
        return;
    }
    pipeline::Origin& origin = runtime.network->origin;
    origin.barrier().arrive();
    runtime.wait_for_network({nullptr, "other nodes at a barrier"}, &runtime.waiting_at_barrier,
                             [&] {
                                 if (origin.barrier().is_past()) {
                                     return true;
                                 }
                                 mpi.turn(base::now_ns());
                                 return false;
                             });
    barrier.release();
}

void group_barrier(Runtime& runtime, const Group& group) {
    if (group.is_world()) {
        world_barrier(runtime);
        return;
    }
    if (group.size() > 1) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(group.own_comm(), &request);
        runtime.messages.complete(runtime, &request, "other ranks at a barrier");
    }
}

}  // namespace armci::core
