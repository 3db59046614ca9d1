/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies between arrays: whole, duplicated, transposed, of patches that change their place, their
 * layout, and their shape.
 */
#include <ga.h>
#include <macdecls.h>
#include <string.h>

#include "support/check.h"
#include "support/image.h"
#include "tests.h"

static int create_irregular(int type, const int* dims) {
    int map[64];
    int blocks[2] = {rank_count(), 1};
    for (int rank = 0; rank < rank_count(); rank++) {
        map[rank] = rank * 3;
    }
    map[rank_count()] = 0;
    return NGA_Create_irreg(type, 2, (int*)dims, "irregular", blocks, map);
}

static void verify_copy(int type) {
    begin_section("copy, duplicate, transpose: %s", type_name(type));
    const int dims[2] = {31, 26};
    const int turned[2] = {26, 31};
    image_t a = create_image(type, 2, dims);
    fill_image(&a, 1);
    const int g_a = NGA_Create(type, 2, (int*)dims, "a", NULL);
    store_image(&a, g_a);

    const int same = NGA_Create(type, 2, (int*)dims, "same layout", NULL);
    GA_Copy(g_a, same);
    check_array(&a, same, "copy to the same layout");
    const int other = create_irregular(type, dims);
    GA_Copy(g_a, other);
    check_array(&a, other, "copy to another layout");

    const int duplicate = GA_Duplicate(other, "duplicate");
    check(duplicate != 0, "GA_Duplicate failed");
    GA_Copy(other, duplicate);
    check_array(&a, duplicate, "copy to a duplicate");

    image_t b = create_image(type, 2, turned);
    int index[2];
    const box_t all = whole_box(2, dims);
    first_index(&all, index);
    do {
        *image_at(&b, (int[]){index[1], index[0]}) = *image_at(&a, index);
    } while (next_index(&all, index));
    const int g_b = NGA_Create(type, 2, (int*)turned, "b", NULL);
    GA_Zero(g_b);
    GA_Transpose(g_a, g_b);
    check_array(&b, g_b, "transpose");
    GA_Sync();
    GA_Zero(duplicate);
    GA_Transpose(g_b, duplicate);
    check_array(&a, duplicate, "transposed twice");
    check_array(&a, g_a, "the original");
    GA_Sync();

    GA_Destroy(g_a);
    GA_Destroy(same);
    GA_Destroy(other);
    GA_Destroy(duplicate);
    GA_Destroy(g_b);
    destroy_image(&a);
    destroy_image(&b);
}

/* Copies between patches of one shape; `turn` exchanges their dimensions. */
static void verify_copy_patch(int type, bool turn, bool irregular) {
    begin_section("copy of a patch%s%s: %s", turn ? ", transposed" : "",
                  irregular ? ", to an irregular array" : "", type_name(type));
    const int adims[2] = {33, 29};
    const int bdims[2] = {36, 40};
    image_t a = create_image(type, 2, adims);
    image_t b = create_image(type, 2, bdims);
    fill_image(&a, 2);
    fill_image(&b, 3);
    const int g_a = NGA_Create(type, 2, (int*)adims, "a", NULL);
    const int g_b =
        irregular ? create_irregular(type, bdims) : NGA_Create(type, 2, (int*)bdims, "b", NULL);
    store_image(&a, g_a);
    store_image(&b, g_b);
    rng_t rng = seeded(5);
    for (int round = 0; round < 5; round++) {
        box_t from = random_box(&rng, 2, adims);
        box_t to = {.ndim = 2};
        for (int d = 0; d < 2; d++) {
            const int extent = from.hi[turn ? 1 - d : d] - from.lo[turn ? 1 - d : d];
            to.lo[d] = random_below(&rng, bdims[d] - extent);
            to.hi[d] = to.lo[d] + extent;
        }
        NGA_Copy_patch(turn ? 't' : 'n', g_a, from.lo, from.hi, g_b, to.lo, to.hi);
        int index[2];
        first_index(&to, index);
        do {
            const int i = index[0] - to.lo[0];
            const int j = index[1] - to.lo[1];
            const int source[2] = {from.lo[0] + (turn ? j : i), from.lo[1] + (turn ? i : j)};
            *image_at(&b, index) = *image_at(&a, source);
        } while (next_index(&to, index));
        check_array(&b, g_b, "after the copy");
        GA_Sync();
    }
    GA_Destroy(g_a);
    GA_Destroy(g_b);
    destroy_image(&a);
    destroy_image(&b);
}

/* A patch of three dimensions into one of two: elements keep their order. */
static void verify_reshape(void) {
    begin_section("copy of a 3-D patch into a 2-D patch");
    const int adims[3] = {8, 9, 10};
    const int bdims[2] = {40, 50};
    image_t a = create_image(C_DBL, 3, adims);
    image_t b = create_image(C_DBL, 2, bdims);
    fill_image(&a, 6);
    const int g_a = NGA_Create(C_DBL, 3, (int*)adims, "a", NULL);
    const int g_b = NGA_Create(C_DBL, 2, (int*)bdims, "b", NULL);
    store_image(&a, g_a);
    store_image(&b, g_b);
    box_t from = {.ndim = 3, .lo = {1, 2, 3}, .hi = {6, 7, 8}};
    box_t to = {.ndim = 2, .lo = {5, 6}, .hi = {16, 23}};
    NGA_Copy_patch('n', g_a, from.lo, from.hi, g_b, to.lo, to.hi);
    int source[3];
    int target[2];
    first_index(&from, source);
    first_index(&to, target);
    do {
        *image_at(&b, target) = *image_at(&a, source);
        next_index(&from, source);
    } while (next_index(&to, target));
    check_array(&b, g_b, "after the copy");
    GA_Sync();
    GA_Destroy(g_a);
    GA_Destroy(g_b);
    destroy_image(&a);
    destroy_image(&b);
}

static void verify_symmetrize(void) {
    begin_section("symmetrise: half the sum of a matrix and its transpose");
    const int dims[2] = {38, 38};
    image_t a = create_image(C_DBL, 2, dims);
    fill_image(&a, 7);
    const int g_a = NGA_Create(C_DBL, 2, (int*)dims, "a", NULL);
    store_image(&a, g_a);
    GA_Symmetrize(g_a);
    for (int i = 0; i < dims[0]; i++) {
        for (int j = 0; j <= i; j++) {
            double complex* lower = image_at(&a, (int[]){i, j});
            double complex* upper = image_at(&a, (int[]){j, i});
            const double complex mean = (*lower + *upper) / 2;
            *lower = mean;
            *upper = mean;
        }
    }
    check_array(&a, g_a, "after");
    GA_Sync();
    GA_Destroy(g_a);
    destroy_image(&a);
}

void test_copies(void) {
    for (int t = 0; t < kTypeCount; t++) {
        verify_copy(kTypes[t]);
    }
    for (int form = 0; form < 4; form++) {
        verify_copy_patch(form % 2 == 0 ? C_DBL : C_INT, (form & 1) != 0, (form & 2) != 0);
    }
    verify_reshape();
    verify_symmetrize();
}
