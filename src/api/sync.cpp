// SPDX-License-Identifier: BSD-3-Clause
// Fences, the barrier, notifications.
#include "core/sync/fences.h"

#include "api/arguments.h"
#include "core/signals/notify.h"

namespace armci::api {
namespace {

void fence_all(core::Runtime& runtime) {
    if (runtime.checking.is_on()) [[unlikely]] {
        runtime.checking->fence_all();
    }
    core::fence_all(runtime.progress);
}

}  // namespace
}  // namespace armci::api

using armci::core::Entry;
namespace api = armci::api;

// A negative rank is what ARMCI_Absolute_id gives for a freed group, which Global Arrays then
// fences.
extern "C" void PARMCI_Fence(int proc) {
    Entry entry("ARMCI_Fence", Entry::Lock::on_demand);
    if (proc >= 0) {
        api::check_rank({*entry, "ARMCI_Fence"}, "proc", proc);
        if (entry->checking.is_on()) [[unlikely]] {
            entry->checking->fence(proc);
        }
        armci::core::fence(entry->progress, proc);
    }
}
ARMCI_ALIAS(void, ARMCI_Fence, (int), PARMCI_Fence);

extern "C" void PARMCI_AllFence(void) {
    Entry entry("ARMCI_AllFence", Entry::Lock::on_demand);
    api::fence_all(*entry);
}
ARMCI_ALIAS(void, ARMCI_AllFence, (void), PARMCI_AllFence);

// Fencing more than the group is allowed, and the group may be freed already.
extern "C" void ARMCI_GroupFence(ARMCI_Group*) {
    Entry entry("ARMCI_GroupFence", Entry::Lock::on_demand);
    api::fence_all(*entry);
}

extern "C" void PARMCI_Barrier(void) {
    Entry entry("ARMCI_Barrier");
    entry->checking->meet("ARMCI_Barrier", *entry->groups.world(),
                          armci::core::Collective::barrier);
    armci::core::fence_other_nodes(entry->progress);
    entry->checking->fence_before_meeting("ARMCI_Barrier", *entry->groups.world());
    entry->barriers.wait_for_world();
}
ARMCI_ALIAS(void, ARMCI_Barrier, (void), PARMCI_Barrier);

extern "C" int parmci_notify(int proc) {
    Entry entry("armci_notify");
    api::check_rank({*entry, "armci_notify"}, "proc", proc);
    return entry->notifications.notify("armci_notify", proc);
}
ARMCI_ALIAS(int, armci_notify, (int), parmci_notify);

extern "C" int parmci_notify_wait(int proc, int* pval) {
    Entry entry("armci_notify_wait");
    api::check_rank({*entry, "armci_notify_wait"}, "proc", proc);
    int waited = 0;
    const int arrived = entry->notifications.wait(proc, &waited);
    if (pval != nullptr) {
        *pval = waited;
    }
    return arrived;
}
ARMCI_ALIAS(int, armci_notify_wait, (int, int*), parmci_notify_wait);
