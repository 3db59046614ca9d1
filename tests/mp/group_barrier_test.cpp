// SPDX-License-Identifier: BSD-3-Clause
// Barriers of groups of every shape: who waits for whom, what is visible afterwards, and how groups
// come and go.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <numeric>
#include <string>

#include "armci/armcix.h"
#include "support/check.h"
#include "support/global_memory.h"

namespace armci::mp {
namespace {

bool contains(const std::vector<int>& ranks, int rank) {
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

std::vector<int> ranks_from(int first, int step) {
    std::vector<int> ranks;
    for (int rank = first; rank < nproc(); rank += step) {
        ranks.push_back(rank);
    }
    return ranks;
}

// A group that this rank may be in, and a counter of each rank in all ranks' memory.
class Member {
  public:
    Member(std::vector<int> ranks, const GlobalMemory& memory, int64_t offset)
        : ranks_(std::move(ranks)), memory_(memory), offset_(offset) {
        if (is_in()) {
            ARMCI_Group_create(static_cast<int>(ranks_.size()), ranks_.data(), &group_);
        }
    }
    ~Member() {
        if (is_in()) {
            ARMCI_Group_free(&group_);
        }
    }
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

    bool is_in() const { return contains(ranks_, me()); }

    // Writes this rank's count to all members, meets them, and finds theirs. No member may be
    // behind, and none can be further than one barrier ahead.
    void meet() {
        if (!is_in()) {
            return;
        }
        ++count_;
        for (const int rank : ranks_) {
            ARMCI_PutValueInt(count_, place(me(), rank), rank);
        }
        ARMCI_AllFence();
        armci_msg_group_barrier(&group_);
        for (const int rank : ranks_) {
            const int found = std::atomic_ref(*static_cast<int*>(place(rank, me()))).load();
            EXPECT_GE(found, count_) << "of rank " << rank;
            EXPECT_LE(found, count_ + 1) << "of rank " << rank;
        }
    }

  private:
    void* place(int from, int at) const {
        return memory_.at(at, offset_ + static_cast<int64_t>(sizeof(int)) * from);
    }

    std::vector<int> ranks_;
    const GlobalMemory& memory_;
    int64_t offset_;
    ARMCI_Group group_{};
    int count_ = 0;
};

int64_t bytes_each() {
    return static_cast<int64_t>(sizeof(int)) * nproc();
}

// The counters of so many groups.
void clear(const GlobalMemory& memory, int groups = 1) {
    sync();
    std::memset(memory.mine(), 0, static_cast<size_t>(groups * bytes_each()));
    sync();
}

// promise: message.group-barrier
TEST(GroupBarrier, WaitsForAllMembersOfEveryShape) {
    GlobalMemory memory(bytes_each());
    std::vector<std::vector<int>> shapes = {{0}, {nproc() - 1}, ranks_from(0, 1), ranks_from(0, 2)};
    shapes.push_back(ranks_from(nproc() > 1 ? 1 : 0, 1));
    shapes.push_back(ranks_from(0, 1));
    std::reverse(shapes.back().begin(), shapes.back().end());
    shapes.push_back({0, nproc() - 1});
    if (nproc() == 1) {
        shapes.back().pop_back();
    }
    // The first ranks of the nodes.
    std::vector<int> firsts;
    for (int rank = 0; rank < nproc(); ++rank) {
        if (ARMCIX_Node(rank) == static_cast<int>(firsts.size())) {
            firsts.push_back(rank);
        }
    }
    shapes.push_back(firsts);
    for (const std::vector<int>& ranks : shapes) {
        clear(memory);
        Member member(ranks, memory, 0);
        for (int64_t round = 0; round < scaled(20); ++round) {
            member.meet();
        }
        sync();
    }
}

// Members of overlapping groups meet in one, then in another, in an order that all keep.
TEST(GroupBarrier, OfOverlappingGroupsInterleave) {
    GlobalMemory memory(4 * bytes_each());
    clear(memory, 4);
    Member all(ranks_from(0, 1), memory, 0);
    Member even(ranks_from(0, 2), memory, bytes_each());
    Member upper(ranks_from(nproc() / 2, 1), memory, 2 * bytes_each());
    Member first_and_last(nproc() > 1 ? std::vector<int>{nproc() - 1, 0} : std::vector<int>{0},
                          memory, 3 * bytes_each());
    Rng rng = common_rng();
    Member* const members[] = {&all, &even, &upper, &first_and_last};
    for (int64_t step = 0; step < scaled(150); ++step) {
        members[rng.between(0, 3)]->meet();
    }
    sync();
}

// The ranks outside do not call the library before the members have met. If the barrier waited for
// them, no rank could go on.
TEST(GroupBarrier, DoesNotWaitForOtherRanks) {
    GlobalMemory memory(bytes_each());
    clear(memory);
    const int first = nproc() / 2;
    {
        Member half(ranks_from(first, 1), memory, 0);
        half.meet();
        half.meet();
        const int all_are_past = 2;
        if (me() == first) {
            for (int rank = 0; rank < first; ++rank) {
                MPI_Send(&all_are_past, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
            }
        } else if (me() < first) {
            int meetings = 0;
            MPI_Recv(&meetings, 1, MPI_INT, first, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT_EQ(meetings, all_are_past);
        }
    }
    ARMCI_Barrier();
}

// Groups inside groups, and memory of the inner one. Its members meet there while the others wait
// in the outer one.
TEST(GroupBarrier, OfNestedGroups) {
    GlobalMemory memory(2 * bytes_each());
    clear(memory, 2);
    Member outer(ranks_from(0, 1), memory, 0);
    {
        Member inner(ranks_from(nproc() / 2, 1), memory, bytes_each());
        for (int64_t round = 0; round < scaled(10); ++round) {
            inner.meet();
            inner.meet();
            outer.meet();
        }
    }
    outer.meet();
    sync();
}

// Groups in great numbers, each met and freed, with numbers and memory used again.
TEST(GroupBarrier, OfManyGroupsInSuccession) {
    Rng rng = common_rng();
    for (int64_t round = 0; round < scaled(300); ++round) {
        std::vector<int> ranks = ranks_from(0, 1);
        rng.shuffle(ranks);
        ranks.resize(static_cast<size_t>(rng.between(1, nproc())));
        const int64_t meetings = rng.between(0, 3);
        if (!contains(ranks, me())) {
            continue;
        }
        ARMCI_Group group;
        ARMCI_Group_create(static_cast<int>(ranks.size()), ranks.data(), &group);
        for (int64_t meeting = 0; meeting < meetings; ++meeting) {
            armci_msg_group_barrier(&group);
        }
        ARMCI_Group_free(&group);
    }
    sync();
}

// Ranks that a barrier waits for may come late: those that wait sleep, and are woken.
TEST(GroupBarrier, WakesRanksThatSleep) {
    GlobalMemory memory(bytes_each());
    clear(memory);
    Member all(ranks_from(0, 1), memory, 0);
    std::vector<int> reversed = ranks_from(0, 1);
    std::reverse(reversed.begin(), reversed.end());
    for (const int late : reversed) {
        if (late == me()) {
            const double until = MPI_Wtime() + 0.02;
            while (MPI_Wtime() < until) {
            }
        }
        all.meet();
    }
    sync();
}

// Checking mode watches freed memory, which the library may use again by itself.
TEST(GroupBarrier, UsesMemoryThatWasFreed) {
    { const GlobalMemory freed(16); }
    std::vector<int> ranks = ranks_from(0, 1);
    std::array<ARMCI_Group, 4> groups{};
    for (ARMCI_Group& group : groups) {
        ARMCI_Group_create(nproc(), ranks.data(), &group);
        for (int meeting = 0; meeting < 3; ++meeting) {
            armci_msg_group_barrier(&group);
        }
    }
    for (ARMCI_Group& group : groups) {
        ARMCI_Group_free(&group);
    }
    for (int i = 0; i < 8; ++i) {
        const GlobalMemory memory(16);
    }
}

}  // namespace
}  // namespace armci::mp
