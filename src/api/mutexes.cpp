// SPDX-License-Identifier: BSD-3-Clause
// Mutexes of world, and sets of mutexes on groups.
#include "core/signals/mutexes.h"

#include "api/arguments.h"
#include "base/log.h"

// The public handle points to one of these.
struct armcix_mutex_hdl_s {
    armci::core::MutexSet set;
};

using armci::core::Entry;
namespace api = armci::api;

namespace armci::api {
namespace {

const core::MutexSet& checked_set(const char* function, armcix_mutex_hdl_t handle) {
    check_not_null(function, "hdl", handle);
    return handle->set;
}

}  // namespace
}  // namespace armci::api

extern "C" int PARMCI_Create_mutexes(int count) {
    Entry entry("ARMCI_Create_mutexes");
    if (entry->mutexes.of_world().group != nullptr) {
        armci::base::fatal("ARMCI_Create_mutexes",
                           "mutexes exist already; call ARMCI_Destroy_mutexes first");
    }
    entry->mutexes.of_world() =
        entry->mutexes.create("ARMCI_Create_mutexes", entry->groups.world(), count);
    return 0;
}
ARMCI_ALIAS(int, ARMCI_Create_mutexes, (int), PARMCI_Create_mutexes);

extern "C" int PARMCI_Destroy_mutexes(void) {
    Entry entry("ARMCI_Destroy_mutexes");
    entry->mutexes.destroy("ARMCI_Destroy_mutexes", &entry->mutexes.of_world());
    return 0;
}
ARMCI_ALIAS(int, ARMCI_Destroy_mutexes, (void), PARMCI_Destroy_mutexes);

extern "C" void PARMCI_Lock(int mutex, int proc) {
    Entry entry("ARMCI_Lock", Entry::Lock::on_demand);
    api::check_rank({*entry, "ARMCI_Lock"}, "proc", proc);
    entry->mutexes.lock("ARMCI_Lock", entry->mutexes.of_world(), mutex, proc);
}
ARMCI_ALIAS(void, ARMCI_Lock, (int, int), PARMCI_Lock);

extern "C" void PARMCI_Unlock(int mutex, int proc) {
    Entry entry("ARMCI_Unlock", Entry::Lock::on_demand);
    api::check_rank({*entry, "ARMCI_Unlock"}, "proc", proc);
    entry->mutexes.unlock("ARMCI_Unlock", entry->mutexes.of_world(), mutex, proc);
}
ARMCI_ALIAS(void, ARMCI_Unlock, (int, int), PARMCI_Unlock);

extern "C" armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group* pgroup) {
    constexpr const char* kFunction = "ARMCIX_Create_mutexes_hdl";
    Entry entry(kFunction);
    const armci::core::GroupRef& group = api::check_group({*entry, kFunction}, "pgroup", pgroup);
    return new armcix_mutex_hdl_s{entry->mutexes.create(kFunction, group, count)};
}

extern "C" int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl) {
    constexpr const char* kFunction = "ARMCIX_Destroy_mutexes_hdl";
    Entry entry(kFunction);
    api::checked_set(kFunction, hdl);
    entry->mutexes.destroy(kFunction, &hdl->set);
    delete hdl;
    return 0;
}

extern "C" void ARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc) {
    constexpr const char* kFunction = "ARMCIX_Lock_hdl";
    Entry entry(kFunction, Entry::Lock::on_demand);
    api::check_rank({*entry, kFunction}, "proc", proc);
    entry->mutexes.lock(kFunction, api::checked_set(kFunction, hdl), mutex, proc);
}

extern "C" int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc) {
    constexpr const char* kFunction = "ARMCIX_Trylock_hdl";
    Entry entry(kFunction, Entry::Lock::on_demand);
    api::check_rank({*entry, kFunction}, "proc", proc);
    const bool acquired =
        entry->mutexes.try_lock(kFunction, api::checked_set(kFunction, hdl), mutex, proc);
    return acquired ? 0 : 1;
}

extern "C" void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc) {
    constexpr const char* kFunction = "ARMCIX_Unlock_hdl";
    Entry entry(kFunction, Entry::Lock::on_demand);
    api::check_rank({*entry, kFunction}, "proc", proc);
    entry->mutexes.unlock(kFunction, api::checked_set(kFunction, hdl), mutex, proc);
}
