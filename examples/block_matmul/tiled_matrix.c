/* SPDX-License-Identifier: BSD-3-Clause */
#include "tiled_matrix.h"

#include <stdlib.h>
#include <string.h>

/* The place of a tile. */
typedef struct {
    int owner;
    int rows;
    int cols;
    int row_length; /* elements from one row of the owner's slice to the next */
    double* first;  /* address at the owner */
} tile_t;

tiling_t tiling_create(int order, int tile_order, int process_count) {
    int grid[2] = {0, 0};
    MPI_Dims_create(process_count, 2, grid);
    tiling_t tiling = {.order = order,
                       .tile_order = tile_order,
                       .tile_count = (order + tile_order - 1) / tile_order,
                       .grid_rows = grid[0],
                       .grid_cols = grid[1]};
    return tiling;
}

int tile_first(const tiling_t* tiling, int t) {
    return t * tiling->tile_order;
}

int tile_extent(const tiling_t* tiling, int t) {
    int rest = tiling->order - tile_first(tiling, t);
    return rest < tiling->tile_order ? rest : tiling->tile_order;
}

int tile_owner(const tiling_t* tiling, int i, int j) {
    return (i % tiling->grid_rows) * tiling->grid_cols + j % tiling->grid_cols;
}

/* Rows (or columns) of the slices in the given row (or column) of the grid, which has `places`
 * of them. */
static int slice_extent(const tiling_t* tiling, int place, int places) {
    int tiles = (tiling->tile_count - place + places - 1) / places;
    int extent = tiles * tiling->tile_order;
    int last = tiling->tile_count - 1;
    if (last % places == place) {
        extent -= tiling->tile_order - tile_extent(tiling, last);
    }
    return extent;
}

static tile_t find_tile(const tiled_matrix_t* matrix, int i, int j) {
    const tiling_t* tiling = &matrix->tiling;
    tile_t tile = {.owner = tile_owner(tiling, i, j),
                   .rows = tile_extent(tiling, i),
                   .cols = tile_extent(tiling, j),
                   .row_length = slice_extent(tiling, j % tiling->grid_cols, tiling->grid_cols)};
    /* Only the last tile of a direction is smaller, so those before it in the slice are whole. */
    size_t row = (size_t)(i / tiling->grid_rows) * (size_t)tiling->tile_order;
    size_t col = (size_t)(j / tiling->grid_cols) * (size_t)tiling->tile_order;
    tile.first = matrix->slices[tile.owner] + row * (size_t)tile.row_length + col;
    return tile;
}

void tiled_matrix_create(tiled_matrix_t* matrix, const tiling_t* tiling) {
    int process_count = tiling->grid_rows * tiling->grid_cols;
    MPI_Comm_rank(MPI_COMM_WORLD, &matrix->me);
    matrix->tiling = *tiling;
    matrix->slices = calloc((size_t)process_count, sizeof(*matrix->slices));

    size_t rows = (size_t)slice_extent(tiling, matrix->me / tiling->grid_cols, tiling->grid_rows);
    size_t cols = (size_t)slice_extent(tiling, matrix->me % tiling->grid_cols, tiling->grid_cols);
    size_t bytes = rows * cols * sizeof(double);
    if (matrix->slices == NULL || ARMCI_Malloc((void**)matrix->slices, (armci_size_t)bytes) != 0) {
        ARMCI_Error("not enough memory for a matrix; try a smaller N", 1);
    }
    /* A process may use its own slice directly. The barrier keeps other processes from it until
     * then. */
    if (bytes > 0) {
        memset(matrix->slices[matrix->me], 0, bytes);
    }
    ARMCI_Barrier();
}

void tiled_matrix_destroy(tiled_matrix_t* matrix) {
    ARMCI_Free(matrix->slices[matrix->me]);
    free(matrix->slices);
    matrix->slices = NULL;
}

/*
 * The shape of a strided transfer: count[0] bytes in one piece, count[1] such pieces. Each side has
 * its own distance in bytes from one piece to the next.
 */
typedef struct {
    int count[2];
    int tile_stride[1];
    int copy_stride[1];
} shape_t;

static shape_t shape_of(const tile_t* tile) {
    int element = (int)sizeof(double);
    shape_t shape = {.count = {tile->cols * element, tile->rows},
                     .tile_stride = {tile->row_length * element},
                     .copy_stride = {tile->cols * element}};
    return shape;
}

void tile_get_begin(tiled_matrix_t* matrix, int i, int j, double* copy, armci_hdl_t* handle) {
    tile_t tile = find_tile(matrix, i, j);
    shape_t shape = shape_of(&tile);
    ARMCI_INIT_HANDLE(handle);
    ARMCI_NbGetS(tile.first, shape.tile_stride, copy, shape.copy_stride, shape.count, 1, tile.owner,
                 handle);
}

void tile_put(tiled_matrix_t* matrix, int i, int j, double* copy) {
    tile_t tile = find_tile(matrix, i, j);
    shape_t shape = shape_of(&tile);
    ARMCI_PutS(copy, shape.copy_stride, tile.first, shape.tile_stride, shape.count, 1, tile.owner);
}

void tile_add(tiled_matrix_t* matrix, int i, int j, double* copy) {
    tile_t tile = find_tile(matrix, i, j);
    shape_t shape = shape_of(&tile);
    double scale = 1.0;
    ARMCI_AccS(ARMCI_ACC_DBL, &scale, copy, shape.copy_stride, tile.first, shape.tile_stride,
               shape.count, 1, tile.owner);
}

const double* tile_own(const tiled_matrix_t* matrix, int i, int j, int* row_length) {
    tile_t tile = find_tile(matrix, i, j);
    *row_length = tile.row_length;
    return tile.first;
}
