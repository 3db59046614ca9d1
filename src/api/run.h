// Small steps that several families of entry points share.
#pragma once

#include "api/arguments.h"
#include "core/transfers.h"

namespace armci::api {

// Starts a non-blocking transfer; when there is nothing to move, the handle only becomes idle
// (unless earlier operations on it are still under way).
inline void start_or_skip(Runtime& runtime, bool any, Transfer transfer, armci_hdl_t* handle) {
    if (any) {
        core::run_nonblocking(runtime, std::move(transfer), handle);
    } else if (handle != nullptr && !runtime.handles.is_active(*handle)) {
        runtime.handles.set_idle(handle);
    }
}

inline void set_flag(Runtime& runtime, const char* function, int* flag, int value, int proc) {
    check_rank(function, "proc", proc, runtime);
    check_aligned(function, "flag", flag, sizeof *flag);
    check_remote(function, "flag", reinterpret_cast<uint64_t>(flag), sizeof *flag, proc, runtime);
    core::store_flag(runtime, function, flag, value, proc);
}

}  // namespace armci::api
