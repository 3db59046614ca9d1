// SPDX-License-Identifier: BSD-3-Clause
#include "core/notify.h"

#include "base/log.h"
#include "core/global_memory.h"
#include "core/sync.h"
#include "core/transfers.h"
#include "pipeline/request_task.h"

namespace armci::core {

void start_notifications(Runtime& runtime) {
    std::vector<void*> bases(runtime.world.size);
    const auto bytes = static_cast<int64_t>(sizeof(uint32_t)) * runtime.world.size;
    // The heap is as new as the library: its pages are zero. They stay without memory behind them
    // until somebody notifies, because there is a counter for each pair of ranks.
    if (!allocate_global(runtime, "ARMCI_Init", runtime.groups.world(), bytes, bases.data(),
                         &runtime.notify_counters)) {
        base::fatal(
            "ARMCI_Init",
            "no memory for the notification counters (4 bytes for each pair of ranks); see above");
    }
    runtime.notify_counters->is_internal = true;
    world_barrier(runtime);
}

int notify(Runtime& runtime, const char* function, int target) {
    const World& world = runtime.world;
    if (runtime.checks != nullptr) {
        runtime.checks->close_writes(target);
    }
    const uint64_t address = runtime.notify_counters->slice(target).base +
                             sizeof(uint32_t) * static_cast<uint64_t>(world.rank);
    if (world.on_my_node(target)) {
        __atomic_fetch_add(reinterpret_cast<uint32_t*>(address), 1U, __ATOMIC_RELEASE);
    } else {
        pipeline::RequestTask task(function, wire::FrameKind::increment,
                                   wire::StoreBody{address, 1},
                                   pipeline::RequestTask::Answer::none);
        run_behind_all(runtime, task, target, address,
                       {function, "a notification to be sent to rank", target});
    }
    return static_cast<int>(++runtime.notifications_sent[target]);
}

int wait_notification(Runtime& runtime, int source, int* waited) {
    const uint32_t next = ++runtime.notifications_taken[source];
    const uint64_t mine = runtime.notify_counters->slice(runtime.world.rank).base;
    const auto* counter =
        reinterpret_cast<const uint32_t*>(mine + sizeof(uint32_t) * static_cast<uint64_t>(source));
    uint32_t arrived = 0;
    runtime.wait_until({"armci_notify_wait", "a notification of rank", source}, [&] {
        arrived = __atomic_load_n(counter, __ATOMIC_ACQUIRE);
        return has_arrived(arrived, next);
    });
    *waited = static_cast<int>(next);
    return static_cast<int>(arrived);
}

}  // namespace armci::core
