// SPDX-License-Identifier: BSD-3-Clause
// The library calls MPI only on the thread that calls the library, whatever its own threads do
// meanwhile. This program defines the functions of MPI itself and records which thread calls them.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "armci/armcix.h"
#include "armci/message.h"
#include "mpi_calls.h"
#include "support/global_memory.h"
#include "support/harness.h"
#include "support/job.h"

namespace {

thread_local bool t_calls_the_library = false;
std::atomic<int> g_calls_of_mpi{0};
std::mutex g_mutex;
std::set<std::string> g_calls_by_others;

void note_caller(const char* function) {
    ++g_calls_of_mpi;
    if (!t_calls_the_library) {
        char name[32] = "";
        pthread_getname_np(pthread_self(), name, sizeof name);
        const std::lock_guard<std::mutex> lock(g_mutex);
        g_calls_by_others.insert(std::string(function) + " by thread \"" + name + "\"");
    }
}

}  // namespace

#define ARMCI_NOTE_CALLER(name, parameters, arguments) \
    extern "C" int name parameters {                   \
        note_caller(#name);                            \
        return P##name arguments;                      \
    }
ARMCI_MPI_CALLS(ARMCI_NOTE_CALLER)
#undef ARMCI_NOTE_CALLER

extern "C" double MPI_Wtime() {
    note_caller("MPI_Wtime");
    return PMPI_Wtime();
}

namespace armci::mp {
namespace {

std::set<std::string> names_of_threads() {
    std::set<std::string> names;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream file(thread.path() / "comm");
        std::string name;
        if (std::getline(file, name)) {
            names.insert(name);
        }
    }
    return names;
}

constexpr int64_t kBytes = 1 << 20;
constexpr int kRounds = 20;
constexpr int kTarget = 0;

// Everything that a data server, or a copy engine, does for other ranks.
void use(const GlobalMemory& memory) {
    std::vector<double> local(kBytes / sizeof(double), me());
    double scale = 1;
    int stride = 64;
    int count[2] = {32, 100};
    long old = 0;
    // It follows the word that counts the ready ranks.
    double* const remote = memory.element<double>(kTarget, 8);
    constexpr int kLong = kBytes / 2;
    for (int i = 0; i < kRounds; ++i) {
        ARMCI_Put(local.data(), remote, kLong, kTarget);
        ARMCI_Acc(ARMCI_ACC_DBL, &scale, local.data(), remote, kLong, kTarget);
        ARMCI_PutS(local.data(), &stride, remote, &stride, count, 1, kTarget);
        ARMCI_NbGet(remote, local.data(), kLong, kTarget, nullptr);
        ARMCI_WaitAll();
        ARMCI_Lock(0, kTarget);
        ARMCI_Unlock(0, kTarget);
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, memory.at(kTarget, 8), 1, kTarget);
    }
    ARMCI_Fence(kTarget);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, memory.at(kTarget), 1, kTarget);
}

void call_collectives() {
    ARMCI_Barrier();
    int sum = 1;
    armci_msg_igop(&sum, 1, const_cast<char*>("+"));
    armci_msg_barrier();
    ARMCI_Group world;
    ARMCI_Group group;
    ARMCI_Group_get_world(&world);
    ARMCIX_Group_dup(&world, &group);
    ARMCI_Group_free(&group);
    armci_notify(right());
    int number = 0;
    armci_notify_wait(left(), &number);
}

// The target of all calls neither calls the library nor MPI until the others have done their work.
// promise: threads.mpi-by-callers
TEST(MpiCallers, IdleTargetServesWithoutCallingMpi) {
    GlobalMemory memory(kBytes);
    memory.element<long>(me())[0] = memory.element<long>(me())[1] = 0;
    ARMCI_Create_mutexes(1);
    ARMCI_Barrier();
    if (me() == kTarget) {
        const int before = g_calls_of_mpi;
        volatile long* ready = memory.element<long>(kTarget);
        while (*ready < nproc() - 1) {
            sched_yield();
        }
        EXPECT_EQ(g_calls_of_mpi, before);
        EXPECT_EQ(memory.element<long>(kTarget)[1], long{kRounds} * (nproc() - 1));
    } else {
        use(memory);
    }
    call_collectives();
    const std::set<std::string> threads = names_of_threads();
    EXPECT_EQ(threads.count("armci-watch"), 1U);
    if (ARMCIX_Node_count() == nproc()) {
        EXPECT_EQ(threads.count("armci-server"), 1U);
    }
    EXPECT_GT(g_calls_of_mpi, 0);
    ARMCI_Destroy_mutexes();
}

}  // namespace
}  // namespace armci::mp

// From the first call to the last, including those of start and stop.
int main(int argc, char** argv) {
    t_calls_the_library = true;
    int status = armci::mp::run_tests(argc, argv);
    const std::lock_guard<std::mutex> lock(g_mutex);
    for (const std::string& call : g_calls_by_others) {
        std::fprintf(stderr, "FAILED: %s, not by the one that calls the library\n", call.c_str());
        status = 1;
    }
    return status;
}
