/*
 * Arrays with ghost cells: after an update every ghost cell holds the value of the cell that it
 * stands for, around the edges of the array too. Every algorithm that Global Arrays has is run;
 * some are only reachable by their Fortran names. They use strided puts and gets, puts with flags
 * that the owner waits for with plain loads, implicit handles, and messages.
 */
#include <ga.h>
#include <macdecls.h>
#include <stddef.h>

#include "support/check.h"
#include "support/image.h"

/* From Global Arrays' Fortran interface (global.fh). */
void ga_update1_ghosts_(Integer* g_a);
logical ga_update2_ghosts_(Integer* g_a);
logical ga_update3_ghosts_(Integer* g_a);
logical ga_update4_ghosts_(Integer* g_a);
logical ga_update44_ghosts_(Integer* g_a);
logical ga_update5_ghosts_(Integer* g_a);
logical ga_update55_ghosts_(Integer* g_a);
logical ga_update6_ghosts_(Integer* g_a);
logical ga_update7_ghosts_(Integer* g_a);
logical ga_set_update4_info_(Integer* g_a);
logical ga_set_update5_info_(Integer* g_a);
void nga_nbget_ghost_dir_(Integer* g_a, Integer* mask, Integer* handle);

typedef struct {
    int ndim;
    int dims[kMaxDims];
    int width[kMaxDims];
    int type;
} ghosts_t;

static const ghosts_t kArrays[] = {
    {1, {41}, {3}, C_DBL},
    {1, {34}, {2}, C_SCPL},
    {2, {26, 31}, {2, 1}, C_INT},
    {2, {24, 20}, {1, 3}, C_DCPL},
    {2, {22, 27}, {2, 2}, C_FLOAT},
    {3, {13, 12, 14}, {1, 2, 1}, C_DBL},
    {3, {16, 12, 14}, {2, 2, 2}, C_LONG},
};

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

/* In how many dimensions the cell lies outside of what I own: 0 own, 1 face, more: edge or corner.
 */
static int dims_outside(const block_t* block, const int* cell) {
    int count = 0;
    for (int d = 0; d < block->box.ndim; d++) {
        count += cell[d] < 0 || cell[d] > block->box.hi[d] - block->box.lo[d];
    }
    return count;
}

/* Which cell of the array a cell of my block stands for: the array closes into a ring in every
 * dimension. */
static void wrap(const block_t* block, const ghosts_t* ghosts, const int* cell, int* index) {
    for (int d = 0; d < ghosts->ndim; d++) {
        index[d] = (block->box.lo[d] + cell[d] + ghosts->dims[d]) % ghosts->dims[d];
    }
}

static const double complex kPoison = -9999;

static void poison_ghosts(int g_a, const ghosts_t* ghosts) {
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
static void check_ghosts(int g_a, const ghosts_t* ghosts, const image_t* image, int dims_updated,
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

/* ---- The algorithms ---- */

typedef logical update_t(Integer* g_a);

static logical update_default(Integer* g_a) {
    GA_Update_ghosts((int)*g_a);
    return 1;
}

static logical update_1(Integer* g_a) {
    ga_update1_ghosts_(g_a);
    return 1;
}

/* 4 and 5 work from tables that are prepared for one of them: by default for 4. */
static logical update_5(Integer* g_a) {
    const bool prepared = ga_set_update5_info_(g_a) != 0;
    const bool updated = prepared && ga_update5_ghosts_(g_a) != 0;
    return ga_set_update4_info_(g_a) != 0 && updated;
}

static logical update_nonblocking(Integer* g_a) {
    ga_nbhdl_t handle;
    NGA_Update_ghosts_nb((int)*g_a, &handle);
    NGA_NbWait(&handle);
    return 1;
}

/* One direction after the other, the corners included. */
static logical update_directions(Integer* g_a) {
    bool updated = true;
    for (int d = 0; d < GA_Ndim((int)*g_a); d++) {
        updated = NGA_Update_ghost_dir((int)*g_a, d, -1, 1) && updated;
        updated = NGA_Update_ghost_dir((int)*g_a, d, 1, 1) && updated;
    }
    return updated;
}

/* Each of the neighbouring blocks, those across corners too, by a non-blocking get of its own. */
static logical update_by_masks(Integer* g_a) {
    const box_t masks = {.ndim = GA_Ndim((int)*g_a),
                         .lo = {-1, -1, -1, -1, -1, -1, -1},
                         .hi = {1, 1, 1, 1, 1, 1, 1}};
    int mask[kMaxDims];
    first_index(&masks, mask);
    do {
        bool is_me = true;
        for (int d = 0; d < masks.ndim; d++) {
            is_me = is_me && mask[d] == 0;
        }
        if (!is_me) {
            Integer fortran_mask[kMaxDims]; /* the C function cannot express -1 */
            for (int d = 0; d < masks.ndim; d++) {
                fortran_mask[masks.ndim - 1 - d] = mask[d];
            }
            ga_nbhdl_t handle;
            nga_nbget_ghost_dir_(g_a, fortran_mask, &handle);
            NGA_NbWait(&handle);
        }
    } while (next_index(&masks, mask));
    return 1;
}

/*
 * Where the algorithms of Global Arrays 5.8 work at all: three of them send the wrong cells unless
 * all ghost regions are 2 wide, and the table of one is too small from two dimensions on.
 */
typedef enum { kAnywhere, kWidthOfTwo, kOneDimension } demand_t;

static const struct {
    const char* name;
    update_t* update;
    demand_t demand;
} kAlgorithms[] = {
    {"default", update_default, kAnywhere},
    {"1, gets by shifts", update_1, kAnywhere},
    {"2, implicit non-blocking puts", ga_update2_ghosts_, kAnywhere},
    {"3, puts by shifts", ga_update3_ghosts_, kWidthOfTwo},
    {"4, messages", ga_update4_ghosts_, kAnywhere},
    {"44, messages without tables", ga_update44_ghosts_, kAnywhere},
    {"5, puts with flags", update_5, kOneDimension},
    {"55, puts with flags without tables", ga_update55_ghosts_, kWidthOfTwo},
    {"6, messages or puts with flags", ga_update6_ghosts_, kAnywhere},
    {"7, implicit non-blocking gets", ga_update7_ghosts_, kAnywhere},
    {"non-blocking gets", update_nonblocking, kAnywhere},
    {"one direction at a time", update_directions, kAnywhere},
    {"one neighbour at a time", update_by_masks, kAnywhere},
};

static bool meets(const ghosts_t* ghosts, demand_t demand) {
    if (demand == kOneDimension && ghosts->ndim > 1) {
        return false;
    }
    for (int d = 0; d < ghosts->ndim; d++) {
        if (demand != kAnywhere && ghosts->width[d] != 2) {
            return false;
        }
    }
    return true;
}

static void verify_update(int g_a, const ghosts_t* ghosts, update_t* update) {
    image_t image = create_image(ghosts->type, ghosts->ndim, ghosts->dims);
    for (int round = 0; round < 2; round++) {
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

static void verify_updates(int g_a, const ghosts_t* ghosts, const char* layout) {
    for (size_t i = 0; i < sizeof kAlgorithms / sizeof *kAlgorithms; i++) {
        if (meets(ghosts, kAlgorithms[i].demand)) {
            begin_section("ghost update %s: %s %d-D %s", kAlgorithms[i].name, layout, ghosts->ndim,
                          type_name(ghosts->type));
            verify_update(g_a, ghosts, kAlgorithms[i].update);
        }
    }
}

static void verify_without_corners(int g_a, const ghosts_t* ghosts) {
    begin_section("ghost update without corners: %d-D %s", ghosts->ndim, type_name(ghosts->type));
    image_t image = create_image(ghosts->type, ghosts->ndim, ghosts->dims);
    fill_image(&image, 300);
    store_image(&image, g_a);
    GA_Set_ghost_corner_flag(g_a, 0);
    poison_ghosts(g_a, ghosts);
    GA_Update_ghosts(g_a);
    check_ghosts(g_a, ghosts, &image, 1, "faces only");
    GA_Set_ghost_corner_flag(g_a, 1);
    destroy_image(&image);
}

/* A get of a patch that lies within my cells and ghost cells is local, another is periodic. */
static void verify_ghost_block(int g_a, const ghosts_t* ghosts) {
    begin_section("get of a block with its ghost cells: %d-D %s", ghosts->ndim,
                  type_name(ghosts->type));
    image_t image = create_image(ghosts->type, ghosts->ndim, ghosts->dims);
    fill_image(&image, 400);
    store_image(&image, g_a);
    GA_Update_ghosts(g_a);
    const block_t block = my_block(g_a, ghosts);
    box_t around = block.box;
    for (int d = 0; d < ghosts->ndim; d++) {
        around.lo[d] -= ghosts->width[d];
        around.hi[d] += ghosts->width[d];
    }
    patch_t patch = create_patch(ghosts->type, &around, 0);
    NGA_Get_ghost_block(g_a, around.lo, around.hi, patch.data, patch.ld);
    int64_t wrong = 0;
    int index[kMaxDims];
    first_index(&around, index);
    do {
        int wrapped[kMaxDims];
        for (int d = 0; d < ghosts->ndim; d++) {
            wrapped[d] = (index[d] + ghosts->dims[d]) % ghosts->dims[d];
        }
        wrong += element_load(ghosts->type, patch.data, (size_t)patch_offset(&patch, index)) !=
                 *image_at(&image, wrapped);
    } while (next_index(&around, index));
    check_many(box_count(&around), wrong, "%lld elements of %s wrong", (long long)wrong,
               box_text(&around));
    destroy_patch(&patch);
    destroy_image(&image);
    GA_Sync();
}

/* Irregular blocks: one per rank along the first dimension, each 3 longer than the one before. */
static void verify_irregular(void) {
    ghosts_t ghosts = {2, {0, 15}, {2, 2}, C_DBL};
    int map[64];
    for (int rank = 0; rank < rank_count(); rank++) {
        map[rank] = ghosts.dims[0];
        ghosts.dims[0] += 5 + 3 * rank;
    }
    map[rank_count()] = 0;
    int blocks[2] = {rank_count(), 1};
    const int g_a = NGA_Create_ghosts_irreg(ghosts.type, ghosts.ndim, ghosts.dims, ghosts.width,
                                            "irregular", blocks, map);
    verify_updates(g_a, &ghosts, "irregular");
    GA_Destroy(g_a);
}

int main(int argc, char** argv) {
    start_program(&argc, &argv);
    for (size_t i = 0; i < sizeof kArrays / sizeof *kArrays; i++) {
        ghosts_t ghosts = kArrays[i];
        const int g_a =
            NGA_Create_ghosts(ghosts.type, ghosts.ndim, ghosts.dims, ghosts.width, "ghosts", NULL);
        verify_updates(g_a, &ghosts, "regular");
        verify_without_corners(g_a, &ghosts);
        verify_ghost_block(g_a, &ghosts);
        GA_Destroy(g_a);
    }
    verify_irregular();
    return end_program();
}
