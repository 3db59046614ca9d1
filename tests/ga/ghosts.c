/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays with ghost cells: after an update every ghost cell holds the value of the cell that it
 * stands for, around the edges of the array too. The algorithms of Global Arrays are run one by
 * one, some by their Fortran names because the C interface lacks them; ghost_flags.c has two more.
 * They use strided puts and gets, implicit handles, and messages.
 */
#include <ga.h>
#include <macdecls.h>

#include "support/check.h"
#include "support/ghost_array.h"
#include "tests.h"

/* From Global Arrays' Fortran interface (global.fh). */
void ga_update1_ghosts_(Integer* g_a);
logical ga_update2_ghosts_(Integer* g_a);
logical ga_update3_ghosts_(Integer* g_a);
logical ga_update4_ghosts_(Integer* g_a);
logical ga_update44_ghosts_(Integer* g_a);
logical ga_update6_ghosts_(Integer* g_a);
logical ga_update7_ghosts_(Integer* g_a);
void nga_nbget_ghost_dir_(Integer* g_a, Integer* mask, Integer* handle);

static const ghosts_t kArrays[] = {
    {1, {41}, {3}, C_DBL},
    {1, {34}, {2}, C_SCPL},
    {2, {26, 31}, {2, 1}, C_INT},
    {2, {24, 20}, {1, 3}, C_DCPL},
    {2, {22, 27}, {2, 2}, C_FLOAT},
    {3, {13, 12, 14}, {1, 2, 1}, C_DBL},
    {3, {16, 12, 14}, {2, 2, 2}, C_LONG},
};

/* ---- The algorithms ---- */

static logical update_default(Integer* g_a) {
    GA_Update_ghosts((int)*g_a);
    return 1;
}

static logical update_1(Integer* g_a) {
    ga_update1_ghosts_(g_a);
    return 1;
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

/* What some algorithms of Global Arrays 5.8 demand: they send the wrong cells otherwise. */
typedef enum { kNothing, kWidthOfTwo } demand_t;

static const struct {
    const char* name;
    update_t* update;
    demand_t demand;
} kAlgorithms[] = {
    {"default", update_default, kNothing},
    {"1, gets by shifts", update_1, kNothing},
    {"2, implicit non-blocking puts", ga_update2_ghosts_, kNothing},
    {"3, puts by shifts", ga_update3_ghosts_, kWidthOfTwo},
    {"4, messages", ga_update4_ghosts_, kNothing},
    {"44, messages without tables", ga_update44_ghosts_, kNothing},
    {"6, messages or puts with flags", ga_update6_ghosts_, kNothing},
    {"7, implicit non-blocking gets", ga_update7_ghosts_, kNothing},
    {"non-blocking gets", update_nonblocking, kNothing},
    {"one direction at a time", update_directions, kNothing},
    {"one neighbour at a time", update_by_masks, kNothing},
};

static bool meets(const ghosts_t* ghosts, demand_t demand) {
    for (int d = 0; d < ghosts->ndim; d++) {
        if (demand == kWidthOfTwo && ghosts->width[d] != 2) {
            return false;
        }
    }
    return true;
}

static void verify_updates(int g_a, const ghosts_t* ghosts, const char* layout) {
    for (size_t i = 0; i < sizeof kAlgorithms / sizeof *kAlgorithms; i++) {
        if (meets(ghosts, kAlgorithms[i].demand)) {
            begin_section("ghost update %s: %s %d-D %s", kAlgorithms[i].name, layout, ghosts->ndim,
                          type_name(ghosts->type));
            verify_update(g_a, ghosts, kAlgorithms[i].update, 2);
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
    box_t around = {.ndim = ghosts->ndim};
    NGA_Distribution(g_a, my_rank(), around.lo, around.hi);
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

void test_ghosts(void) {
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
}
