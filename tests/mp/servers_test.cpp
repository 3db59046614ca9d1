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

}  // namespace
}  // namespace armci::mp
