#include "core/sync.h"

#include <atomic>

namespace armci::core {

// On the node's own memory all stores are done when the call that made them returns; the
// processor's order is all that is left to enforce.
void fence(Runtime& runtime, int target) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (runtime.network != nullptr && !runtime.world.on_my_node(target)) {
        const int node = runtime.world.node_of[target];
        pipeline::Origin& origin = runtime.network->origin;
        if (origin.start_fence(node)) {
            runtime.wait_for_network([&] { return origin.fence_is_done(node); });
        }
    }
}

void fence_all(Runtime& runtime) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (runtime.network != nullptr) {
        pipeline::Origin& origin = runtime.network->origin;
        if (origin.start_fence_all()) {
            runtime.wait_for_network([&] { return origin.fence_all_is_done(); });
        }
    }
}

void world_barrier(Runtime& runtime) {
    const World& world = runtime.world;
    if (!world.is_leader()) {
        const uint32_t token = runtime.node_barrier.arrive();
        runtime.wait_until([&] { return runtime.node_barrier.released(token); });
        return;
    }
    runtime.wait_until([&] { return runtime.node_barrier.all_arrived(); });
    if (world.node_count > 1) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(world.leaders_comm, &request);
        runtime.messages.complete(runtime, &request, nullptr);
    }
    runtime.node_barrier.release();
}

void group_barrier(Runtime& runtime, const Group& group) {
    if (group.is_world()) {
        world_barrier(runtime);
        return;
    }
    if (group.size() > 1) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(group.own_comm(), &request);
        runtime.messages.complete(runtime, &request, nullptr);
    }
}

}  // namespace armci::core
