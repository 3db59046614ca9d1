/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups that share a rank: rank 0 is in a pair with every other rank, and the arrays of all pairs
 * exist at the same time. Fences and syncs of one pair must work beside the memory of the others.
 * (ARMCI-MPI 0.3.1 aborts here: its fence of a rank fails if any group with memory lacks that
 * rank.)
 */
#include <ga.h>
#include <macdecls.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/image.h"
#include "tests.h"

typedef struct {
    int group;
    int g_a;
    image_t image;
} pair_t;

static bool is_member(int other) {
    return my_rank() == 0 || my_rank() == other;
}

static pair_t create_pair(int other) {
    int members[2] = {0, other};
    pair_t pair = {.group = GA_Pgroup_create(members, other == 0 ? 1 : 2)};
    if (is_member(other)) {
        const int dims[2] = {6 + other, 15};
        pair.image = create_image(C_DBL, 2, dims);
        pair.g_a = NGA_Create_config(C_DBL, 2, (int*)dims, "of a pair", NULL, pair.group);
        check(pair.g_a != 0, "no array for the pair of 0 and %d", other);
        GA_Zero(pair.g_a);
    }
    return pair;
}

/* Both members put and add over the whole array. */
static void use_pair(pair_t* pair, int round) {
    const int turn = round % GA_Pgroup_nnodes(pair->group);
    box_t all = whole_box(2, pair->image.dims);
    patch_t patch = create_patch(C_DBL, &all, 0);
    fill_patch(&patch, (uint64_t)round);
    image_put(&pair->image, &patch);
    if (GA_Pgroup_nodeid(pair->group) == turn) {
        NGA_Put(pair->g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld);
    }
    GA_Pgroup_sync(pair->group);
    double factor = 3.0;
    NGA_Acc(pair->g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld, &factor);
    image_acc(&pair->image, &patch, factor * GA_Pgroup_nnodes(pair->group));
    GA_Pgroup_sync(pair->group);
    check_array(&pair->image, pair->g_a, "the array of the pair");
    GA_Pgroup_sync(pair->group);
    destroy_patch(&patch);
}

void test_overlapping_groups(void) {
    begin_section("arrays of overlapping groups, all alive at once");
    const int first = rank_count() == 1 ? 0 : 1;
    pair_t* pairs = allocate((size_t)rank_count() * sizeof *pairs);
    for (int other = first; other < rank_count(); other++) {
        pairs[other] = create_pair(other);
    }
    const int dims[1] = {100};
    image_t image = create_image(C_INT, 1, dims);
    const int g_world = NGA_Create(C_INT, 1, (int*)dims, "of the world", NULL);
    GA_Zero(g_world);
    for (int round = 0; round < 10; round++) {
        for (int other = first; other < rank_count(); other++) {
            if (is_member(other)) {
                use_pair(&pairs[other], round);
            }
        }
        int place[1] = {round * 7};
        int one = 1;
        int value = my_rank() + 1;
        NGA_Acc(g_world, place, place, &value, NULL, &one);
        *image_at(&image, place) += rank_count() * (rank_count() + 1) / 2;
        GA_Sync();
        check_array(&image, g_world, "the array of the world");
        GA_Sync();
    }
    for (int other = first; other < rank_count(); other++) { /* in the order of creation */
        if (is_member(other)) {
            GA_Destroy(pairs[other].g_a);
            destroy_image(&pairs[other].image);
        }
        GA_Sync();
        GA_Pgroup_destroy(pairs[other].group);
    }
    GA_Destroy(g_world);
    destroy_image(&image);
    free(pairs);
}
