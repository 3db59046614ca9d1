/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/ghost_array.h"

#include "support/check.h"

/* ---- My block and its ghost cells ---- */

typedef struct {
    char* data;
    int dims[kMaxDims]; /* ghost cells included */
    box_t box;          /* what I own */
} block_t;

static block_t my_block(int g_a, const ghosts_t* ghosts) {
    block_t block = {.box = {.ndim = ghosts->ndim}};
    int ld[kMaxDims];
    NGA_Distribution(g_a, my_rank(), block.box.lo, block.box.hi);
    NGA_Access_ghosts(g_a, block.dims, &block.data, ld);
    return block;
}

/* Subscripts of a cell of the block, from -width on, to its place in memory. */
static size_t cell_offset(const block_t* block, const ghosts_t* ghosts, const int* cell) {
    size_t offset = 0;
    for (int d = 0; d < ghosts->ndim; d++) {
        offset = offset * (size_t)block->dims[d] + (size_t)(cell[d] + ghosts->width[d]);
    }
    return offset;
}

/* All cells of the block, ghosts included, relative to its first own cell. */
static box_t cells_of(const block_t* block, const ghosts_t* ghosts) {
    box_t cells = {.ndim = ghosts->ndim};
    for (int d = 0; d < ghosts->ndim; d++) {
        cells.lo[d] = -ghosts->width[d];
        cells.hi[d] = block->dims[d] - 1 - ghosts->width[d];
    }
    return cells;
}

/* In how many dimensions the cell is outside my block: 0 own, 1 face, more: edge or corner. */
static int dims_outside(const block_t* block, const int* cell) {
    int count = 0;
    for (int d = 0; d < block->box.ndim; d++) {
        count += cell[d] < 0 || cell[d] > block->box.hi[d] - block->box.lo[d];
    }
    return count;
}

/* The cell of the array that a cell of my block represents: the array closes into a ring in
 * every dimension. */
static void wrap(const block_t* block, const ghosts_t* ghosts, const int* cell, int* index) {
    for (int d = 0; d < ghosts->ndim; d++) {
        index[d] = (block->box.lo[d] + cell[d] + ghosts->dims[d]) % ghosts->dims[d];
    }
}

static const double complex kPoison = -9999;

void poison_ghosts(int g_a, const ghosts_t* ghosts) {
    const block_t block = my_block(g_a, ghosts);
    const box_t cells = cells_of(&block, ghosts);
    int cell[kMaxDims];
    first_index(&cells, cell);
    do {
        if (dims_outside(&block, cell) > 0) {
            element_store(ghosts->type, block.data, cell_offset(&block, ghosts, cell), kPoison);
        }
    } while (next_index(&cells, cell));
    NGA_Release_update_ghosts(g_a);
    GA_Sync();
}

/* Cells further outside than `dims_updated` dimensions must have kept their poison. */
void check_ghosts(int g_a, const ghosts_t* ghosts, const image_t* image, int dims_updated,
                  const char* what) {
    GA_Sync();
    const block_t block = my_block(g_a, ghosts);
    const box_t cells = cells_of(&block, ghosts);
    int64_t wrong = 0;
    int first_wrong[kMaxDims] = {0};
    int cell[kMaxDims];
    first_index(&cells, cell);
    do {
        int index[kMaxDims];
        wrap(&block, ghosts, cell, index);
        const double complex expected =
            dims_outside(&block, cell) <= dims_updated ? *image_at(image, index) : kPoison;
        const double complex found =
            element_load(ghosts->type, block.data, cell_offset(&block, ghosts, cell));
        if (found != expected && wrong++ == 0) {
            for (int d = 0; d < ghosts->ndim; d++) {
                first_wrong[d] = cell[d];
            }
        }
    } while (next_index(&cells, cell));
    check_many(box_count(&cells), wrong, "%s: %lld cells of %lld of my block wrong, the first %s",
               what, (long long)wrong, (long long)box_count(&cells),
               index_text(ghosts->ndim, first_wrong));
    NGA_Release_ghosts(g_a);
    GA_Sync();
}

void verify_update(int g_a, const ghosts_t* ghosts, update_t* update, int update_count) {
    image_t image = create_image(ghosts->type, ghosts->ndim, ghosts->dims);
    for (int round = 0; round < update_count; round++) {
        fill_image(&image, (uint64_t)(10 + round));
        store_image(&image, g_a);
        poison_ghosts(g_a, ghosts);
        Integer handle = g_a;
        check(update(&handle) != 0, "the algorithm refused this array");
        check_ghosts(g_a, ghosts, &image, ghosts->ndim, "after the update");
    }
    check_array(&image, g_a, "the cells themselves");
    GA_Sync();
    destroy_image(&image);
}
