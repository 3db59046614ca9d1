// SPDX-License-Identifier: BSD-3-Clause
// Groups: every way to create one, memory and collectives on them, and the order in which they are
// freed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "armci/armcix.h"
#include "support/check.h"
#include "support/global_memory.h"

namespace armci::mp {
namespace {

// The C interface takes operators as char*.
char* operator_text(const char* op) {
    return const_cast<char*>(op);
}

std::vector<int> all_ranks() {
    std::vector<int> ranks(static_cast<size_t>(nproc()));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

std::vector<int> ranks_of_parity(int parity) {
    std::vector<int> ranks;
    for (int rank = parity; rank < nproc(); rank += 2) {
        ranks.push_back(rank);
    }
    return ranks;
}

bool contains(const std::vector<int>& ranks, int rank) {
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

ARMCI_Group create(std::vector<int> ranks) {
    ARMCI_Group group;
    std::memset(&group, 0x5a, sizeof group);  // programs do not initialise group structures
    ARMCI_Group_create(static_cast<int>(ranks.size()), ranks.data(), &group);
    return group;
}

void expect_members(ARMCI_Group& group, const std::vector<int>& ranks) {
    const auto place = std::find(ranks.begin(), ranks.end(), me());
    int size = -7;
    ARMCI_Group_size(&group, &size);
    int rank = -7;
    const int result = ARMCI_Group_rank(&group, &rank);
    if (place == ranks.end()) {
        EXPECT_EQ(size, 0);
        EXPECT_NE(result, 0);
        EXPECT_EQ(rank, -1);
        EXPECT_EQ(group.comm, MPI_COMM_NULL);
        EXPECT_EQ(group.rank, -1);
        EXPECT_EQ(group.size, 0);
        return;
    }
    EXPECT_EQ(size, static_cast<int>(ranks.size()));
    EXPECT_EQ(result, 0);
    EXPECT_EQ(rank, place - ranks.begin());
    for (size_t i = 0; i < ranks.size(); ++i) {
        EXPECT_EQ(ARMCI_Absolute_id(&group, static_cast<int>(i)), ranks[i]) << "group rank " << i;
    }
    EXPECT_EQ(ARMCI_Absolute_id(&group, size), -1);
    EXPECT_EQ(ARMCI_Absolute_id(&group, -1), -1);
    int comm_size = -1;
    int comm_rank = -1;
    MPI_Comm_size(group.comm, &comm_size);
    MPI_Comm_rank(group.comm, &comm_rank);
    EXPECT_EQ(comm_size, size);
    EXPECT_EQ(comm_rank, rank);
    EXPECT_EQ(group.rank, rank);
    EXPECT_EQ(group.size, size);
    EXPECT_EQ(armci_group_comm(&group), group.comm);
}

// The sum over a group's members of a number each rank has.
void expect_sum(ARMCI_Group& group, const std::vector<int>& ranks) {
    if (!contains(ranks, me())) {
        return;
    }
    int sum = 3 * me() + 1;
    armci_msg_group_igop(&sum, 1, operator_text("+"), &group);
    int expected = 0;
    for (const int rank : ranks) {
        expected += 3 * rank + 1;
    }
    EXPECT_EQ(sum, expected);
}

// promise: init.world, group.world, group.world-comm, group.default, group.rank
// promise: group.communicator-call
TEST(Group, WorldHasAllRanks) {
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    expect_members(world, all_ranks());
    int comparison = MPI_UNEQUAL;
    MPI_Comm_compare(world.comm, MPI_COMM_WORLD, &comparison);
    EXPECT_EQ(comparison, MPI_CONGRUENT);
    ARMCI_Group by_default;
    ARMCI_Group_get_default(&by_default);
    expect_members(by_default, all_ranks());
    MPI_Comm comm = MPI_COMM_NULL;
    ARMCIX_Get_world_comm(&comm);
    EXPECT_EQ(comm, world.comm);
    expect_sum(world, all_ranks());
}

// All ranks of the parent call, as ARMCI-MPI requires.
// promise: group.callers, group.not-a-member, group.free, group.rank, group.absolute-id
// promise: group.communicator-call
TEST(Group, CreatedByAllRanksOfTheParent) {
    for (const int parity : {0, 1}) {
        const std::vector<int> ranks = ranks_of_parity(parity);
        if (ranks.empty()) {
            continue;
        }
        ARMCI_Group group = create(ranks);
        expect_members(group, ranks);
        expect_sum(group, ranks);
        ARMCI_Group_free(&group);
    }
}

// Only the members call, as ComEx requires.
// promise: group.callers, group.rank
TEST(Group, CreatedByMembersOnly) {
    for (int round = 0; round < 3; ++round) {
        const std::vector<int> ranks = ranks_of_parity(round % 2);
        if (contains(ranks, me())) {
            ARMCI_Group group = create(ranks);
            expect_members(group, ranks);
            expect_sum(group, ranks);
            ARMCI_Group_free(&group);
        }
    }
    sync();
}

// Members of disjoint lists call at the same time, each with its own list.
TEST(Group, DisjointGroupsAreCreatedAtTheSameTime) {
    const std::vector<int> ranks = ranks_of_parity(me() % 2);
    ARMCI_Group group = create(ranks);
    expect_members(group, ranks);
    expect_sum(group, ranks);
    ARMCI_Group_free(&group);

    ARMCI_Group self = create({me()});
    expect_members(self, {me()});
    expect_sum(self, {me()});
    ARMCI_Group_free(&self);
}

// promise: group.order, group.absolute-id
TEST(Group, KeepsTheOrderOfTheList) {
    std::vector<int> ranks = all_ranks();
    std::reverse(ranks.begin(), ranks.end());
    ARMCI_Group reversed = create(ranks);
    expect_members(reversed, ranks);
    expect_sum(reversed, ranks);
    Rng rng = common_rng();
    rng.shuffle(ranks);
    ARMCI_Group shuffled = create(ranks);
    expect_members(shuffled, ranks);
    ARMCI_Group_free(&reversed);
    expect_sum(shuffled, ranks);
    ARMCI_Group_free(&shuffled);
}

// Groups {0,1}, {1,2}, ... share members. A member creates its two in ascending order.
// promise: group.free
TEST(Group, OverlappingPairs) {
    std::vector<std::pair<std::vector<int>, ARMCI_Group>> mine;
    for (int first = 0; first + 1 < nproc(); ++first) {
        const std::vector<int> ranks = {first, first + 1};
        if (contains(ranks, me())) {
            mine.emplace_back(ranks, create(ranks));
        }
    }
    for (auto& [ranks, group] : mine) {
        expect_members(group, ranks);
        expect_sum(group, ranks);
    }
    for (auto& [ranks, group] : mine) {
        ARMCI_Group_free(&group);
        EXPECT_EQ(group.rank, -1);
        EXPECT_EQ(group.size, 0);
    }
    sync();
}

// promise: group.child
TEST(Group, ChildIsGivenInRanksOfItsParent) {
    std::vector<int> parent_ranks = all_ranks();
    std::reverse(parent_ranks.begin(), parent_ranks.end());
    ARMCI_Group parent = create(parent_ranks);
    // The first half of the parent: the upper half of world.
    const int half = (nproc() + 1) / 2;
    std::vector<int> in_parent(static_cast<size_t>(half));
    std::iota(in_parent.begin(), in_parent.end(), 0);
    std::vector<int> in_world;
    for (const int rank : in_parent) {
        in_world.push_back(parent_ranks[static_cast<size_t>(rank)]);
    }
    ARMCI_Group child;
    ARMCI_Group_create_child(half, in_parent.data(), &child, &parent);
    expect_members(child, in_world);
    expect_sum(child, in_world);
    if (contains(in_world, me())) {
        ARMCI_Group_free(&child);
    }
    ARMCI_Group_free(&parent);
}

// promise: group.split, group.dup
TEST(Group, SplitAndDuplicate) {
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    // Colour by parity, keys falling with the rank: the members come in reverse.
    ARMCI_Group split;
    EXPECT_EQ(ARMCIX_Group_split(&world, me() % 2, nproc() - me(), &split), 0);
    std::vector<int> ranks = ranks_of_parity(me() % 2);
    std::reverse(ranks.begin(), ranks.end());
    expect_members(split, ranks);
    ARMCI_Group copy;
    EXPECT_EQ(ARMCIX_Group_dup(&split, &copy), 0);
    expect_members(copy, ranks);
    ARMCI_Group_free(&split);
    expect_sum(copy, ranks);
    ARMCI_Group_free(&copy);

    ARMCI_Group without_me;
    EXPECT_EQ(ARMCIX_Group_split(&world, me() == 0 ? MPI_UNDEFINED : 1, me(), &without_me), 0);
    ranks = all_ranks();
    ranks.erase(ranks.begin());
    expect_members(without_me, ranks);
    expect_sum(without_me, ranks);
    ARMCI_Group_free(&without_me);
}

// The default group decides in what ranks the next group is given, and nothing else.
// promise: group.default, message.scope-of-calls
TEST(Group, DefaultGroupDecidesRanksOfTheNextGroup) {
    const std::vector<int> ranks = ranks_of_parity(me() % 2);
    ARMCI_Group parity = create(ranks);
    ARMCI_Group_set_default(&parity);
    {
        ARMCI_Group current;
        ARMCI_Group_get_default(&current);
        expect_members(current, ranks);
        // The last member of the default group alone.
        const int last = static_cast<int>(ranks.size()) - 1;
        ARMCI_Group single = create({last});
        expect_members(single, {ranks.back()});
        ARMCI_Group_free(&single);
        // Calls on the world still use the world.
        GlobalMemory memory(64);
        ARMCI_PutValueInt(me(), memory.at(right()), right());
        ARMCI_Barrier();
        EXPECT_EQ(*memory.element<int>(me()), left());
        long count = 1;
        armci_msg_lgop(&count, 1, operator_text("+"));
        EXPECT_EQ(count, nproc());
    }
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    ARMCI_Group_set_default(&world);
    ARMCI_Group_free(&parity);
}

// Then the world is the default again.
// promise: group.default
TEST(Group, WorldIsTheDefaultAfterTheDefaultIsFreed) {
    ARMCI_Group parity = create(ranks_of_parity(me() % 2));
    ARMCI_Group_set_default(&parity);
    ARMCI_Group_free(&parity);
    ARMCI_Group current;
    ARMCI_Group_get_default(&current);
    expect_members(current, all_ranks());
}

// Memory of a group: tables by group rank, operations by world rank, empty slices.
// promise: malloc.group, memory.named-by-world-rank
TEST(Group, MemoryTablesAreByGroupRank) {
    std::vector<int> ranks = ranks_of_parity(me() % 2);
    std::reverse(ranks.begin(), ranks.end());
    ARMCI_Group group = create(ranks);
    const auto bytes_of = [](int rank) { return rank % 3 == 2 ? 0 : 1000 + 8 * rank; };
    std::vector<void*> slices(ranks.size(), &group);
    ASSERT_EQ(ARMCI_Malloc_group(slices.data(), bytes_of(me()), &group), 0);
    for (size_t i = 0; i < ranks.size(); ++i) {
        EXPECT_EQ(slices[i] == nullptr, bytes_of(ranks[i]) == 0) << "group rank " << i;
    }
    int my_rank = -1;
    ARMCI_Group_rank(&group, &my_rank);
    auto* mine = static_cast<char*>(slices[static_cast<size_t>(my_rank)]);
    if (mine != nullptr) {
        std::memset(mine, 0, static_cast<size_t>(bytes_of(me())));
    }
    armci_msg_group_barrier(&group);
    for (size_t i = 0; i < ranks.size(); ++i) {
        if (slices[i] != nullptr) {
            long one = 1;
            long value = 1 + me();
            ARMCI_Acc(ARMCI_ACC_LNG, &one, &value, slices[i], sizeof value, ranks[i]);
        }
    }
    ARMCI_AllFence();
    armci_msg_group_barrier(&group);
    if (mine != nullptr) {
        long expected = 0;
        for (const int rank : ranks) {
            expected += 1 + rank;
        }
        long found = 0;
        std::memcpy(&found, mine, sizeof found);
        EXPECT_EQ(found, expected);
        const std::vector<char> zero(static_cast<size_t>(bytes_of(me())) - sizeof found, 0);
        expect_same_bytes(zero.data(), mine + sizeof found, static_cast<int64_t>(zero.size()),
                          "group memory behind the sum");
    }
    armci_msg_group_barrier(&group);
    EXPECT_EQ(ARMCI_Free_group(mine, &group), 0);
    ARMCI_Group_free(&group);
}

// promise: malloc.group
TEST(Group, MemoryOfZeroBytesInAllRanks) {
    const std::vector<int> ranks = ranks_of_parity(me() % 2);
    ARMCI_Group group = create(ranks);
    std::vector<void*> slices(ranks.size() + 1, &group);
    EXPECT_EQ(ARMCI_Malloc_group(slices.data(), 0, &group), 0);
    for (size_t i = 0; i < ranks.size(); ++i) {
        EXPECT_EQ(slices[i], nullptr);
    }
    EXPECT_EQ(slices.back(), &group);
    EXPECT_EQ(ARMCI_Free_group(nullptr, &group), 0);
    ARMCI_Group_free(&group);
}

// Global Arrays frees the group first, then its memory, and continues to use the group.
// promise: group.memory-outlives, free.after-its-group
TEST(Group, MemoryOutlivesItsGroup) {
    const std::vector<int> ranks = ranks_of_parity(me() % 2);
    ARMCI_Group group = create(ranks);
    std::vector<void*> slices(ranks.size());
    ASSERT_EQ(ARMCI_Malloc_group(slices.data(), 512, &group), 0);
    int my_rank = -1;
    ARMCI_Group_rank(&group, &my_rank);
    void* mine = slices[static_cast<size_t>(my_rank)];
    ARMCI_Group_free(&group);
    // The memory still exists.
    const size_t next = (static_cast<size_t>(my_rank) + 1) % ranks.size();
    ARMCI_PutValueLong(88, slices[next], ranks[next]);
    EXPECT_EQ(ARMCI_GetValueLong(slices[next], ranks[next]), 88);
    EXPECT_EQ(ARMCI_Free_group(mine, &group), 0);
    // The next calls of Global Arrays have no effect.
    EXPECT_EQ(ARMCI_Absolute_id(&group, 0), -1);
    ARMCI_Fence(ARMCI_Absolute_id(&group, 0));
    armci_msg_group_barrier(&group);
    ARMCI_Group_free(&group);
    sync();
}

// Members without memory can only name it by the group.
// promise: free.after-its-group
TEST(Group, MemoryOfSomeMembersOutlivesTheGroup) {
    ARMCI_Group group = create(all_ranks());
    std::vector<void*> slices(static_cast<size_t>(nproc()));
    ASSERT_EQ(ARMCI_Malloc_group(slices.data(), me() == 0 ? 0 : 64, &group), 0);
    ARMCI_Group_free(&group);
    EXPECT_EQ(ARMCI_Free_group(slices[static_cast<size_t>(me())], &group), 0);
    EXPECT_EQ(ARMCI_Absolute_id(&group, 0), -1);
    EXPECT_EQ(ARMCI_Free_group(nullptr, &group), 0);  // no memory is left that could be meant
    sync();
}

// Messages of programs on a group's communicator never match messages that the library sends for
// it.
// promise: group.communicator
TEST(Group, CommunicatorCarriesNoLibraryMessages) {
    ARMCI_Group group = create(all_ranks());
    std::vector<void*> slices(static_cast<size_t>(nproc()));
    int word = -1;
    MPI_Request any = MPI_REQUEST_NULL;
    MPI_Irecv(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, group.comm, &any);
    long mine = me() + 1;
    long sum = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    const auto add_up = [&] {
        MPI_Iallreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, group.comm, &request);
    };
    if (me() == 0) {
        add_up();
    }
    ASSERT_EQ(ARMCI_Malloc_group(slices.data(), 64, &group), 0);
    armci_msg_group_barrier(&group);
    if (me() != 0) {
        add_up();
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(sum, nproc() * (nproc() + 1L) / 2);
    MPI_Send(&group.rank, 1, MPI_INT, right(), 0, group.comm);
    MPI_Wait(&any, MPI_STATUS_IGNORE);
    EXPECT_EQ(word, left());
    EXPECT_EQ(ARMCI_Free_group(slices[static_cast<size_t>(me())], &group), 0);
    ARMCI_Group_free(&group);
    sync();
}

// A fence of a rank that is in none, one or several of the caller's groups.
TEST(Group, FencesRanksOfAnyNumberOfGroups) {
    std::vector<ARMCI_Group> groups;
    std::vector<void*> mine;
    for (int partner = 1; partner < nproc(); ++partner) {
        if (me() == 0 || me() == partner) {
            groups.push_back(create({0, partner}));
            void* slices[2] = {nullptr, nullptr};
            ASSERT_EQ(ARMCI_Malloc_group(slices, 64, &groups.back()), 0);
            mine.push_back(slices[me() == 0 ? 0 : 1]);
            ARMCI_PutValueInt(me(), slices[me() == 0 ? 1 : 0], me() == 0 ? partner : 0);
        }
    }
    for (int target = 0; target < nproc(); ++target) {
        ARMCI_Fence(target);
    }
    sync();
    for (size_t i = 0; i < mine.size(); ++i) {
        EXPECT_EQ(*static_cast<int*>(mine[i]), me() == 0 ? static_cast<int>(i) + 1 : 0);
    }
    sync();
    for (size_t i = 0; i < mine.size(); ++i) {
        ARMCI_Free_group(mine[i], &groups[i]);
        ARMCI_Group_free(&groups[i]);
    }
}

// Groups and their memory in great numbers, as a long run creates them.
TEST(Group, ManyInSuccession) {
    Rng rng = common_rng();
    for (int64_t round = 0; round < scaled(40); ++round) {
        std::vector<int> ranks = all_ranks();
        rng.shuffle(ranks);
        ranks.resize(static_cast<size_t>(rng.between(1, nproc())));
        ARMCI_Group group = create(ranks);
        if (contains(ranks, me())) {
            std::vector<void*> slices(ranks.size());
            ASSERT_EQ(ARMCI_Malloc_group(slices.data(), 4000, &group), 0);
            ARMCI_PutValueLong(round, slices.back(), ranks.back());
            EXPECT_EQ(ARMCI_GetValueLong(slices.back(), ranks.back()), round);
            int my_rank = -1;
            ARMCI_Group_rank(&group, &my_rank);
            ARMCI_Free_group(slices[static_cast<size_t>(my_rank)], &group);
        }
        ARMCI_Group_free(&group);
    }
    sync();
}

// Copies of the structure are equivalent to the original.
// promise: group.copies
TEST(Group, CopiesOfTheStructureAreEquivalent) {
    const std::vector<int> ranks = ranks_of_parity(me() % 2);
    ARMCI_Group copy;
    {
        ARMCI_Group original = create(ranks);
        copy = original;
        std::memset(&original, 0, sizeof original);
    }
    expect_members(copy, ranks);
    expect_sum(copy, ranks);
    ARMCI_Group_free(&copy);
}

}  // namespace
}  // namespace armci::mp
