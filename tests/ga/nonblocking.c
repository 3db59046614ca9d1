/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Non-blocking put, get and accumulate: more operations in flight than Global Arrays has handles,
 * waits in any order, tests instead of waits, reuse of handles and buffers.
 */
#include <ga.h>
#include <macdecls.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/image.h"
#include "tests.h"

enum { kOperations = 300 }; /* Global Arrays keeps 256 in flight */
static const int kDims[2] = {61, 53};

typedef struct {
    patch_t patches[kOperations];
    ga_nbhdl_t handles[kOperations];
} flight_t;

/* Column bands of one row each, so that no two operations of the job touch the same element. */
static box_t own_cell_row(int i) {
    const int number = i * rank_count() + my_rank();
    const int bands = 2; /* per row */
    const int row = number / bands % kDims[0];
    const int band = number % bands;
    const int width = kDims[1] / bands;
    return (box_t){.ndim = 2, .lo = {row, band * width}, .hi = {row, band * width + width - 1}};
}

static int operations_without_overlap(void) {
    return kDims[0] * 2 / rank_count();
}

static void verify_put(void) {
    begin_section("non-blocking put, then get of the same elements by the same rank");
    image_t image = create_image(C_DBL, 2, kDims);
    const int g_a = NGA_Create(C_DBL, 2, image.dims, "nb put", NULL);
    GA_Zero(g_a);
    flight_t* flight = allocate(sizeof *flight);
    const int count = operations_without_overlap();
    for (int i = 0; i < count; i++) {
        const box_t box = own_cell_row(i);
        flight->patches[i] = create_patch(C_DBL, &box, 0);
        patch_t* patch = &flight->patches[i];
        fill_patch(patch, (uint64_t)(i * rank_count() + my_rank()));
        NGA_NbPut(g_a, patch->box.lo, patch->box.hi, patch->data, patch->ld, &flight->handles[i]);
    }
    for (int i = count - 1; i >= 0; i--) {
        patch_t* patch = &flight->patches[i];
        image_put(&image, patch);
        NGA_NbWait(&flight->handles[i]);
        erase_patch(patch); /* the buffer is ours again */
        NGA_Get(g_a, patch->box.lo, patch->box.hi, patch->data, patch->ld);
        check_patch(&image, patch, "after the wait");
        destroy_patch(patch);
    }
    GA_Sync();
    /* What the other ranks put. */
    for (int i = 0; i < count * rank_count(); i++) {
        const int row = i / 2 % kDims[0];
        const int width = kDims[1] / 2;
        const box_t box = {
            .ndim = 2, .lo = {row, i % 2 * width}, .hi = {row, i % 2 * width + width - 1}};
        patch_t patch = create_patch(C_DBL, &box, 0);
        fill_patch(&patch, (uint64_t)i);
        image_put(&image, &patch);
        destroy_patch(&patch);
    }
    check_array(&image, g_a, "after the sync");
    free(flight);
    GA_Destroy(g_a);
    destroy_image(&image);
}

static void verify_get(void) {
    begin_section("%d non-blocking gets in flight", kOperations);
    image_t image = create_image(C_DCPL, 2, kDims);
    fill_image(&image, 5);
    const int g_a = NGA_Create(C_DCPL, 2, image.dims, "nb get", NULL);
    store_image(&image, g_a);
    flight_t* flight = allocate(sizeof *flight);
    rng_t rng = seeded((uint64_t)my_rank());
    for (int i = 0; i < kOperations; i++) {
        const box_t box = random_box(&rng, 2, kDims);
        flight->patches[i] = create_patch(C_DCPL, &box, i % 3);
        patch_t* patch = &flight->patches[i];
        NGA_NbGet(g_a, patch->box.lo, patch->box.hi, patch->data, patch->ld, &flight->handles[i]);
    }
    for (int k = 0; k < kOperations; k++) {
        const int i = k * 7 % kOperations; /* 7 and 300 have no common factor */
        NGA_NbWait(&flight->handles[i]);
        check_patch(&image, &flight->patches[i], "after the wait");
        destroy_patch(&flight->patches[i]);
    }
    free(flight);
    GA_Sync();
    GA_Destroy(g_a);
    destroy_image(&image);
}

static void verify_accumulate(void) {
    begin_section("non-blocking accumulates of all ranks to the same elements");
    image_t image = create_image(C_LONG, 2, kDims);
    const int g_a = NGA_Create(C_LONG, 2, image.dims, "nb acc", NULL);
    GA_Zero(g_a);
    const int count = 60;
    flight_t* flight = allocate(sizeof *flight);
    for (int rank = 0; rank < rank_count(); rank++) {
        for (int i = 0; i < count; i++) {
            const uint64_t seed = (uint64_t)(rank * 1000 + i);
            rng_t rng = seeded(seed);
            const box_t box = random_box(&rng, 2, kDims);
            patch_t patch = create_patch(C_LONG, &box, 0);
            fill_patch(&patch, seed);
            const double complex factor = test_factor(C_LONG, seed);
            image_acc(&image, &patch, factor);
            if (rank == my_rank()) {
                scalar_t alpha = scalar(C_LONG, factor);
                NGA_NbAcc(g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld, &alpha,
                          &flight->handles[i]);
                flight->patches[i] = patch;
                alpha = scalar(C_LONG, 99); /* the factor may not be read later */
            } else {
                destroy_patch(&patch);
            }
        }
    }
    for (int i = 0; i < count; i++) {
        NGA_NbWait(&flight->handles[i]);
        destroy_patch(&flight->patches[i]);
    }
    GA_Sync();
    check_array(&image, g_a, "after the sync");
    free(flight);
    GA_Destroy(g_a);
    destroy_image(&image);
}

static void verify_test(void) {
    begin_section("NbTest until complete, with one handle for a sequence of operations");
    image_t image = create_image(C_INT, 2, kDims);
    fill_image(&image, 6);
    const int g_a = NGA_Create(C_INT, 2, image.dims, "nb test", NULL);
    store_image(&image, g_a);
    rng_t rng = seeded((uint64_t)my_rank() + 77);
    ga_nbhdl_t handle;
    for (int i = 0; i < 50; i++) {
        const box_t box = random_box(&rng, 2, kDims);
        patch_t patch = create_patch(C_INT, &box, 1);
        NGA_NbGet(g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld, &handle);
        while (NGA_NbTest(&handle) == 0) {
        }
        check_patch(&image, &patch, "after the test");
        destroy_patch(&patch);
    }
    GA_Sync();
    GA_Destroy(g_a);
    destroy_image(&image);
}

void test_nonblocking(void) {
    verify_put();
    verify_get();
    verify_accumulate();
    verify_test();
}
