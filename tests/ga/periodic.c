/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Periodic put, get and accumulate: patches that cross the edges of an array and continue on the
 * other side.
 */
#include <ga.h>
#include <macdecls.h>

#include "support/check.h"
#include "support/image.h"
#include "tests.h"

/* Begins anywhere up to one array length before the first element; at most as long as the array. */
static box_t periodic_box(rng_t* rng, const image_t* image) {
    box_t box = {.ndim = image->ndim};
    for (int d = 0; d < image->ndim; d++) {
        box.lo[d] = random_below(rng, 2 * image->dims[d]) - image->dims[d];
        box.hi[d] = box.lo[d] + random_below(rng, image->dims[d]);
    }
    return box;
}

static double complex* wrapped_at(const image_t* image, const int* index) {
    int wrapped[kMaxDims];
    for (int d = 0; d < image->ndim; d++) {
        wrapped[d] = (index[d] % image->dims[d] + image->dims[d]) % image->dims[d];
    }
    return image_at(image, wrapped);
}

/* Adds factor * patch to the image, or replaces its elements if the factor is 0. */
static void apply(image_t* image, const patch_t* patch, double complex factor) {
    int index[kMaxDims];
    first_index(&patch->box, index);
    do {
        const double complex value =
            element_load(patch->type, patch->data, (size_t)patch_offset(patch, index));
        double complex* target = wrapped_at(image, index);
        *target = factor == 0 ? value : *target + factor * value;
    } while (next_index(&patch->box, index));
}

static void check_periodic_get(const image_t* image, int g_a, uint64_t seed) {
    rng_t rng = seeded(seed);
    const box_t box = periodic_box(&rng, image);
    patch_t patch = create_patch(image->type, &box, 1);
    NGA_Periodic_get(g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld);
    int64_t wrong = 0;
    int index[kMaxDims];
    first_index(&box, index);
    do {
        wrong += element_load(patch.type, patch.data, (size_t)patch_offset(&patch, index)) !=
                 *wrapped_at(image, index);
    } while (next_index(&box, index));
    check_many(box_count(&box), wrong, "%lld elements of %s wrong", (long long)wrong,
               box_text(&box));
    destroy_patch(&patch);
}

static void verify(int type, int ndim, const int* dims) {
    begin_section("periodic put, get and accumulate: %d-D %s", ndim, type_name(type));
    image_t image = create_image(type, ndim, dims);
    fill_image(&image, 1);
    const int g_a = NGA_Create(type, ndim, (int*)dims, "periodic", NULL);
    store_image(&image, g_a);
    for (int round = 0; round < 4; round++) {
        for (int rank = 0; rank < rank_count(); rank++) {
            const uint64_t seed = (uint64_t)(round * 100 + rank);
            rng_t rng = seeded(seed);
            const box_t box = periodic_box(&rng, &image);
            patch_t patch = create_patch(type, &box, 1);
            fill_patch(&patch, seed);
            apply(&image, &patch, 0);
            if (rank == my_rank()) {
                NGA_Periodic_put(g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld);
            }
            destroy_patch(&patch);
            GA_Sync();
        }
        for (int rank = 0; rank < rank_count(); rank++) {
            const uint64_t seed = (uint64_t)(1000 + round * 100 + rank);
            rng_t rng = seeded(seed);
            const box_t box = periodic_box(&rng, &image);
            patch_t patch = create_patch(type, &box, 1);
            fill_patch(&patch, seed);
            const double complex factor = test_factor(type, seed);
            apply(&image, &patch, factor);
            if (rank == my_rank()) {
                scalar_t alpha = scalar(type, factor);
                NGA_Periodic_acc(g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld, &alpha);
            }
            destroy_patch(&patch);
        }
        GA_Sync();
        for (int i = 0; i < 3; i++) {
            check_periodic_get(&image, g_a, (uint64_t)(5000 + i * 10 + my_rank()));
        }
        check_array(&image, g_a, "after a round");
        GA_Sync();
    }
    GA_Destroy(g_a);
    destroy_image(&image);
}

void test_periodic(void) {
    verify(C_LONG, 1, (const int[]){53});
    for (int t = 0; t < kTypeCount; t++) {
        verify(kTypes[t], 2, (const int[]){14, 19});
    }
    verify(C_DBL, 3, (const int[]){7, 9, 8});
}
