// SPDX-License-Identifier: BSD-3-Clause
// Handles of non-blocking operations, and waiting for them.
#include "core/progress/handles.h"

#include "api/arguments.h"
#include "api/fast_path.h"
#include "core/routing/transfers.h"

using armci::api::Call;
using armci::api::Threads;
using armci::core::Entry;
using armci::core::Handles;
namespace api = armci::api;

namespace {

[[gnu::noinline]] void wait_long(Call call, armci_hdl_t* handle) {
    api::name_call(call);
    if (handle != nullptr) {
        call.runtime.completion.wait_handle(handle);
    } else {
        call.runtime.completion.wait_everything();
    }
}

template <Threads kThreads>
[[gnu::always_inline]] inline int wait_on(Call call, armci_hdl_t* handle) {
    if (kThreads == Threads::several || !api::nothing_is_under_way(call.runtime, handle)) {
        wait_long(call.copy(), handle);
    }
    return 0;
}

}  // namespace

extern "C" void ARMCI_INIT_HANDLE(armci_hdl_t* hdl) {
    api::check_not_null("ARMCI_INIT_HANDLE", "hdl", hdl);
    Handles::reset(hdl, false);
}

// The words of an active handle stay: its operations are still waited for.
extern "C" void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* hdl) {
    Entry entry("ARMCI_SET_AGGREGATE_HANDLE");
    api::check_not_null("ARMCI_SET_AGGREGATE_HANDLE", "hdl", hdl);
    entry->handles.set_aggregate(hdl, true);
}

extern "C" void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* hdl) {
    Entry entry("ARMCI_UNSET_AGGREGATE_HANDLE");
    api::check_not_null("ARMCI_UNSET_AGGREGATE_HANDLE", "hdl", hdl);
    entry->handles.set_aggregate(hdl, false);
}

extern "C" int PARMCI_Wait(armci_hdl_t* hdl) {
    return api::by_threads<wait_on<Threads::one>, wait_on<Threads::several>, Entry::Copies::leave>(
        "ARMCI_Wait", hdl);
}
ARMCI_ALIAS(int, ARMCI_Wait, (armci_hdl_t*), PARMCI_Wait);

extern "C" int PARMCI_Test(armci_hdl_t* hdl) {
    Entry entry("ARMCI_Test", Entry::Lock::on_demand, Entry::Copies::leave);
    api::check_not_null("ARMCI_Test", "hdl", hdl);
    return entry->completion.test_handle(hdl) ? 0 : 1;
}
ARMCI_ALIAS(int, ARMCI_Test, (armci_hdl_t*), PARMCI_Test);

extern "C" int PARMCI_WaitProc(int proc) {
    Entry entry("ARMCI_WaitProc", Entry::Lock::on_demand);
    api::check_rank({*entry, "ARMCI_WaitProc"}, "proc", proc);
    entry->completion.wait_target(proc);
    return 0;
}
ARMCI_ALIAS(int, ARMCI_WaitProc, (int), PARMCI_WaitProc);

extern "C" int PARMCI_WaitAll(void) {
    Entry entry("ARMCI_WaitAll", Entry::Lock::on_demand);
    entry->completion.wait_everything();
    return 0;
}
ARMCI_ALIAS(int, ARMCI_WaitAll, (void), PARMCI_WaitAll);
