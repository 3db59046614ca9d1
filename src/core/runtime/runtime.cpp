// SPDX-License-Identifier: BSD-3-Clause
#include "core/runtime/runtime.h"

#include <cstdlib>

#include "base/log.h"
#include "core/job/observed_calls.h"

namespace armci::core {

Runtime* g_running = nullptr;

void abort_by_mpi(int code) {
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (initialized != 0 && finalized == 0) {
        MPI_Abort(MPI_COMM_WORLD, code);
    }
    std::_Exit(code & 0xff);
}

// Is called outside ARMCI_Init .. ARMCI_Finalize. MPI may know this rank, and can end the others.
void prepare_to_fail() {
    base::set_abort_hook(abort_by_mpi);
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (g_running == nullptr) {
        int rank = -1;
        if (initialized != 0 && finalized == 0) {
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        }
        base::set_log_rank(rank);
    }
}

void abort_job(const char* message, int code) {
    prepare_to_fail();
    base::fatal_with_code(code, message);
}

// Copies by an engine, and what checking mode knows, concern all threads.
void Entry::begin_concurrently(Runtime& runtime, const char* function, Lock lock, Copies copies) {
    Threads::enter_concurrently(function);
    if (!runtime.threads.calls_do_more()) {
        if (lock == Lock::at_once) {
            runtime.threads.hold_lock();
        }
        return;
    }
    if (observes_calls()) {
        begin_observed_call();
    }
    if (runtime.checking.is_on() && !runtime.threads.is_multiple()) {
        runtime.threads.enter_once(function);
        runtime.checking->before_call(function);
    }
    if (lock == Lock::at_once || runtime.progress.copies().are_possible() ||
        runtime.checking.is_on()) {
        runtime.threads.hold_lock();
    }
    if (copies == Copies::settle && runtime.progress.copies().are_possible() &&
        runtime.progress.copies().are_under_way()) {
        runtime.progress.settle_copies();
    }
}

void Entry::end_concurrently(Runtime& runtime) {
    if (runtime.threads.calls_do_more()) {
        if (observes_calls()) {
            end_observed_call(runtime.threads.function());
        }
        if (runtime.checking.is_on() && !runtime.threads.is_multiple()) {
            runtime.threads.leave();
        }
    }
    runtime.threads.release_lock();
}

void Entry::fail_not_running(const char* function) {
    prepare_to_fail();
    base::fatal(function,
                "the library is not running: call ARMCI_Init after MPI_Init and before this, "
                "and ARMCI_Finalize after it");
}

}  // namespace armci::core
