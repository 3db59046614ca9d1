/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a global array should hold: a plain local copy that follows every operation.
 *
 * Every rank keeps the whole image. Operations of all ranks follow from seeds that every rank
 * knows, so that each rank can apply them to its image and later compare any part of the global
 * array.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "support/element.h"

enum { kMaxDims = 7 };

/* ---- Boxes of subscripts, both ends included ---- */

typedef struct {
    int ndim;
    int lo[kMaxDims];
    int hi[kMaxDims];
} box_t;

box_t whole_box(int ndim, const int* dims);
box_t random_box(rng_t* rng, int ndim, const int* dims);
bool box_is_empty(const box_t* box);
int64_t box_count(const box_t* box); /* 0 if empty */
bool box_contains(const box_t* box, const int* index);

/* Walks through a box in row-major order: first_index(), then next_index() until it is false. */
void first_index(const box_t* box, int* index);
bool next_index(const box_t* box, int* index);

/* "[1:3,0:7]", in one of a few static buffers */
const char* box_text(const box_t* box);
const char* index_text(int ndim, const int* index);

/* ---- A local buffer for a patch of a global array ---- */

typedef struct {
    int type;
    box_t box;        /* the subscripts it stands for */
    int ld[kMaxDims]; /* as the library wants them: extents of dimensions 1 ... ndim-1 */
    int64_t count;    /* elements of the buffer, those between the rows included */
    void* data;
} patch_t;

/* `padding` unused elements at the end of every row of the buffer, in every dimension but the
 * first. */
patch_t create_patch(int type, const box_t* box, int padding);
void destroy_patch(patch_t* patch);
int64_t patch_offset(const patch_t* patch, const int* index);
void fill_patch(patch_t* patch, uint64_t seed); /* test values in the elements of the box */
void erase_patch(patch_t* patch);               /* a value that no test uses, everywhere */

/* ---- The image ---- */

typedef struct {
    int type;
    int ndim;
    int dims[kMaxDims];
    double complex* values; /* row-major */
} image_t;

image_t create_image(int type, int ndim, const int* dims); /* all zero */
void destroy_image(image_t* image);
int64_t image_count(const image_t* image);
double complex* image_at(const image_t* image, const int* index);
void fill_image(image_t* image, uint64_t seed);

void image_put(image_t* image, const patch_t* patch);
void image_acc(image_t* image, const patch_t* patch, double complex factor);

/* Checks every element of a patch that was erased and got from the array, and that its padding is
 * intact. */
void check_patch(const image_t* image, const patch_t* patch, const char* what);

/* Gets the whole array and checks every element. */
void check_array(const image_t* image, int g_a, const char* what);

/* Makes the array and the image equal: every rank writes what it owns. Collective, synchronises. */
void store_image(const image_t* image, int g_a);
