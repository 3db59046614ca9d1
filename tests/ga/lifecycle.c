/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start and end of Global Arrays, several times in one program: with and without a limit of memory,
 * with arrays that the program forgets to destroy, and with ARMCI started by the program itself as
 * well.
 */
#include <ga.h>
#include <macdecls.h>

#include "support/check.h"
#include "support/image.h"

int ARMCI_Init(void);
int ARMCI_Initialized(void);
int ARMCI_Finalize(void);

static void use_arrays(int forgotten, uint64_t seed) {
    const int dims[2] = {20, 25};
    for (int i = 0; i <= forgotten; i++) {
        image_t image = create_image(C_DBL, 2, dims);
        fill_image(&image, seed + (uint64_t)i);
        const int g_a = NGA_Create(C_DBL, 2, (int*)dims, "lifecycle", NULL);
        check(g_a != 0, "no array");
        store_image(&image, g_a);
        check_array(&image, g_a, "an array of this life");
        GA_Sync();
        if (i == forgotten) {
            GA_Destroy(g_a);
        }
        destroy_image(&image);
    }
}

static void verify_again_and_again(void) {
    for (int life = 0; life < 4; life++) {
        begin_section("life %d of Global Arrays", life + 1);
        check(GA_Initialized() == 0, "initialised before GA_Initialize");
        GA_Initialize();
        check(GA_Initialized() != 0, "not initialised after GA_Initialize");
        check(ARMCI_Initialized() == 1, "ARMCI is not initialised");
        check(GA_Nnodes() == rank_count() && GA_Nodeid() == my_rank(), "rank %d of %d", GA_Nodeid(),
              GA_Nnodes());
        use_arrays(life, (uint64_t)life * 10);
        GA_Terminate();
        check(ARMCI_Initialized() == 0, "ARMCI is still initialised after GA_Terminate");
    }
}

/* A limit of memory per rank: allocations within it succeed, others are refused, and freed
 * memory counts as available again. */
static void verify_limit(void) {
    begin_section("a limit of memory");
    const size_t limit = 400000;
    GA_Initialize_ltd(limit * (size_t)rank_count());
    check(GA_Memory_limited() != 0, "memory is not limited");
    const size_t before = GA_Memory_avail();
    check(before > 0 && before <= limit * (size_t)rank_count(), "%zu bytes are available", before);
    int dims[1] = {1000 * rank_count()};
    const int g_a = NGA_Create(C_DBL, 1, dims, "fits", NULL);
    check(g_a != 0, "an array within the limit was refused");
    check(GA_Memory_avail() + 8000 <= before,
          "%zu of %zu bytes are available with an array of 8000", GA_Memory_avail(), before);
    double two = 2.0;
    GA_Fill(g_a, &two);
    check(GA_Ddot(g_a, g_a) == 4.0 * dims[0], "the array holds something else");
    GA_Destroy(g_a);
    check(GA_Memory_avail() == before, "%zu bytes are available again, not %zu", GA_Memory_avail(),
          before);
    int too_large[1] = {(int)limit * rank_count()};
    check(NGA_Create(C_DBL, 1, too_large, "too large", NULL) == 0,
          "an array beyond the limit was made");
    GA_Terminate();
}

/* Starts are counted: the library stops when the last of its users has stopped it. */
static void verify_own_init(void) {
    begin_section("ARMCI started by the program and by Global Arrays");
    for (int round = 0; round < 2; round++) {
        ARMCI_Init();
        GA_Initialize();
        use_arrays(0, 70);
        GA_Terminate();
        check(ARMCI_Initialized() == 1, "ended by GA_Terminate");
        GA_Initialize();
        use_arrays(1, 80);
        GA_Terminate();
        check(ARMCI_Initialized() == 1, "ended by the second GA_Terminate");
        ARMCI_Finalize();
        check(ARMCI_Initialized() == 0, "not ended by the last ARMCI_Finalize");
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    start_checks();
    verify_again_and_again();
    verify_limit();
    verify_own_init();
    const int status = end_checks();
    MPI_Finalize();
    return status;
}
