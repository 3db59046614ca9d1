/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays with ghost cells: cells around the block of a rank for copies of its neighbours' cells,
 * which an update fills. Along every dimension the array closes into a ring.
 */
#pragma once

#include "support/image.h"

typedef struct {
    int ndim;
    int dims[kMaxDims];
    int width[kMaxDims]; /* of the ghost region, on both sides */
    int type;
} ghosts_t;

/* Overwrites the ghost cells of this rank. Collective, synchronises. */
void poison_ghosts(int g_a, const ghosts_t* ghosts);

/*
 * Checks all cells of this rank's block, ghosts included, after a sync. Ghost cells that are
 * outside in more than `dims_updated` dimensions must have kept their poison.
 */
void check_ghosts(int g_a, const ghosts_t* ghosts, const image_t* image, int dims_updated,
                  const char* what);

/* One way of updating the ghost cells; false if it cannot do this array. Called as in Fortran. */
typedef logical update_t(Integer* g_a);

/* Updates with different contents, in the running section. Collective. */
void verify_update(int g_a, const ghosts_t* ghosts, update_t* update, int update_count);
