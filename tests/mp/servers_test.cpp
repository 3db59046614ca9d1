// SPDX-License-Identifier: BSD-3-Clause
// How the data servers of a node share the work on one allocation, according to the statistics.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "armci/armcix.h"
#include "support/global_memory.h"
#include "support/job.h"

namespace armci::mp {
namespace {

unsigned long long frames_executed_here() {
    armcix_stats_t stats;
    EXPECT_EQ(ARMCIX_Stats(&stats, sizeof stats), 0);
    return stats.server_frames;
}

// Every rank adds to the slice of every other one, so each server gets work for its ranks.
// promise: stats.servers
TEST(Servers, ShareOneArrayByTargetRank) {
    constexpr int kCount = 3;
    GlobalMemory memory(sizeof(long));
    *memory.element<long>(me()) = 0;
    ARMCI_Barrier();
    const unsigned long long before = frames_executed_here();
    ARMCI_Barrier();
    for (int proc = 0; proc < nproc(); ++proc) {
        for (int i = 0; i < kCount; ++i) {
            long one = 1;
            long scale = 1;
            ASSERT_EQ(ARMCI_Acc(ARMCI_ACC_LNG, &scale, &one, memory.at(proc), sizeof one, proc), 0);
        }
    }
    ARMCI_Barrier();
    EXPECT_EQ(*memory.element<long>(me()), static_cast<long>(kCount) * nproc());
    const unsigned long long executed = frames_executed_here() - before;
    ARMCI_Barrier();
    std::vector<unsigned long long> all(static_cast<size_t>(nproc()));
    MPI_Allgather(&executed, 1, MPI_UNSIGNED_LONG_LONG, all.data(), 1, MPI_UNSIGNED_LONG_LONG,
                  harness_comm());
    const char* servers = std::getenv("ARMCI_SERVERS_PER_NODE");
    const int per_node = servers != nullptr ? std::atoi(servers) : 1;
    for (int node = 0; node < ARMCIX_Node_count(); ++node) {
        int busy = 0;
        for (int proc = 0; proc < nproc(); ++proc) {
            busy += ARMCIX_Node(proc) == node && all[static_cast<size_t>(proc)] > 0 ? 1 : 0;
        }
        EXPECT_EQ(busy, ARMCIX_Node_count() > 1 ? per_node : 0) << "node " << node;
    }
    armcix_stats_t stats;
    ASSERT_EQ(ARMCIX_Stats(&stats, sizeof stats), 0);
    EXPECT_EQ(stats.server_busy_ns > 0, stats.server_frames > 0);
}

// Each rank fences each other one, whichever of its node's servers has that one's memory.
TEST(Servers, FenceAsksTheServerOfItsTarget) {
    constexpr int64_t kBytes = 96 << 10;
    GlobalMemory memory(kBytes);
    for (int64_t round = 1; round <= scaled(20); ++round) {
        for (int distance = 1; distance < nproc(); ++distance) {
            const int target = (me() + distance) % nproc();
            const int source = (me() + nproc() - distance) % nproc();
            const auto value = [&](int rank) { return static_cast<char>(7 * round + rank); };
            const std::vector<char> sent(kBytes, value(me()));
            EXPECT_EQ(ARMCI_Put(const_cast<char*>(sent.data()), memory.at(target),
                                static_cast<int>(kBytes), target),
                      0);
            ARMCI_Fence(target);
            MPI_Sendrecv(nullptr, 0, MPI_BYTE, target, 0, nullptr, 0, MPI_BYTE, source, 0,
                         harness_comm(), MPI_STATUS_IGNORE);
            const char* mine = memory.mine();
            EXPECT_EQ(std::count(mine, mine + kBytes, value(source)), kBytes)
                << "round " << round << ", from rank " << source;
            MPI_Barrier(harness_comm());
        }
    }
}

}  // namespace
}  // namespace armci::mp
