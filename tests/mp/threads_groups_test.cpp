// SPDX-License-Identifier: BSD-3-Clause
// MPI_THREAD_MULTIPLE: threads of a rank make groups, meet in them and free them at the same time.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
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

// A call that waits for other ranks refers to its group, while another thread adds many to the list
// of groups. The last rank comes when all have done that.
// promise: threads.any-thread
TEST(Threads, GroupsAreMadeWhileAnotherThreadAllocates) {
    constexpr int kGroups = 300;
    const int last = nproc() - 1;
    const GlobalMemory memory(sizeof(int));
    int* const makers = memory.element<int>(last);  // those that have made theirs
    *memory.element<int>(me()) = 0;
    sync();
    std::atomic<bool> allocates{false};
    std::thread maker([&] {
        while (!allocates && me() != last) {
            sched_yield();
        }
        int alone = me();
        std::vector<ARMCI_Group> groups(kGroups);
        for (ARMCI_Group& group : groups) {
            ARMCI_Group_create(1, &alone, &group);
        }
        int before = 0;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &before, makers, 1, last);
        for (ARMCI_Group& group : groups) {
            ARMCI_Group_free(&group);
        }
    });
    for (int count = 0; me() == last && count < nproc();) {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &count, makers, 0, last);
        sched_yield();
    }
    std::vector<void*> fresh(static_cast<size_t>(nproc()), nullptr);
    allocates = true;
    ASSERT_EQ(ARMCI_Malloc(fresh.data(), 64), 0);
    for (int rank = 0; rank < nproc(); ++rank) {
        EXPECT_NE(fresh[static_cast<size_t>(rank)], nullptr);
    }
    maker.join();
    ARMCI_Free(fresh[static_cast<size_t>(me())]);
    sync();
}

}  // namespace
}  // namespace armci::mp
