// SPDX-License-Identifier: BSD-3-Clause
// Start, stop, errors.
#include <cstdlib>
#include <optional>

#include "api/api.h"
#include "base/log.h"
#include "core/runtime/runtime.h"
#include "lifecycle/lifecycle.h"

using armci::core::running;

extern "C" int PARMCI_Init(void) {
    armci::lifecycle::initialize("ARMCI_Init", std::nullopt, MPI_COMM_WORLD);
    return 0;
}
ARMCI_ALIAS(int, ARMCI_Init, (void), PARMCI_Init);

extern "C" int PARMCI_Init_args(int*, char***) {
    armci::lifecycle::initialize("ARMCI_Init_args", std::nullopt, MPI_COMM_WORLD);
    return 0;
}
ARMCI_ALIAS(int, ARMCI_Init_args, (int*, char***), PARMCI_Init_args);

extern "C" int PARMCI_Init_thread(int armci_requested) {
    armci::lifecycle::initialize("ARMCI_Init_thread", armci_requested, MPI_COMM_WORLD);
    return 0;
}
ARMCI_ALIAS(int, ARMCI_Init_thread, (int), PARMCI_Init_thread);

extern "C" int PARMCI_Init_thread_comm(int armci_requested, MPI_Comm comm) {
    if (comm == MPI_COMM_NULL) {
        armci::core::prepare_to_fail();
        armci::base::fatal("ARMCI_Init_thread_comm",
                           "argument comm is MPI_COMM_NULL; pass a communicator of this process");
    }
    armci::lifecycle::initialize("ARMCI_Init_thread_comm", armci_requested, comm);
    return 0;
}
ARMCI_ALIAS(int, ARMCI_Init_thread_comm, (int, MPI_Comm), PARMCI_Init_thread_comm);

extern "C" int PARMCI_Init_mpi_comm(MPI_Comm comm) {
    return armci::lifecycle::initialize_uncounted("ARMCI_Init_mpi_comm", comm) ? 1 : 0;
}
ARMCI_ALIAS(int, ARMCI_Init_mpi_comm, (MPI_Comm), PARMCI_Init_mpi_comm);

extern "C" int PARMCI_Initialized(void) {
    return armci::lifecycle::is_initialized() ? 1 : 0;
}
ARMCI_ALIAS(int, ARMCI_Initialized, (void), PARMCI_Initialized);

extern "C" int PARMCI_Finalize(void) {
    return armci::lifecycle::finalize();
}
ARMCI_ALIAS(int, ARMCI_Finalize, (void), PARMCI_Finalize);

// Global Arrays calls this before an abort, on one rank. The system cleans up everything when the
// process ends.
extern "C" void ARMCI_Cleanup(void) {}

extern "C" void ARMCI_Error(const char* msg, int code) {
    armci::core::abort_job(msg != nullptr ? msg : "(no message)", code);
}
