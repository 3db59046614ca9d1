// SPDX-License-Identifier: BSD-3-Clause
// MPI_THREAD_MULTIPLE: threads of a rank make groups, meet in them and free them at the same time.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "armci/armci.h"
#include "armci/message.h"
#include "support/global_memory.h"
#include "support/job.h"

namespace armci::mp {
namespace {

// Makes the group of this rank and another several times. Every time both write their counts to
// each other and meet.
void meet_in_pairs(const GlobalMemory& memory, int other, int64_t rounds) {
    int pair[] = {std::min(me(), other), std::max(me(), other)};
    int count = 0;
    for (int64_t round = 0; round < rounds; ++round) {
        ARMCI_Group group;
        ARMCI_Group_create(2, pair, &group);
        for (int meeting = 0; meeting < 3; ++meeting) {
            ++count;
            ARMCI_PutValueInt(count, memory.element<int>(other, me()), other);
            ARMCI_Fence(other);
            armci_msg_group_barrier(&group);
            EXPECT_GE(ARMCI_GetValueInt(memory.element<int>(me(), other), me()), count);
        }
        // The library makes a communicator for it.
        int sum = 1;
        char plus[] = "+";
        armci_msg_group_igop(&sum, 1, plus, &group);
        EXPECT_EQ(sum, 2);
        ARMCI_Group_free(&group);
    }
}

// The pairs form cycles, so all must be under way at a time: no rank could make its own one after
// the other in an order that suits all.
// promise: group.by-threads
TEST(Threads, GroupsAreMadeAtTheSameTime) {
    const GlobalMemory memory(static_cast<int64_t>(sizeof(int)) * nproc());
    std::fill_n(memory.element<int>(me()), nproc(), 0);
    sync();
    std::vector<std::thread> threads;
    for (int other = 0; other < nproc(); ++other) {
        if (other != me()) {
            threads.emplace_back([&memory, other] { meet_in_pairs(memory, other, scaled(80)); });
        }
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    sync();
}

}  // namespace
}  // namespace armci::mp
