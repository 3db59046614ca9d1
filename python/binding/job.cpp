// SPDX-License-Identifier: BSD-3-Clause
#include "job.h"

#include <numeric>
#include <thread>

namespace armci::python {
namespace {

bool g_up = false;
bool g_owns_mpi = false;
int g_starts = 0;
int g_mpi_level = MPI_THREAD_SINGLE;
std::thread::id g_starter;

}  // namespace

void start(uintptr_t comm_address) {
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (finalized) {
        throw Error("armci.init: MPI has been finalized, and cannot be started again");
    }
    if (comm_address != 0 && ARMCI_Initialized()) {
        throw Error(
            "armci.init: the library was started by other code of this process, "
            "which has chosen its communicator; call init() without one");
    }
    if (!initialized) {
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &g_mpi_level);
        g_owns_mpi = true;
    }
    MPI_Query_thread(&g_mpi_level);
    if (comm_address == 0) {
        ARMCI_Init();
    } else {
        ARMCI_Init_thread_comm(g_mpi_level, *reinterpret_cast<MPI_Comm*>(comm_address));
    }
    g_starter = std::this_thread::get_id();
    g_up = true;
    ++g_starts;
}

void stop() {
    ARMCI_Finalize();
    g_up = false;
}

void stop_mpi() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (g_owns_mpi && !finalized) {
        MPI_Finalize();
    }
}

bool is_up() {
    return g_up && ARMCI_Initialized() != 0;
}

int start_count() {
    return g_starts;
}

void check_call() {
    if (!is_up()) {
        throw Error("the library is not up: call armci.init() first");
    }
    if (g_mpi_level < MPI_THREAD_MULTIPLE && std::this_thread::get_id() != g_starter) {
        throw Error(
            "MPI was started without MPI_THREAD_MULTIPLE: only the thread that has called "
            "armci.init() may call the library");
    }
}

void check_call(int start) {
    check_call();
    if (start != g_starts) {
        throw Error("this object belongs to an earlier armci.init(), which has been finalized");
    }
}

std::string mpi_version() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string whole(text, static_cast<size_t>(length));
    return whole.substr(0, whole.find('\n'));
}

std::vector<int> ranks_of(uintptr_t comm_address) {
    check_call();
    MPI_Comm world = MPI_COMM_NULL;
    ARMCIX_Get_world_comm(&world);
    MPI_Group of_comm = MPI_GROUP_NULL;
    MPI_Group of_world = MPI_GROUP_NULL;
    MPI_Comm_group(*reinterpret_cast<MPI_Comm*>(comm_address), &of_comm);
    MPI_Comm_group(world, &of_world);
    int size = 0;
    MPI_Group_size(of_comm, &size);
    std::vector<int> from(static_cast<size_t>(size));
    std::vector<int> to(static_cast<size_t>(size));
    std::iota(from.begin(), from.end(), 0);
    MPI_Group_translate_ranks(of_comm, size, from.data(), of_world, to.data());
    MPI_Group_free(&of_comm);
    MPI_Group_free(&of_world);
    for (const int rank : to) {
        if (rank == MPI_UNDEFINED) {
            throw std::invalid_argument(
                "the communicator has a process that is none of armci's ranks");
        }
    }
    return to;
}

}  // namespace armci::python
