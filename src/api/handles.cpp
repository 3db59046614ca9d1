// Handles of non-blocking operations, and waiting for them.
#include "core/handles.h"

#include "api/arguments.h"
#include "core/transfers.h"

using armci::core::Entry;
using armci::core::Handles;
namespace api = armci::api;

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
    Entry entry("ARMCI_Wait", Entry::Lock::on_demand, Entry::Copies::leave);
    if (hdl != nullptr) {
        armci::core::wait_handle(*entry, hdl);
    } else {
        armci::core::wait_everything(*entry);
    }
    return 0;
}
ARMCI_ALIAS(int, ARMCI_Wait, (armci_hdl_t*), PARMCI_Wait);

extern "C" int PARMCI_Test(armci_hdl_t* hdl) {
    Entry entry("ARMCI_Test", Entry::Lock::on_demand, Entry::Copies::leave);
    api::check_not_null("ARMCI_Test", "hdl", hdl);
    return armci::core::test_handle(*entry, hdl) ? 0 : 1;
}
ARMCI_ALIAS(int, ARMCI_Test, (armci_hdl_t*), PARMCI_Test);

extern "C" int PARMCI_WaitProc(int proc) {
    Entry entry("ARMCI_WaitProc", Entry::Lock::on_demand);
    api::check_rank("ARMCI_WaitProc", "proc", proc, *entry);
    armci::core::wait_target(*entry, proc);
    return 0;
}
ARMCI_ALIAS(int, ARMCI_WaitProc, (int), PARMCI_WaitProc);

extern "C" int PARMCI_WaitAll(void) {
    Entry entry("ARMCI_WaitAll", Entry::Lock::on_demand);
    armci::core::wait_everything(*entry);
    return 0;
}
ARMCI_ALIAS(int, ARMCI_WaitAll, (void), PARMCI_WaitAll);
