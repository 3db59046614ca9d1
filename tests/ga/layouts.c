/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How arrays are distributed over the ranks, and direct access to a rank's own part: regular,
 * chunked, irregular, block-cyclic and restricted layouts. Owners write their memory with plain
 * stores, and all ranks read it by gets. All ranks put and accumulate, and the owners check with
 * plain loads.
 */
#include <ga.h>
#include <macdecls.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/image.h"
#include "tests.h"

static const int kDims[2] = {37, 29};

/* ---- Arrays of two dimensions in every layout ---- */

static int create_regular(void) {
    return NGA_Create(C_DBL, 2, (int*)kDims, "regular", NULL);
}

/* All columns of a row on one rank. */
static int create_chunked(void) {
    return NGA_Create(C_DBL, 2, (int*)kDims, "chunked", (int[]){3, kDims[1]});
}

/* One row of blocks per rank, of very different heights; the last takes the rest. */
static int create_irregular(void) {
    int map[64];
    const int blocks[2] = {rank_count(), 1};
    for (int rank = 0; rank < rank_count(); rank++) {
        map[rank] = rank * (rank + 3) / 2;
    }
    map[rank_count()] = 0;
    return NGA_Create_irreg(C_DBL, 2, (int*)kDims, "irregular", (int*)blocks, map);
}

static int create_set_up(void (*set_layout)(int g_a)) {
    const int g_a = GA_Create_handle();
    GA_Set_data(g_a, 2, (int*)kDims, C_DBL);
    GA_Set_array_name(g_a, "set up");
    set_layout(g_a);
    if (!GA_Allocate(g_a)) {
        give_up("GA_Allocate failed");
    }
    return g_a;
}

static void set_block_cyclic(int g_a) {
    GA_Set_block_cyclic(g_a, (int[]){5, 7});
}

static void set_block_cyclic_grid(int g_a) {
    GA_Set_block_cyclic_proc_grid(g_a, (int[]){4, 6}, (int[]){rank_count(), 1}); /* rows go round */
}

/* Only the last rank has data; the others contribute nothing to the allocation. */
static void set_restricted(int g_a) {
    GA_Set_restricted(g_a, (int[]){rank_count() - 1}, 1);
}

static int create_block_cyclic(void) {
    return create_set_up(set_block_cyclic);
}
static int create_block_cyclic_grid(void) {
    return create_set_up(set_block_cyclic_grid);
}
static int create_restricted(void) {
    return create_set_up(set_restricted);
}

/* ---- What a rank owns, seen directly ---- */

typedef struct {
    box_t box;
    double* data;
    int ld;
} part_t;

typedef void visit_t(part_t* part, const image_t* image);

/* Blocks that are distributed one after the other. */
static void for_each_block(int g_a, const image_t* image, visit_t* visit) {
    part_t part = {.box = {.ndim = 2}};
    for (int block = my_rank(); block < GA_Total_blocks(g_a); block += rank_count()) {
        NGA_Distribution(g_a, block, part.box.lo, part.box.hi);
        NGA_Access_block(g_a, block, &part.data, &part.ld);
        visit(&part, image);
        NGA_Release_update_block(g_a, block);
    }
}

/* Blocks that are distributed to the ranks row by row. */
static void for_each_grid_block(int g_a, const image_t* image, visit_t* visit) {
    int block_counts[2];
    int block_dims[2];
    GA_Get_block_info(g_a, block_counts, block_dims);
    int at[2];
    for (at[0] = my_rank(); at[0] < block_counts[0]; at[0] += rank_count()) {
        for (at[1] = 0; at[1] < block_counts[1]; at[1]++) {
            part_t part = {.box = {.ndim = 2}};
            for (int d = 0; d < 2; d++) {
                part.box.lo[d] = at[d] * block_dims[d];
                part.box.hi[d] = part.box.lo[d] + block_dims[d] - 1;
                if (part.box.hi[d] >= kDims[d]) {
                    part.box.hi[d] = kDims[d] - 1;
                }
            }
            NGA_Access_block_grid(g_a, at, &part.data, &part.ld);
            visit(&part, image);
            NGA_Release_update_block_grid(g_a, at);
        }
    }
}

/* Calls visit() for everything that this rank owns. */
static void for_each_part(int g_a, const image_t* image, visit_t* visit) {
    if (GA_Uses_proc_grid(g_a)) {
        for_each_grid_block(g_a, image, visit);
    } else if (GA_Total_blocks(g_a) >= 0) {
        for_each_block(g_a, image, visit);
    } else {
        part_t part = {.box = {.ndim = 2}};
        NGA_Distribution(g_a, my_rank(), part.box.lo, part.box.hi);
        if (!box_is_empty(&part.box)) {
            NGA_Access(g_a, part.box.lo, part.box.hi, &part.data, &part.ld);
            visit(&part, image);
            NGA_Release_update(g_a, part.box.lo, part.box.hi);
        }
    }
}

static double* part_element(const part_t* part, const int* index) {
    return part->data + (index[0] - part->box.lo[0]) * part->ld + (index[1] - part->box.lo[1]);
}

static void store_part(part_t* part, const image_t* image) {
    int index[2];
    first_index(&part->box, index);
    do {
        *part_element(part, index) = creal(*image_at(image, index));
    } while (next_index(&part->box, index));
}

static void check_part(part_t* part, const image_t* image) {
    int64_t wrong = 0;
    int index[2];
    first_index(&part->box, index);
    do {
        wrong += *part_element(part, index) != creal(*image_at(image, index));
    } while (next_index(&part->box, index));
    check_many(box_count(&part->box), wrong, "%lld elements of my block %s are wrong",
               (long long)wrong, box_text(&part->box));
}

static void verify_access(const char* layout, int (*create)(void)) {
    begin_section("direct access and one-sided access, %s", layout);
    image_t image = create_image(C_DBL, 2, kDims);
    const int g_a = create();

    fill_image(&image, 1);
    for_each_part(g_a, &image, store_part);
    GA_Sync();
    check_array(&image, g_a, "stored by the owners");
    GA_Sync();

    for (int rank = 0; rank < rank_count(); rank++) {
        rng_t rng = seeded((uint64_t)rank);
        const box_t box = random_box(&rng, 2, kDims);
        patch_t patch = create_patch(C_DBL, &box, 1);
        fill_patch(&patch, (uint64_t)rank);
        image_acc(&image, &patch, 3.0);
        if (rank == my_rank()) {
            double alpha = 3.0;
            NGA_Acc(g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld, &alpha);
        }
        destroy_patch(&patch);
    }
    GA_Sync();
    for_each_part(g_a, &image, check_part);

    GA_Sync();
    fill_image(&image, 2);
    if (my_rank() == 0) {
        const box_t all = whole_box(2, kDims);
        patch_t patch = create_patch(C_DBL, &all, 2);
        int index[2];
        first_index(&all, index);
        do {
            element_store(C_DBL, patch.data, (size_t)patch_offset(&patch, index),
                          *image_at(&image, index));
        } while (next_index(&all, index));
        NGA_Put(g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld);
        destroy_patch(&patch);
    }
    GA_Sync();
    for_each_part(g_a, &image, check_part);
    GA_Destroy(g_a);
    destroy_image(&image);
}

/* ---- Where elements are ---- */

/* Blocks of regular and irregular layouts: they cover the array once, and all queries agree. */
static void verify_ownership(const char* layout, int (*create)(void)) {
    begin_section("ownership, %s", layout);
    const int g_a = create();
    const box_t all = whole_box(2, kDims);
    int owner_count[37][29] = {{0}};
    int index[2];
    for (int rank = 0; rank < rank_count(); rank++) {
        box_t part = {.ndim = 2};
        NGA_Distribution(g_a, rank, part.lo, part.hi);
        if (box_is_empty(&part)) {
            continue;
        }
        first_index(&part, index);
        do {
            owner_count[index[0]][index[1]]++;
            check(NGA_Locate(g_a, index) == rank, "%s is on rank %d, not %d", index_text(2, index),
                  rank, NGA_Locate(g_a, index));
        } while (next_index(&part, index));
    }
    first_index(&all, index);
    do {
        check(owner_count[index[0]][index[1]] == 1, "%s has %d owners", index_text(2, index),
              owner_count[index[0]][index[1]]);
    } while (next_index(&all, index));

    rng_t rng = seeded((uint64_t)my_rank());
    for (int i = 0; i < 20; i++) {
        box_t box = random_box(&rng, 2, kDims);
        int* map = allocate((size_t)rank_count() * 4 * sizeof *map);
        int* owners = allocate((size_t)rank_count() * sizeof *owners);
        const int count = NGA_Locate_region(g_a, box.lo, box.hi, map, owners);
        int64_t covered = 0;
        for (int k = 0; k < count; k++) {
            const box_t piece = {.ndim = 2,
                                 .lo = {map[4 * k], map[4 * k + 1]},
                                 .hi = {map[4 * k + 2], map[4 * k + 3]}};
            covered += box_count(&piece);
            check(box_contains(&box, piece.lo) && box_contains(&box, piece.hi),
                  "%s is not inside %s", box_text(&piece), box_text(&box));
            check(NGA_Locate(g_a, (int*)piece.lo) == owners[k], "%s is not on rank %d",
                  box_text(&piece), owners[k]);
        }
        check(covered == box_count(&box), "the pieces of %s have %lld elements", box_text(&box),
              (long long)covered);
        check(NGA_Locate_nnodes(g_a, box.lo, box.hi) == count, "%s has not %d owners",
              box_text(&box), count);
        free(map);
        free(owners);
    }
    GA_Destroy(g_a);
}

static void verify_inquiries(void) {
    begin_section("shape, name and comparison of layouts");
    const int regular = create_regular();
    const int irregular = create_irregular();
    int type;
    int ndim;
    int dims[kMaxDims];
    NGA_Inquire(irregular, &type, &ndim, dims);
    check(type == C_DBL && ndim == 2, "type %d, %d dimensions", type, ndim);
    check(dims[0] == kDims[0] && dims[1] == kDims[1], "dimensions %s", index_text(2, dims));
    check(strcmp(GA_Inquire_name(irregular), "irregular") == 0, "the name is %s",
          GA_Inquire_name(irregular));
    check(GA_Compare_distr(irregular, irregular) == 0, "a layout differs from itself");
    if (rank_count() > 1) {
        check(GA_Compare_distr(regular, irregular) != 0, "different layouts are the same");
    }
    const int copy = GA_Duplicate(irregular, "copy");
    check(GA_Compare_distr(irregular, copy) == 0, "a duplicate has another layout");
    check(GA_Verify_handle(copy) != 0, "the handle of the duplicate is not valid");
    GA_Destroy(copy);
    check(GA_Verify_handle(copy) == 0, "the handle of a destroyed array is valid");
    check(GA_Cluster_nnodes() == rank_count(), "%d nodes reported", GA_Cluster_nnodes());
    check(GA_Cluster_nodeid() == my_rank(), "my node is %d", GA_Cluster_nodeid());
    GA_Destroy(regular);
    GA_Destroy(irregular);
}

void test_layouts(void) {
    verify_ownership("regular", create_regular);
    verify_ownership("chunked", create_chunked);
    verify_ownership("irregular", create_irregular);
    verify_inquiries();
    verify_access("regular", create_regular);
    verify_access("chunked", create_chunked);
    verify_access("irregular", create_irregular);
    verify_access("restricted to one rank", create_restricted);
    verify_access("block-cyclic", create_block_cyclic);
    verify_access("block-cyclic on a grid", create_block_cyclic_grid);
}
