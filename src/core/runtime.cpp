#include "core/runtime.h"

#include "base/log.h"

namespace armci::core {

bool Runtime::progress() {
    return network != nullptr && network->origin.progress();
}

void Runtime::idle() {
    if (network != nullptr && network->server != nullptr) {
        network->server->help();
    }
    if (multi_threaded) {
        api_mutex.unlock();
        sched_yield();
        api_mutex.lock();
    }
}

void Entry::fail_not_running(const char* function) {
    prepare_to_fail();
    base::fatal(function,
                "the library is not running: call ARMCI_Init after MPI_Init and before this, "
                "and ARMCI_Finalize after it");
}

}  // namespace armci::core
