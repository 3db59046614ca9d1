// SPDX-License-Identifier: BSD-3-Clause
// Whether ranks poll or sleep while they wait for the network, according to the statistics.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "../unit/task_state.h"
#include "armci/armcix.h"
#include "support/global_memory.h"
#include "support/job.h"

namespace armci::mp {
namespace {

constexpr int kGets = 500;

std::string setting(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

// Whether rank 0 counts its waits for the last rank. Within a node it does not wait for the
// network, and without a thread of the data server it has to make that one's progress.
bool counts_waits() {
    const int other = me() == 0 ? nproc() - 1 : 0;
    return ARMCIX_Route(other) != ARMCIX_ROUTE_LOCAL && setting("ARMCI_PROGRESS_THREAD") != "0";
}

// Rank 0 calls this before it waits for the last rank.
void announce_wait() {
    const int pid = getpid();
    MPI_Send(&pid, 1, MPI_INT, nproc() - 1, 0, harness_comm());
}

// The last rank calls this. Returns when rank 0 sleeps in its wait.
void await_wait() {
    int pid = 0;
    MPI_Recv(&pid, 1, MPI_INT, 0, 0, harness_comm(), MPI_STATUS_IGNORE);
    test::wait_until_it_stays_asleep("/proc/" + std::to_string(pid));
}

// promise: stats.waits
TEST(Waiting, PollsOrSleepsAsConfigured) {
    GlobalMemory memory(64);
    armcix_stats_t before;
    armcix_stats_t after;
    const int last = nproc() - 1;
    const bool counts = counts_waits();
    ASSERT_EQ(ARMCI_Create_mutexes(1), 0);
    if (me() == last) {
        ARMCI_Lock(0, last);
    }
    ARMCI_Barrier();
    ASSERT_EQ(ARMCIX_Stats(&before, sizeof before), 0);
    if (me() == last) {
        if (counts) {
            await_wait();
        }
        ARMCI_Unlock(0, last);
    }
    if (me() == 0) {
        // Gets may be complete at the first look, where polls take long; this one is not.
        if (counts) {
            announce_wait();
        }
        ARMCI_Lock(0, last);
        ARMCI_Unlock(0, last);
        char local[8];
        for (int i = 0; i < kGets; ++i) {
            ASSERT_EQ(ARMCI_Get(memory.at(nproc() - 1), local, sizeof local, nproc() - 1), 0);
        }
    }
    ASSERT_EQ(ARMCIX_Stats(&after, sizeof after), 0);
    ASSERT_EQ(ARMCI_Destroy_mutexes(), 0);
    if (me() != 0) {
        return;
    }
    const unsigned long long waits = after.waits - before.waits;
    const unsigned long long asleep = after.waits_asleep - before.waits_asleep;
    if (!counts) {
        EXPECT_EQ(waits, 0U);
        return;
    }
    EXPECT_GT(waits, 0U);
    EXPECT_LE(waits, static_cast<unsigned long long>(kGets) + 2);
    const std::string spin = setting("ARMCI_WAIT_SPIN_US");
    if (spin == "0") {
        EXPECT_EQ(asleep, waits);
    } else if (!spin.empty()) {
        EXPECT_EQ(asleep, 0U);
    } else {
        EXPECT_LE(asleep, waits);
    }
}

// How long the data server of the last rank polls after some requests, in seconds. A busy machine
// makes it longer, not shorter.
double polling_time(const char* task, void* counter) {
    constexpr int kRequests = 20;
    for (int request = 0; request < kRequests; ++request) {
        int old = 0;
        EXPECT_EQ(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old, counter, 1, nproc() - 1), 0);
    }
    const double begin_s = MPI_Wtime();
    test::wait_until_asleep(task);
    return MPI_Wtime() - begin_s;
}

// Rank 0 watches the data server of the last rank, which may poll for five times
// ARMCI_SERVER_SPIN_US while that rank sleeps in a barrier, and not while it waits for MPI.
TEST(ServerWaiting, PollsForLongerWhileItsRankSleeps) {
    const std::string spin = setting("ARMCI_SERVER_SPIN_US");
    if (spin.empty() || sysconf(_SC_NPROCESSORS_ONLN) < nproc()) {
        GTEST_SKIP() << "ARMCI_SERVER_SPIN_US is not set, or data servers never poll here";
    }
    const int last = nproc() - 1;
    const double long_s = 3e-6 * std::stod(spin);
    GlobalMemory memory(sizeof(int));
    void* const counter = memory.at(last);
    char task[64] = "";
    if (me() == last) {
        std::string own = test::task_named("armci-server");
        own.replace(0, std::strlen("/proc/self"), "/proc/" + std::to_string(getpid()));
        ASSERT_LT(own.size(), sizeof task);
        own.copy(task, sizeof task - 1);
        MPI_Send(task, sizeof task, MPI_CHAR, 0, 0, harness_comm());
    } else if (me() == 0) {
        MPI_Recv(task, sizeof task, MPI_CHAR, last, 0, harness_comm(), MPI_STATUS_IGNORE);
        // The rank wakes up now and then, which ends some of these times early.
        int long_times = 0;
        for (int i = 0; i < 50; ++i) {
            long_times += polling_time(task, counter) > long_s ? 1 : 0;
        }
        EXPECT_GE(long_times, 10);
    }
    ARMCI_Barrier();
    sync();
    if (me() == 0) {
        // This never ends if the server polls for as long as before.
        for (int short_times = 0; short_times < 5;) {
            short_times = polling_time(task, counter) < long_s ? short_times + 1 : 0;
        }
    }
    sync();
}

// In this process nothing long has been moved before.
// promise: pipeline-depth.limits, pipeline-depth.previous, stats.buffers
TEST(PipelineDepth, BoundsTheBuffersInUse) {
    constexpr int kBytes = 8 << 20;
    GlobalMemory memory(kBytes);
    if (me() == 0) {
        std::vector<char> source(kBytes, 'x');
        const int target = nproc() - 1;
        const bool is_one_node = ARMCIX_Node_count() == 1;
        armcix_stats_t one;
        armcix_stats_t two;
        armcix_stats_t any;
        const auto put = [&](armcix_stats_t& stats) {
            ARMCI_Put(source.data(), memory.at(target), kBytes, target);
            ARMCI_Fence(target);
            ARMCIX_Stats(&stats, sizeof stats);
        };
        EXPECT_EQ(ARMCIX_Set_pipeline_depth(1), 0);
        put(one);
        EXPECT_EQ(ARMCIX_Set_pipeline_depth(2), is_one_node ? 0 : 1);
        put(two);
        EXPECT_EQ(ARMCIX_Set_pipeline_depth(0), is_one_node ? 0 : 2);
        put(any);
        EXPECT_LE(any.buffer_high_water_bytes, any.buffer_bytes);
        if (one.put[ARMCIX_ROUTE_SERVER].operations == 1) {
            EXPECT_GT(one.buffer_high_water_bytes, 0U);
            EXPECT_LE(2 * one.buffer_high_water_bytes, one.buffer_bytes);
            EXPECT_LE(two.buffer_high_water_bytes, 2 * one.buffer_high_water_bytes);
        }
    }
    ARMCI_Barrier();
}

}  // namespace
}  // namespace armci::mp
