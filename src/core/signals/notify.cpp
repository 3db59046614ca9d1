// SPDX-License-Identifier: BSD-3-Clause
#include "core/signals/notify.h"

#include "base/log.h"
#include "pipeline/origin/request_task.h"

namespace armci::core {

void Notifications::start(GlobalMemory& memory, Barriers& barriers, const GroupRef& world) {
    const auto bytes = static_cast<int64_t>(sizeof(uint32_t)) * world->size();
    // The heap is as new as the library, so its pages are zero. They have no memory behind them
    // until a rank notifies. That matters because there is a counter for each pair of ranks.
    if (!memory.allocate("ARMCI_Init", world, bytes, nullptr, &counters_)) {
        base::fatal(
            "ARMCI_Init",
            "no memory for the notification counters (4 bytes for each pair of ranks); see above");
    }
    counters_->is_internal = true;
    barriers.wait_for_world();
}

// Returns this rank's counter of notifications from that one.
uint32_t* Notifications::counter_of(int source) const {
    return reinterpret_cast<uint32_t*>(counters_->slice(progress_.world().rank).base) + source;
}

void Notifications::set_arrived(int source, uint32_t count) {
    taken_[source] = count;
    *counter_of(source) = count;
}

int Notifications::notify(const char* function, int target) {
    const World& world = progress_.world();
    checking_->close_writes(target);
    const uint64_t address =
        counters_->slice(target).base + sizeof(uint32_t) * static_cast<uint64_t>(world.rank);
    if (world.on_my_node(target)) {
        __atomic_fetch_add(reinterpret_cast<uint32_t*>(address), 1U, __ATOMIC_RELEASE);
    } else {
        pipeline::RequestTask task(function, wire::FrameKind::increment,
                                   wire::StoreBody{address, 1},
                                   pipeline::RequestTask::Answer::none);
        transfers_.run_behind_all(task, progress_.network()->rank_servers.of(target),
                                  {function, "a notification to be sent to rank", target});
    }
    return static_cast<int>(++sent_[target]);
}

int Notifications::wait(int source, int* waited) {
    const uint32_t next = ++taken_[source];
    const uint32_t* counter = counter_of(source);
    uint32_t arrived = 0;
    progress_.wait_until({"armci_notify_wait", "a notification of rank", source}, [&] {
        arrived = __atomic_load_n(counter, __ATOMIC_ACQUIRE);
        return has_arrived(arrived, next);
    });
    *waited = static_cast<int>(next);
    return static_cast<int>(arrived);
}

}  // namespace armci::core
