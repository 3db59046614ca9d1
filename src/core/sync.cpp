#include "core/sync.h"

#include <atomic>

namespace armci::core {

// On the node's own memory all stores are done when the call that made them returns; the
// processor's order is all that is left to enforce.
void fence(Runtime& runtime, int target) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (runtime.network != nullptr && !runtime.world.on_my_node(target)) {
        runtime.hold_lock();
        const int node = runtime.world.node_of[target];
        pipeline::Origin& origin = runtime.network->origin;
        pipeline::Origin::Fence needed = origin.start_fence(node);
        if (!needed.empty()) {
            runtime.wait_for_network({nullptr, "a fence of rank", target},
                                     [&] { return origin.is_done(&needed); });
        }
    }
}

void fence_other_nodes(Runtime& runtime) {
    if (runtime.network != nullptr) {
        runtime.hold_lock();
        pipeline::Origin& origin = runtime.network->origin;
        pipeline::Origin::Fence needed = origin.start_fence_all();
        if (!needed.empty()) {
            runtime.wait_for_network({nullptr, "a fence of all ranks"},
                                     [&] { return origin.is_done(&needed); });
        }
    }
}

void fence_all(Runtime& runtime) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    fence_other_nodes(runtime);
}

namespace {

// Polls, then gives the processor away, then sleeps, after a time that depends on whether the ranks
// it waits for need this processor.
template <class Done, class Sleep>
void wait_at_barrier(Runtime& runtime, const WaitCause& cause, Done&& done, Sleep&& sleep) {
    constexpr int kPollsWithoutClock = 64;
    constexpr int64_t kPatienceNs = 1'000'000;
    constexpr int64_t kCrowdedPatienceNs = 50'000;
    constexpr int64_t kSleepUs = 2'000;  // what comes for this rank is looked after meanwhile
    const int64_t patience_ns = runtime.is_crowded ? kCrowdedPatienceNs : kPatienceNs;
    int polls = 0;
    int64_t begin_ns = 0;
    runtime.wait_until(cause, [&] {
        if (done()) {
            return true;
        }
        // Asleep, this thread could not let others in.
        if (++polls < kPollsWithoutClock || runtime.multi_threaded) {
            return false;
        }
        const int64_t now_ns = base::now_ns();
        if (begin_ns == 0) {
            begin_ns = now_ns;
        }
        if (now_ns - begin_ns > patience_ns && runtime.may_sleep_at_barrier()) {
            runtime.stop_helping();
            const base::TraceSpan span(base::kTraceAsleep);
            sleep(kSleepUs);
        }
        return done();
    });
}

}  // namespace

void world_barrier(Runtime& runtime) {
    const World& world = runtime.world;
    node::NodeBarrier& barrier = runtime.node_barrier;
    barrier.arrive();
    const bool is_one_node = world.node_count == 1;
    wait_at_barrier(
        runtime,
        {nullptr, is_one_node ? "a barrier of all ranks" : "ranks of this node at a barrier"},
        [&] { return barrier.all_arrived(); },
        [&](int64_t us) { barrier.sleep_until_all_arrived(us); });
    if (is_one_node) {
        return;
    }
    if (world.is_leader()) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibarrier(world.leaders_comm, &request);
        runtime.messages.complete(runtime, &request, "other nodes at a barrier");
        barrier.release();
        return;
    }
    wait_at_barrier(
        runtime, {nullptr, "other nodes at a barrier"}, [&] { return barrier.released(); },
        [&](int64_t us) { barrier.sleep_until_released(us); });
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
