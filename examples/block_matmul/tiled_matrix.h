/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A square matrix of doubles in global memory, cut into tiles that are dealt out to a grid of
 * processes like cards: tile (i, j) belongs to process (i mod grid_rows, j mod grid_cols). Each
 * process keeps its tiles side by side in one row-major slice, so that a tile is a strided piece of
 * it, as a patch of a Global Arrays matrix is. Tiles at the lower and right edges may be smaller.
 *
 * Any process may get, put or add to any tile at any time; the owner takes no part in it.
 */
#ifndef TILED_MATRIX_H
#define TILED_MATRIX_H

#include <armci/armci.h>

/** How a matrix is cut and dealt; the matrices of one product share it. */
typedef struct {
    int order;      /* rows, and columns, of the matrix */
    int tile_order; /* rows, and columns, of a tile */
    int tile_count; /* tiles in one direction */
    int grid_rows;
    int grid_cols;
} tiling_t;

typedef struct {
    tiling_t tiling;
    double** slices; /* by rank; NULL for a process that owns no tile */
    int me;
} tiled_matrix_t;

/** Needs 1 <= tile_order <= order. The grid is as square as process_count allows. */
tiling_t tiling_create(int order, int tile_order, int process_count);

/** First row (or column) of tiles with index t, and how many rows (or columns) they have. */
int tile_first(const tiling_t* tiling, int t);
int tile_extent(const tiling_t* tiling, int t);

/** Rank of the process that owns tile (i, j). */
int tile_owner(const tiling_t* tiling, int i, int j);

/** Collective. All elements are 0. Ends the job when there is not enough memory. */
void tiled_matrix_create(tiled_matrix_t* matrix, const tiling_t* tiling);
void tiled_matrix_destroy(tiled_matrix_t* matrix);

/**
 * Transfers between tile (i, j) and a dense row-major copy in the caller's memory. get_begin is
 * done when ARMCI_Wait(handle) returns. add and put return when the copy may be reused; ARMCI_Fence
 * or ARMCI_Barrier makes them complete at the owner. Adds to one tile by several processes are
 * atomic for each element.
 */
void tile_get_begin(tiled_matrix_t* matrix, int i, int j, double* copy, armci_hdl_t* handle);
void tile_put(tiled_matrix_t* matrix, int i, int j, double* copy);
void tile_add(tiled_matrix_t* matrix, int i, int j, double* copy);

/**
 * For the owner of tile (i, j): where the tile is in its own memory, and in *row_length the
 * distance in elements from one row to the next.
 */
const double* tile_own(const tiled_matrix_t* matrix, int i, int j, int* row_length);

#endif
