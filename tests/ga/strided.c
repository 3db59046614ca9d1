/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NGA_Strided_put, _get and _acc: every skip[d]-th element of a patch, which reach the library as
 * transfers of single elements with as many stride levels as the array has dimensions.
 */
#include <ga.h>
#include <macdecls.h>
#include <string.h>

#include "support/check.h"
#include "support/image.h"
#include "tests.h"

/* The selected elements of a box, gathered in a dense local buffer. */
typedef struct {
    box_t box; /* of the array */
    int skip[kMaxDims];
    patch_t dense; /* subscript i stands for box.lo + i * skip */
} comb_t;

/*
 * Somewhere in the array. From three dimensions on it stays within the part of one owner, because
 * Global Arrays 5.8 looks at the wrong place of the local buffer when such a patch has several
 * owners.
 */
static box_t comb_box(int g_a, rng_t* rng, int ndim, const int* dims) {
    if (ndim < 3) {
        return random_box(rng, ndim, dims);
    }
    box_t part = {.ndim = ndim};
    do {
        NGA_Distribution(g_a, random_below(rng, rank_count()), part.lo, part.hi);
    } while (box_is_empty(&part));
    int extents[kMaxDims];
    for (int d = 0; d < ndim; d++) {
        extents[d] = part.hi[d] - part.lo[d] + 1;
    }
    box_t box = random_box(rng, ndim, extents);
    for (int d = 0; d < ndim; d++) {
        box.lo[d] += part.lo[d];
        box.hi[d] += part.lo[d];
    }
    return box;
}

static comb_t create_comb(int g_a, rng_t* rng, const image_t* image) {
    const int ndim = image->ndim;
    comb_t comb = {.box = comb_box(g_a, rng, ndim, image->dims)};
    box_t dense = {.ndim = ndim};
    for (int d = 0; d < ndim; d++) {
        comb.skip[d] = 1 + random_below(rng, 3);
        dense.hi[d] = (comb.box.hi[d] - comb.box.lo[d]) / comb.skip[d];
    }
    comb.dense = create_patch(image->type, &dense, random_below(rng, 2));
    return comb;
}

static void to_array_index(const comb_t* comb, const int* dense, int* index) {
    for (int d = 0; d < comb->box.ndim; d++) {
        index[d] = comb->box.lo[d] + dense[d] * comb->skip[d];
    }
}

/* Adds factor * comb to the image, or replaces its elements if the factor is 0. */
static void apply(image_t* image, const comb_t* comb, double complex factor) {
    int dense[kMaxDims];
    int index[kMaxDims];
    first_index(&comb->dense.box, dense);
    do {
        to_array_index(comb, dense, index);
        const double complex value =
            element_load(image->type, comb->dense.data, (size_t)patch_offset(&comb->dense, dense));
        double complex* target = image_at(image, index);
        *target = factor == 0 ? value : *target + factor * value;
    } while (next_index(&comb->dense.box, dense));
}

/* The image's elements under the comb, as an image that the dense buffer can be compared with. */
static image_t image_under(const image_t* image, const comb_t* comb) {
    int extents[kMaxDims];
    for (int d = 0; d < image->ndim; d++) {
        extents[d] = comb->dense.box.hi[d] + 1;
    }
    image_t under = create_image(image->type, image->ndim, extents);
    int dense[kMaxDims];
    int index[kMaxDims];
    first_index(&comb->dense.box, dense);
    do {
        to_array_index(comb, dense, index);
        *image_at(&under, dense) = *image_at(image, index);
    } while (next_index(&comb->dense.box, dense));
    return under;
}

static void verify(int type, int ndim, const int* dims) {
    begin_section("strided put, get and accumulate: %d-D %s", ndim, type_name(type));
    image_t image = create_image(type, ndim, dims);
    fill_image(&image, 3);
    const int g_a = NGA_Create(type, ndim, image.dims, "strided", NULL);
    store_image(&image, g_a);

    for (int round = 0; round < 3; round++) {
        for (int rank = 0; rank < rank_count(); rank++) {
            const uint64_t seed = (uint64_t)(round * 100 + rank);
            rng_t rng = seeded(seed);
            comb_t comb = create_comb(g_a, &rng, &image);
            fill_patch(&comb.dense, seed);
            apply(&image, &comb, 0);
            if (rank == my_rank()) {
                NGA_Strided_put(g_a, comb.box.lo, comb.box.hi, comb.skip, comb.dense.data,
                                comb.dense.ld);
            }
            destroy_patch(&comb.dense);
            GA_Sync();
        }
        for (int rank = 0; rank < rank_count(); rank++) {
            const uint64_t seed = (uint64_t)(1000 + round * 100 + rank);
            rng_t rng = seeded(seed);
            comb_t comb = create_comb(g_a, &rng, &image);
            fill_patch(&comb.dense, seed);
            const double complex factor = test_factor(type, seed);
            apply(&image, &comb, factor);
            if (rank == my_rank()) {
                scalar_t alpha = scalar(type, factor);
                NGA_Strided_acc(g_a, comb.box.lo, comb.box.hi, comb.skip, comb.dense.data,
                                comb.dense.ld, &alpha);
            }
            destroy_patch(&comb.dense);
        }
        GA_Sync();
        rng_t rng = seeded((uint64_t)(2000 + round * 100 + my_rank()));
        comb_t comb = create_comb(g_a, &rng, &image);
        NGA_Strided_get(g_a, comb.box.lo, comb.box.hi, comb.skip, comb.dense.data, comb.dense.ld);
        image_t under = image_under(&image, &comb);
        check_patch(&under, &comb.dense, "strided get");
        destroy_image(&under);
        destroy_patch(&comb.dense);
        check_array(&image, g_a, "after a round");
        GA_Sync();
    }
    GA_Destroy(g_a);
    destroy_image(&image);
}

void test_strided(void) {
    verify(C_DBL, 1, (const int[]){97});
    for (int t = 0; t < kTypeCount; t++) {
        verify(kTypes[t], 2, (const int[]){21, 26});
    }
    verify(C_INT, 3, (const int[]){9, 8, 11});
    verify(C_DCPL, 4, (const int[]){5, 6, 4, 7});
    verify(C_DBL, 7, (const int[]){3, 4, 2, 3, 2, 3, 4});
}
