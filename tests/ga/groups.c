/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups of ranks: arrays, syncs, broadcasts and reductions of a group while other groups do
 * something else, the default group, groups within groups, and the MPI communicator of a group.
 */
#include <ga-mpi.h>
#include <ga.h>
#include <macdecls.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/image.h"
#include "tests.h"

/* The group of the ranks of my parity. */
static int parity_members(int* members) {
    int count = 0;
    for (int rank = my_rank() % 2; rank < rank_count(); rank += 2) {
        members[count++] = rank;
    }
    return count;
}

static int create_parity_group(void) {
    int members[64];
    const int count = parity_members(members);
    return GA_Pgroup_create(members, count);
}

static void verify_membership(void) {
    begin_section("ranks and sizes of groups, and their communicators");
    int members[64];
    const int count = parity_members(members);
    const int group = GA_Pgroup_create(members, count);
    check(GA_Pgroup_nnodes(group) == count, "the group has %d ranks, not %d",
          GA_Pgroup_nnodes(group), count);
    check(GA_Pgroup_nodeid(group) == my_rank() / 2, "my rank in the group is %d",
          GA_Pgroup_nodeid(group));
    for (int i = 0; i < count; i++) {
        check(GA_Pgroup_absolute_id(group, i) == members[i],
              "rank %d of the group is %d in the world", i, GA_Pgroup_absolute_id(group, i));
    }
    MPI_Comm comm = GA_MPI_Comm_pgroup(group);
    int comm_rank = -1;
    int comm_size = -1;
    MPI_Comm_rank(comm, &comm_rank);
    MPI_Comm_size(comm, &comm_size);
    check(comm_rank == my_rank() / 2, "my rank in the communicator is %d", comm_rank);
    check(comm_size == count, "the communicator has %d ranks", comm_size);
    int sum = my_rank();
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, comm);
    int expected = 0;
    for (int i = 0; i < count; i++) {
        expected += members[i];
    }
    check(sum == expected, "a sum over the communicator is %d, not %d", sum, expected);

    MPI_Comm world = GA_MPI_Comm();
    int order = MPI_UNEQUAL;
    MPI_Comm_compare(world, MPI_COMM_WORLD, &order);
    check(order == MPI_CONGRUENT || order == MPI_IDENT, "the world has another order");
    check(GA_Pgroup_nnodes(GA_Pgroup_get_world()) == rank_count(), "the world has %d ranks",
          GA_Pgroup_nnodes(GA_Pgroup_get_world()));
    const int self = GA_Pgroup_self();
    check(GA_Pgroup_nnodes(self) == 1 && GA_Pgroup_nodeid(self) == 0, "I am not alone");
    GA_Sync();
    check(GA_Pgroup_destroy(group) != 0, "the group was not destroyed");
}

/* Groups of different parity reduce and broadcast different things, different numbers of times. */
static void verify_collectives(void) {
    begin_section("sync, broadcast and reductions of groups");
    int members[64];
    const int count = parity_members(members);
    const int group = GA_Pgroup_create(members, count);
    const int rounds = 20 + 15 * (my_rank() % 2);
    for (int round = 0; round < rounds; round++) {
        double sums[50];
        int highest[3];
        long total = my_rank() + 1000L * round;
        for (int i = 0; i < 50; i++) {
            sums[i] = my_rank() * 100 + i;
        }
        for (int i = 0; i < 3; i++) {
            highest[i] = my_rank() * (i + 1) - round;
        }
        char plus[] = "+";
        char max[] = "max";
        GA_Pgroup_dgop(group, sums, 50, plus);
        GA_Pgroup_igop(group, highest, 3, max);
        GA_Pgroup_lgop(group, &total, 1, plus);
        long members_sum = 0;
        for (int i = 0; i < count; i++) {
            members_sum += members[i];
        }
        int64_t wrong = 0;
        for (int i = 0; i < 50; i++) {
            wrong += sums[i] != (double)(members_sum * 100 + count * i);
        }
        for (int i = 0; i < 3; i++) {
            wrong += highest[i] != members[count - 1] * (i + 1) - round;
        }
        wrong += total != members_sum + 1000L * round * count;
        check_many(54, wrong, "round %d: %lld results wrong", round, (long long)wrong);

        int values[1000];
        const int root = round % count;
        for (int i = 0; i < 1000; i++) {
            values[i] = GA_Pgroup_nodeid(group) == root ? i * 3 + members[0] + round : -1;
        }
        GA_Pgroup_brdcst(group, values, sizeof values, root);
        wrong = 0;
        for (int i = 0; i < 1000; i++) {
            wrong += values[i] != i * 3 + members[0] + round;
        }
        check_many(1000, wrong, "round %d: %lld broadcast values wrong", round, (long long)wrong);
        GA_Pgroup_sync(group);
    }
    GA_Sync();
    GA_Pgroup_destroy(group);
}

/* All operations of the group's ranks on an array of the group. */
static void use_group_array(int g_a, int group, int type, const int* dims, uint64_t seed) {
    image_t image = create_image(type, 2, dims);
    fill_image(&image, seed);
    box_t part = {.ndim = 2};
    NGA_Distribution(g_a, GA_Pgroup_nodeid(group), part.lo, part.hi);
    if (!box_is_empty(&part)) {
        patch_t patch = create_patch(type, &part, 0);
        int index[2];
        first_index(&part, index);
        do {
            element_store(type, patch.data, (size_t)patch_offset(&patch, index),
                          *image_at(&image, index));
        } while (next_index(&part, index));
        NGA_Put(g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld);
        destroy_patch(&patch);
    }
    GA_Pgroup_sync(group);
    check_array(&image, g_a, "stored by the group");
    GA_Pgroup_sync(group);

    const double complex factor = test_factor(type, seed);
    scalar_t alpha = scalar(type, factor);
    box_t all = whole_box(2, dims);
    patch_t patch = create_patch(type, &all, 0);
    fill_patch(&patch, seed + 1);
    image_acc(&image, &patch, factor * GA_Pgroup_nnodes(group));
    NGA_Acc(g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld, &alpha);
    GA_Pgroup_sync(group);
    check_array(&image, g_a, "accumulated by the group");
    GA_Pgroup_sync(group);
    destroy_patch(&patch);

    GA_Scale(g_a, &alpha);
    for (int64_t i = 0; i < image_count(&image); i++) {
        image.values[i] *= factor;
    }
    check_array(&image, g_a, "scaled by the group");
    GA_Pgroup_sync(group);
    destroy_image(&image);
}

static void verify_group_arrays(void) {
    begin_section("arrays of groups, different for each group");
    const int group = create_parity_group();
    const int odd = my_rank() % 2;
    for (int round = 0; round < 3 + odd; round++) {
        const int type = kTypes[(round + 3 * odd) % kTypeCount];
        int dims[2] = {11 + 5 * odd + round, 14 - 4 * odd};
        const int g_a = GA_Create_handle();
        GA_Set_data(g_a, 2, dims, type);
        GA_Set_pgroup(g_a, group);
        if (!GA_Allocate(g_a)) {
            give_up("GA_Allocate failed for a group");
        }
        check(GA_Get_pgroup(g_a) == group, "the array is of group %d", GA_Get_pgroup(g_a));
        use_group_array(g_a, group, type, dims, (uint64_t)(round + 10 * odd));
        GA_Destroy(g_a);
    }
    GA_Sync();
    GA_Pgroup_destroy(group);
}

/* Programs that do not know groups are run within one; then the halves of the halves. */
static void verify_default_group(void) {
    begin_section("a default group, and groups within it");
    const int group = create_parity_group();
    GA_Pgroup_set_default(group);
    check(GA_Nodeid() == my_rank() / 2, "my rank is %d", GA_Nodeid());
    check(GA_Nnodes() == GA_Pgroup_nnodes(group), "there are %d ranks", GA_Nnodes());
    int dims[2] = {9, 13 + my_rank() % 2};
    const int g_a = NGA_Create(C_DBL, 2, dims, "of the default group", NULL);
    use_group_array(g_a, group, C_DBL, dims, 3);
    int sum = GA_Nodeid() + 1;
    char plus[] = "+";
    GA_Igop(&sum, 1, plus);
    check(sum == GA_Nnodes() * (GA_Nnodes() + 1) / 2, "a reduction is %d", sum);

    /* Lists are given as ranks of the default group. */
    int first_half[64];
    int second_half[64];
    const int half = (GA_Nnodes() + 1) / 2;
    for (int i = 0; i < half; i++) {
        first_half[i] = i;
    }
    for (int i = half; i < GA_Nnodes(); i++) {
        second_half[i - half] = i;
    }
    const bool in_first = GA_Nodeid() < half;
    const int inner = in_first ? GA_Pgroup_create(first_half, half)
                               : GA_Pgroup_create(second_half, GA_Nnodes() - half);
    GA_Pgroup_set_default(inner);
    check(GA_Nnodes() == (in_first ? half : GA_Pgroup_nnodes(group) - half), "%d ranks in a half",
          GA_Nnodes());
    const int g_inner = NGA_Create(C_INT, 2, dims, "of the inner group", NULL);
    use_group_array(g_inner, inner, C_INT, dims, 4);
    GA_Destroy(g_inner);
    GA_Pgroup_set_default(group);
    GA_Destroy(g_a);
    GA_Pgroup_set_default(GA_Pgroup_get_world());
    check(GA_Nodeid() == my_rank() && GA_Nnodes() == rank_count(), "back in the world as rank %d",
          GA_Nodeid());
    GA_Sync();
    GA_Pgroup_destroy(inner);
    GA_Pgroup_destroy(group);
}

/* One rank of each group moves its group's result into an array of the world. */
static void verify_world_from_group(void) {
    begin_section("an array of the world, used from within groups");
    const int dims[2] = {2, 20};
    image_t image = create_image(C_LONG, 2, dims);
    const int g_world = NGA_Create(C_LONG, 2, (int*)dims, "of the world", NULL);
    GA_Zero(g_world);
    const int group = create_parity_group();
    GA_Pgroup_set_default(group);
    long row[20];
    for (int i = 0; i < 20; i++) {
        row[i] = (my_rank() + 1) * (i + 1);
    }
    char plus[] = "+";
    GA_Lgop(row, 20, plus);
    if (GA_Nodeid() == GA_Nnodes() - 1) {
        int lo[2] = {my_rank() % 2, 0};
        int hi[2] = {my_rank() % 2, 19};
        int ld[1] = {20};
        NGA_Put(g_world, lo, hi, row, ld);
    }
    GA_Pgroup_set_default(GA_Pgroup_get_world());
    GA_Sync();
    for (int rank = 0; rank < rank_count(); rank++) {
        for (int i = 0; i < 20; i++) {
            *image_at(&image, (int[]){rank % 2, i}) += (rank + 1) * (i + 1);
        }
    }
    check_array(&image, g_world, "both rows");
    GA_Sync();
    GA_Destroy(g_world);
    GA_Pgroup_destroy(group);
    destroy_image(&image);
}

static void verify_split(void) {
    begin_section("the world split in two, and a duplicate of a group");
    const int world = GA_Pgroup_get_world();
    const int split = GA_Pgroup_split_irreg(world, my_rank() % 2);
    check(GA_Pgroup_nnodes(split) == (rank_count() + 1 - my_rank() % 2) / 2, "%d ranks in a half",
          GA_Pgroup_nnodes(split));
    int sum = my_rank();
    char plus[] = "+";
    GA_Pgroup_igop(split, &sum, 1, plus);
    int expected = 0;
    for (int rank = my_rank() % 2; rank < rank_count(); rank += 2) {
        expected += rank;
    }
    check(sum == expected, "a sum over a half is %d, not %d", sum, expected);
    int all_ranks[64];
    for (int rank = 0; rank < rank_count(); rank++) {
        all_ranks[rank] = rank;
    }
    const int whole = GA_Pgroup_create(all_ranks, rank_count());
    const int groups[2] = {split, GA_Pgroup_duplicate(whole)};
    for (int i = 0; i < 2; i++) {
        int dims[2] = {17, 8};
        const int g_a = NGA_Create_config(C_DBL, 2, dims, "of a group", NULL, groups[i]);
        use_group_array(g_a, groups[i], C_DBL, dims, 9);
        GA_Destroy(g_a);
        GA_Sync();
    }
    GA_Pgroup_destroy(groups[1]);
    GA_Pgroup_destroy(whole);
    GA_Pgroup_destroy(split);
}

void test_groups(void) {
    verify_membership();
    verify_collectives();
    verify_group_arrays();
    verify_default_group();
    verify_world_from_group();
    verify_split();
}
