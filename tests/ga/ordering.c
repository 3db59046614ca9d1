/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When data is where: fences that only concern the caller, plain messages of MPI between ranks,
 * syncs that the program masks, and a rank that reads what it has just written.
 */
#include <ga.h>
#include <macdecls.h>

#include "support/check.h"
#include "support/image.h"
#include "tests.h"

enum { kBlock = 64 }; /* elements that each rank owns */

static int create_blocks(void) {
    int dims[1] = {kBlock * rank_count()};
    return NGA_Create(C_LONG, 1, dims, "blocks", (int[]){kBlock});
}

static int next_rank(void) {
    return (my_rank() + 1) % rank_count();
}
static int previous_rank(void) {
    return (my_rank() + rank_count() - 1) % rank_count();
}

/* Passes a token to the next rank by MPI alone. */
static void pass_token(void) {
    MPI_Sendrecv(NULL, 0, MPI_BYTE, next_rank(), 0, NULL, 0, MPI_BYTE, previous_rank(), 0,
                 checks_comm(), MPI_STATUS_IGNORE);
}

/* In the other direction: no rank overwrites data that is still being checked. */
static void return_token(void) {
    MPI_Sendrecv(NULL, 0, MPI_BYTE, previous_rank(), 1, NULL, 0, MPI_BYTE, next_rank(), 1,
                 checks_comm(), MPI_STATUS_IGNORE);
}

static void block_of(int rank, int* lo, int* hi) {
    *lo = rank * kBlock;
    *hi = *lo + kBlock - 1;
}

/* Puts and adds to the next rank's block, fences, and sends it an MPI message; the next rank
 * checks with plain loads. */
static void verify_fence(void) {
    begin_section("put and accumulate, fence, message: the owner sees the data");
    const int g_a = create_blocks();
    for (int round = 0; round < 50; round++) {
        int lo;
        int hi;
        long values[kBlock];
        long one = 1;
        block_of(next_rank(), &lo, &hi);
        for (int i = 0; i < kBlock; i++) {
            values[i] = my_rank() * 1000000L + round * 1000L + i;
        }
        GA_Init_fence();
        NGA_Put(g_a, &lo, &hi, values, NULL);
        for (int i = 0; i < kBlock; i++) {
            values[i] = 7;
        }
        NGA_Acc(g_a, &lo, &hi, values, NULL, &one);
        GA_Fence();
        pass_token();

        long* block;
        block_of(my_rank(), &lo, &hi);
        NGA_Access(g_a, &lo, &hi, &block, NULL);
        for (int i = 0; i < kBlock; i++) {
            const long expected = previous_rank() * 1000000L + round * 1000L + i + 7;
            check(block[i] == expected, "round %d: element %d is %ld, not %ld", round, i, block[i],
                  expected);
        }
        NGA_Release(g_a, &lo, &hi);
        return_token();
    }
    GA_Sync();
    GA_Destroy(g_a);
}

/* A column that is distributed over all owners, read by a rank that gets an MPI message about
 * it. */
static void verify_fence_of_all(void) {
    begin_section("put to all owners, fence, message: another rank gets the data");
    const int dims[2] = {16 * rank_count(), rank_count()};
    const int g_a = NGA_Create(C_LONG, 2, (int*)dims, "columns", (int[]){16, rank_count()});
    image_t image = create_image(C_LONG, 2, dims);
    for (int round = 0; round < 50; round++) {
        for (int rank = 0; rank < rank_count(); rank++) {
            const box_t column = {.ndim = 2, .lo = {0, rank}, .hi = {dims[0] - 1, rank}};
            patch_t patch = create_patch(C_LONG, &column, 0);
            fill_patch(&patch, (uint64_t)(round * 100 + rank));
            image_put(&image, &patch);
            if (rank == my_rank()) {
                GA_Init_fence();
                NGA_Put(g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld);
                GA_Fence();
            }
            destroy_patch(&patch);
        }
        pass_token();
        const box_t column = {
            .ndim = 2, .lo = {0, previous_rank()}, .hi = {dims[0] - 1, previous_rank()}};
        patch_t patch = create_patch(C_LONG, &column, 0);
        NGA_Get(g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld);
        check_patch(&image, &patch, "the column of the previous rank");
        destroy_patch(&patch);
        return_token();
    }
    GA_Sync();
    GA_Destroy(g_a);
    destroy_image(&image);
}

/* Reads of a rank follow its own puts and accumulates to the same elements, in any form. */
static void verify_program_order(void) {
    begin_section("puts, accumulates and gets of one rank take effect in order");
    const int dims[2] = {20 * rank_count(), 30};
    image_t image = create_image(C_DBL, 2, dims);
    const int g_a = NGA_Create(C_DBL, 2, (int*)dims, "ordered", NULL);
    GA_Zero(g_a);
    /* Rows r, r + n, ...: each rank has rows of its own on every owner. */
    rng_t rng = seeded((uint64_t)my_rank());
    for (int step = 0; step < 200; step++) {
        const int row = random_below(&rng, 20) * rank_count() + my_rank();
        box_t box = random_box(&rng, 1, &dims[1]);
        box = (box_t){.ndim = 2, .lo = {row, box.lo[0]}, .hi = {row, box.hi[0]}};
        patch_t patch = create_patch(C_DBL, &box, 0);
        fill_patch(&patch, (uint64_t)step);
        double factor = 2.0;
        switch (random_below(&rng, 3)) {
            case 0:
                NGA_Put(g_a, box.lo, box.hi, patch.data, patch.ld);
                image_put(&image, &patch);
                break;
            case 1:
                NGA_Acc(g_a, box.lo, box.hi, patch.data, patch.ld, &factor);
                image_acc(&image, &patch, factor);
                break;
            default: {
                int index[2] = {row, box.lo[1]};
                int* subscripts[1] = {index};
                NGA_Scatter_acc(g_a, patch.data, subscripts, 1, &factor);
                *image_at(&image, index) += factor * element_load(C_DBL, patch.data, 0);
                break;
            }
        }
        erase_patch(&patch);
        NGA_Get(g_a, box.lo, box.hi, patch.data, patch.ld);
        check_patch(&image, &patch, "read back at once");
        destroy_patch(&patch);
    }
    GA_Sync();
    GA_Destroy(g_a);
    destroy_image(&image);
}

/* Collective operations without the syncs around them, where every rank only uses its own part. */
static void verify_masked_sync(void) {
    begin_section("operations with masked syncs, then one sync");
    const int dims[2] = {21, 17};
    image_t image = create_image(C_DBL, 2, dims);
    fill_image(&image, 9);
    const int g_a = NGA_Create(C_DBL, 2, (int*)dims, "a", NULL);
    const int g_b = GA_Duplicate(g_a, "b");
    for (int round = 0; round < 20; round++) {
        double two = 2.0;
        double three = 3.0 + round;
        double one = 1.0;
        GA_Sync();
        GA_Mask_sync(0, 0);
        GA_Fill(g_a, &three);
        GA_Mask_sync(0, 0);
        GA_Scale(g_a, &two);
        GA_Mask_sync(0, 0);
        GA_Zero(g_b);
        GA_Mask_sync(0, 0);
        GA_Add(&one, g_a, &two, g_a, g_b);
        GA_Mask_sync(0, 1);
        GA_Add_constant(g_b, &one);
        const box_t all = whole_box(2, dims);
        int index[2];
        first_index(&all, index);
        do {
            *image_at(&image, index) = 3 * (2 * three) + 1;
        } while (next_index(&all, index));
        check_array(&image, g_b, "the sum");
    }
    GA_Sync();
    GA_Destroy(g_a);
    GA_Destroy(g_b);
    destroy_image(&image);
}

void test_ordering(void) {
    verify_fence();
    verify_fence_of_all();
    verify_program_order();
    verify_masked_sync();
}
