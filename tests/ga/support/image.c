/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

enum { kEraser = -7777777 };

/* ---- Boxes ---- */

box_t whole_box(int ndim, const int* dims) {
    box_t box = {.ndim = ndim};
    for (int d = 0; d < ndim; d++) {
        box.hi[d] = dims[d] - 1;
    }
    return box;
}

box_t random_box(rng_t* rng, int ndim, const int* dims) {
    box_t box = {.ndim = ndim};
    for (int d = 0; d < ndim; d++) {
        const int a = random_below(rng, dims[d]);
        const int b = random_below(rng, dims[d]);
        box.lo[d] = a < b ? a : b;
        box.hi[d] = a < b ? b : a;
    }
    return box;
}

bool box_is_empty(const box_t* box) {
    for (int d = 0; d < box->ndim; d++) {
        if (box->hi[d] < box->lo[d]) {
            return true;
        }
    }
    return false;
}

int64_t box_count(const box_t* box) {
    if (box_is_empty(box)) {
        return 0;
    }
    int64_t count = 1;
    for (int d = 0; d < box->ndim; d++) {
        count *= box->hi[d] - box->lo[d] + 1;
    }
    return count;
}

bool box_contains(const box_t* box, const int* index) {
    for (int d = 0; d < box->ndim; d++) {
        if (index[d] < box->lo[d] || index[d] > box->hi[d]) {
            return false;
        }
    }
    return true;
}

void first_index(const box_t* box, int* index) {
    memcpy(index, box->lo, (size_t)box->ndim * sizeof *index);
}

bool next_index(const box_t* box, int* index) {
    for (int d = box->ndim - 1; d >= 0; d--) {
        if (++index[d] <= box->hi[d]) {
            return true;
        }
        index[d] = box->lo[d];
    }
    return false;
}

static char* next_text_buffer(size_t* size) {
    static char buffers[4][160];
    static int next = 0;
    next = (next + 1) % 4;
    *size = sizeof buffers[next];
    return buffers[next];
}

const char* box_text(const box_t* box) {
    size_t size;
    char* text = next_text_buffer(&size);
    size_t used = 0;
    for (int d = 0; d < box->ndim; d++) {
        used += (size_t)snprintf(text + used, size - used, "%c%d:%d", d == 0 ? '[' : ',',
                                 box->lo[d], box->hi[d]);
    }
    snprintf(text + used, size - used, "]");
    return text;
}

const char* index_text(int ndim, const int* index) {
    size_t size;
    char* text = next_text_buffer(&size);
    size_t used = 0;
    for (int d = 0; d < ndim; d++) {
        used += (size_t)snprintf(text + used, size - used, "%c%d", d == 0 ? '(' : ',', index[d]);
    }
    snprintf(text + used, size - used, ")");
    return text;
}

/* ---- Patches ---- */

patch_t create_patch(int type, const box_t* box, int padding) {
    patch_t patch = {.type = type, .box = *box, .count = 1};
    for (int d = 0; d < box->ndim; d++) {
        int extent = box->hi[d] - box->lo[d] + 1;
        if (d > 0) {
            extent += padding;
            patch.ld[d - 1] = extent;
        }
        patch.count *= extent;
    }
    patch.data = allocate((size_t)patch.count * type_bytes(type));
    erase_patch(&patch);
    return patch;
}

void destroy_patch(patch_t* patch) {
    free(patch->data);
    patch->data = NULL;
}

int64_t patch_offset(const patch_t* patch, const int* index) {
    int64_t offset = index[0] - patch->box.lo[0];
    for (int d = 1; d < patch->box.ndim; d++) {
        offset = offset * patch->ld[d - 1] + (index[d] - patch->box.lo[d]);
    }
    return offset;
}

void fill_patch(patch_t* patch, uint64_t seed) {
    int index[kMaxDims];
    uint64_t number = seed * 1000003;
    first_index(&patch->box, index);
    do {
        element_store(patch->type, patch->data, (size_t)patch_offset(patch, index),
                      test_value(patch->type, number++));
    } while (next_index(&patch->box, index));
}

void erase_patch(patch_t* patch) {
    for (int64_t i = 0; i < patch->count; i++) {
        element_store(patch->type, patch->data, (size_t)i, CMPLX(kEraser, kEraser));
    }
}

static double complex patch_value(const patch_t* patch, const int* index) {
    return element_load(patch->type, patch->data, (size_t)patch_offset(patch, index));
}

/* ---- Images ---- */

image_t create_image(int type, int ndim, const int* dims) {
    image_t image = {.type = type, .ndim = ndim};
    memcpy(image.dims, dims, (size_t)ndim * sizeof *dims);
    const size_t bytes = (size_t)image_count(&image) * sizeof *image.values;
    image.values = allocate(bytes);
    memset(image.values, 0, bytes);
    return image;
}

void destroy_image(image_t* image) {
    free(image->values);
    image->values = NULL;
}

int64_t image_count(const image_t* image) {
    const box_t box = whole_box(image->ndim, image->dims);
    return box_count(&box);
}

double complex* image_at(const image_t* image, const int* index) {
    int64_t offset = 0;
    for (int d = 0; d < image->ndim; d++) {
        offset = offset * image->dims[d] + index[d];
    }
    return image->values + offset;
}

void fill_image(image_t* image, uint64_t seed) {
    const int64_t count = image_count(image);
    for (int64_t i = 0; i < count; i++) {
        image->values[i] = test_value(image->type, seed * 1000033 + (uint64_t)i);
    }
}

void image_put(image_t* image, const patch_t* patch) {
    int index[kMaxDims];
    first_index(&patch->box, index);
    do {
        *image_at(image, index) = patch_value(patch, index);
    } while (next_index(&patch->box, index));
}

void image_acc(image_t* image, const patch_t* patch, double complex factor) {
    int index[kMaxDims];
    first_index(&patch->box, index);
    do {
        *image_at(image, index) += factor * patch_value(patch, index);
    } while (next_index(&patch->box, index));
}

void check_patch(const image_t* image, const patch_t* patch, const char* what) {
    int64_t wrong = 0;
    int first_wrong[kMaxDims] = {0};
    double complex expected = 0;
    double complex found = 0;
    int index[kMaxDims];
    first_index(&patch->box, index);
    do {
        const double complex value = patch_value(patch, index);
        if (value != *image_at(image, index) && wrong++ == 0) {
            memcpy(first_wrong, index, sizeof index);
            expected = *image_at(image, index);
            found = value;
        }
    } while (next_index(&patch->box, index));
    const int64_t total = box_count(&patch->box);
    check_many(total, wrong,
               "%s, patch %s: %lld elements wrong, the first at %s is %g%+gi instead of %g%+gi",
               what, box_text(&patch->box), (long long)wrong, index_text(image->ndim, first_wrong),
               creal(found), cimag(found), creal(expected), cimag(expected));

    /* What is left of the eraser's marks must be exactly the padding. */
    int64_t erased = 0;
    const scalar_t mark = scalar(patch->type, CMPLX(kEraser, kEraser));
    const size_t bytes = type_bytes(patch->type);
    for (int64_t i = 0; i < patch->count; i++) {
        erased += memcmp((const char*)patch->data + (size_t)i * bytes, &mark, bytes) == 0;
    }
    check(erased == patch->count - total,
          "%s, patch %s: %lld elements of the buffer written, not %lld", what,
          box_text(&patch->box), (long long)(patch->count - erased), (long long)total);
}

void check_array(const image_t* image, int g_a, const char* what) {
    box_t box = whole_box(image->ndim, image->dims);
    patch_t patch = create_patch(image->type, &box, 0);
    NGA_Get(g_a, box.lo, box.hi, patch.data, patch.ld);
    check_patch(image, &patch, what);
    destroy_patch(&patch);
}

void store_image(const image_t* image, int g_a) {
    box_t box = {.ndim = image->ndim};
    NGA_Distribution(g_a, GA_Nodeid(), box.lo, box.hi);
    if (!box_is_empty(&box)) {
        patch_t patch = create_patch(image->type, &box, 0);
        int index[kMaxDims];
        first_index(&box, index);
        do {
            element_store(image->type, patch.data, (size_t)patch_offset(&patch, index),
                          *image_at(image, index));
        } while (next_index(&box, index));
        NGA_Put(g_a, box.lo, box.hi, patch.data, patch.ld);
        destroy_patch(&patch);
    }
    GA_Sync();
}
