/* SPDX-License-Identifier: BSD-3-Clause */
/* The local part of block_matmul: the product of two tiles in this process's own memory. */
#ifndef TILE_PRODUCT_H
#define TILE_PRODUCT_H

#include <stddef.h>

/**
 * Bytes of scratch memory that tile_product needs for tiles a with at most depth columns, and its
 * alignment.
 */
#define TILE_PRODUCT_SCRATCH_BYTES(depth) ((size_t)(depth)*8 * sizeof(double))
#define TILE_PRODUCT_ALIGNMENT 64

/**
 * c = a * b for dense row-major tiles: a has rows x depth elements, b depth x cols, c rows x cols.
 * c is overwritten and may not overlap the others. All memory belongs to the caller.
 */
void tile_product(int rows, int cols, int depth, const double* a, const double* b, double* c,
                  double* scratch);

#endif
