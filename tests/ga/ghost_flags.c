/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two ghost updates of Global Arrays that use puts with flags: a rank waits for its neighbours'
 * cells by reading flags in its own memory with plain loads, and never enters the library
 * meanwhile.
 *
 * In Debian's Global Arrays 5.8 the compiler has moved those loads out of the loop, and they are
 * only repeated when a counter overflows: a wait lasts seconds unless the flag was there before.
 * That is why these are on their own and few. The table of algorithm 5 is too small from two
 * dimensions on, and both send the wrong cells unless ghost regions are 2 wide.
 */
#include <ga.h>
#include <macdecls.h>

#include "support/check.h"
#include "support/ghost_array.h"
#include "tests.h"

/* From Global Arrays' Fortran interface (global.fh). */
logical ga_update5_ghosts_(Integer* g_a);
logical ga_update55_ghosts_(Integer* g_a);
logical ga_set_update4_info_(Integer* g_a);
logical ga_set_update5_info_(Integer* g_a);

/* It works from a table; by default there is the table of algorithm 4. */
static logical update_5(Integer* g_a) {
    const bool prepared = ga_set_update5_info_(g_a) != 0;
    const bool updated = prepared && ga_update5_ghosts_(g_a) != 0;
    return ga_set_update4_info_(g_a) != 0 && updated;
}

static void verify(const char* algorithm, update_t* update, ghosts_t ghosts) {
    begin_section("ghost update %s: %d-D %s", algorithm, ghosts.ndim, type_name(ghosts.type));
    const int g_a =
        NGA_Create_ghosts(ghosts.type, ghosts.ndim, ghosts.dims, ghosts.width, "ghosts", NULL);
    verify_update(g_a, &ghosts, update, 1);
    GA_Destroy(g_a);
}

void test_ghost_flags(void) {
    verify("5, puts with flags", update_5, (ghosts_t){1, {34}, {2}, C_DBL});
    verify("55, puts with flags without tables", ga_update55_ghosts_,
           (ghosts_t){2, {22, 27}, {2, 2}, C_INT});
}
