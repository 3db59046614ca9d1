/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put, get and accumulate of patches: one to seven dimensions, all element types, local buffers
 * with padding between the rows, patches that belong to one owner or to all, blocks of a few bytes
 * and of megabytes.
 */
#include <ga.h>
#include <macdecls.h>
#include <stdio.h>

#include "support/check.h"
#include "support/image.h"
#include "tests.h"

typedef struct {
    int ndim;
    int dims[kMaxDims];
} shape_t;

static const shape_t kShapes[] = {
    {1, {211}},
    {2, {23, 19}},
    {3, {9, 11, 8}},
    {4, {6, 5, 7, 4}},
};

/* Every rank in turn puts one patch; it reads the patch back before anything else happens. */
static void put_in_turns(int g_a, image_t* image, int round) {
    for (int owner = 0; owner < rank_count(); owner++) {
        rng_t rng = seeded((uint64_t)(round * 100 + owner));
        const box_t box = random_box(&rng, image->ndim, image->dims);
        patch_t patch = create_patch(image->type, &box, random_below(&rng, 3));
        fill_patch(&patch, (uint64_t)(round * 100 + owner));
        image_put(image, &patch);
        if (my_rank() == owner) {
            NGA_Put(g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld);
            erase_patch(&patch);
            NGA_Get(g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld);
            check_patch(image, &patch, "own put, no sync");
        }
        destroy_patch(&patch);
        GA_Sync();
    }
}

/* All ranks at once add patches that overlap. */
static void accumulate_together(int g_a, image_t* image, int round) {
    GA_Sync();
    for (int rank = 0; rank < rank_count(); rank++) {
        const uint64_t seed = (uint64_t)(5000 + round * 100 + rank);
        rng_t rng = seeded(seed);
        const box_t box = random_box(&rng, image->ndim, image->dims);
        patch_t patch = create_patch(image->type, &box, random_below(&rng, 3));
        fill_patch(&patch, seed);
        const double complex factor = test_factor(image->type, seed);
        image_acc(image, &patch, factor);
        if (rank == my_rank()) {
            scalar_t alpha = scalar(image->type, factor);
            NGA_Acc(g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld, &alpha);
        }
        destroy_patch(&patch);
    }
    GA_Sync();
}

/* Each rank checks patches of its own. */
static void get_patches(int g_a, const image_t* image, int round) {
    rng_t rng = seeded((uint64_t)(9000 + round * 100 + my_rank()));
    for (int i = 0; i < 4; i++) {
        const box_t box = random_box(&rng, image->ndim, image->dims);
        patch_t patch = create_patch(image->type, &box, random_below(&rng, 3));
        NGA_Get(g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld);
        check_patch(image, &patch, "get");
        destroy_patch(&patch);
    }
}

static void verify_shape(int type, const shape_t* shape, int round_count) {
    begin_section("put, get and accumulate: %d-D %s", shape->ndim, type_name(type));
    image_t image = create_image(type, shape->ndim, shape->dims);
    const int g_a = NGA_Create(type, shape->ndim, image.dims, "patches", NULL);
    GA_Zero(g_a);
    for (int round = 0; round < round_count; round++) {
        put_in_turns(g_a, &image, round);
        accumulate_together(g_a, &image, round);
        get_patches(g_a, &image, round);
        check_array(&image, g_a, "after a round");
        GA_Sync();
    }
    GA_Destroy(g_a);
    destroy_image(&image);
}

/* Megabytes at once: more than any buffer of the library, and rows of many lengths. */
static void verify_large_patches(void) {
    begin_section("put, get and accumulate of megabytes");
    const int dims[2] = {700, 610};
    image_t image = create_image(C_DBL, 2, dims);
    const int g_a = NGA_Create(C_DBL, 2, image.dims, "large", NULL);
    GA_Zero(g_a);

    const box_t inner = {.ndim = 2, .lo = {13, 7}, .hi = {690, 600}};
    patch_t patch = create_patch(C_DBL, &inner, 5);
    fill_patch(&patch, 1);
    image_put(&image, &patch);
    if (my_rank() == rank_count() - 1) {
        NGA_Put(g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld);
    }
    GA_Sync();
    double factor = 2.0;
    NGA_Acc(g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld, &factor);
    image_acc(&image, &patch, factor * rank_count());
    GA_Sync();
    check_array(&image, g_a, "large patches");
    destroy_patch(&patch);
    GA_Destroy(g_a);
    destroy_image(&image);
}

void test_patches(void) {
    for (int t = 0; t < kTypeCount; t++) {
        for (size_t s = 0; s < sizeof kShapes / sizeof *kShapes; s++) {
            verify_shape(kTypes[t], &kShapes[s], 2);
        }
    }
    verify_shape(C_DBL, &(shape_t){7, {3, 2, 4, 2, 3, 2, 3}}, 2);
    verify_large_patches();
}
