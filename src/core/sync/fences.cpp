// SPDX-License-Identifier: BSD-3-Clause
#include "core/sync/fences.h"

#include <atomic>

namespace armci::core {

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

}  // namespace armci::core
