// SPDX-License-Identifier: BSD-3-Clause
// MPI_THREAD_MULTIPLE: threads of a rank make groups, meet in them and free them at the same time.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "armci/armci.h"
#include "armci/armcix.h"
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

std::vector<int> all_ranks() {
    std::vector<int> ranks(static_cast<size_t>(nproc()));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

// Two threads of a rank begin each round one after the other. Which one is first differs between
// ranks, so that their calls have different orders.
class Order {
  public:
    static bool is_first(int64_t number) { return (me() + me() / 2 + number) % 2 == 0; }
    void begin(int thread, int64_t round) { begun_[thread] = round + 1; }
    void begin_after(int other, int64_t round) {
        while (begun_[other] <= round) {
            sched_yield();
        }
    }

  private:
    std::array<std::atomic<int64_t>, 2> begun_{};
};

// The sum over a group's members, or over those of a scope.
int sum_in(ARMCI_Group* group, int value, int scope = SCOPE_ALL) {
    char plus[] = "+";
    armci_msg_group_gop_scope(scope, &value, 1, plus, ARMCI_INT, group);
    return value;
}

// Makes two groups of all ranks. A thread for each calls use() with it, and with a value that both
// never have.
void use_two_groups(const std::function<void(ARMCI_Group* group, int value)>& use) {
    std::vector<int> ranks = all_ranks();
    ARMCI_Group groups[2];
    for (ARMCI_Group& group : groups) {
        ARMCI_Group_create(nproc(), ranks.data(), &group);
    }
    Order order;
    const auto run = [&](int thread) {
        for (int round = 0; round < scaled(40); ++round) {
            if (!Order::is_first(thread)) {
                order.begin_after(1 - thread, round);
            }
            order.begin(thread, round);
            use(&groups[thread], (thread + 1) * 1000 + round);
        }
    };
    std::thread other(run, 1);
    run(0);
    other.join();
    for (ARMCI_Group& group : groups) {
        ARMCI_Group_free(&group);
    }
    sync();
}

// promise: group.parents-by-threads
TEST(Threads, GroupsAreDuplicatedAtTheSameTime) {
    use_two_groups([](ARMCI_Group* group, int value) {
        ARMCI_Group other;
        ARMCIX_Group_dup(group, &other);
        EXPECT_EQ(sum_in(&other, value), nproc() * value);
        ARMCI_Group_free(&other);
    });
}

// promise: group.parents-by-threads
TEST(Threads, GroupsAreSplitAtTheSameTime) {
    use_two_groups([](ARMCI_Group* group, int value) {
        ARMCI_Group other;
        ARMCIX_Group_split(group, me() % 2, 0, &other);
        EXPECT_EQ(sum_in(&other, value), (nproc() + 1 - me() % 2) / 2 * value);
        ARMCI_Group_free(&other);
    });
}

bool is_master() {
    const int domain = armci_domain_my_id(ARMCI_DOMAIN_SMP);
    return armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, domain, 0) == me();
}

// With ARMCI_DOMAINS=node a scope is a group of its own while the call lasts.
// promise: message.scopes-by-threads
TEST(Threads, ScopesOfGroupsAreUsedAtTheSameTime) {
    use_two_groups([](ARMCI_Group* group, int value) {
        const int masters = armci_domain_count(ARMCI_DOMAIN_SMP);
        EXPECT_EQ(sum_in(group, value, SCOPE_MASTERS), is_master() ? masters * value : value);
    });
}

// The masters are another group than world, on which the other thread allocates.
// promise: message.scopes-by-threads
TEST(Threads, MastersMeetWhileAnotherThreadAllocates) {
    const int masters = armci_domain_count(ARMCI_DOMAIN_SMP);
    if (masters == nproc() && nproc() > 1) {
        GTEST_SKIP() << "needs domains of several ranks (ARMCI_DOMAINS=node)";
    }
    Order order;
    std::thread reducer([&] {
        for (int round = 0; is_master() && round < scaled(200); ++round) {
            if (!Order::is_first(round)) {
                order.begin_after(0, round);
            }
            int value = round;
            char plus[] = "+";
            armci_msg_gop_scope(SCOPE_MASTERS, &value, 1, plus, ARMCI_INT);
            EXPECT_EQ(value, masters * round);
        }
    });
    for (int round = 0; round < scaled(200); ++round) {
        order.begin(0, round);
        const GlobalMemory memory(64);
        *memory.element<int>(me()) = 0;
    }
    reducer.join();
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
