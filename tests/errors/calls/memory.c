/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that is freed incorrectly. */
#include <stddef.h>
#include <stdlib.h>

#include "bad_call.h"

static const char* const kAdvice = "pass what ARMCI_Malloc returned for this rank, once";

static void free_wrongly(void* pointer) {
    expect("ARMCI_Free", text("argument ptr = %p", pointer), "not the beginning", kAdvice, NULL);
    ARMCI_Free(pointer);
}

static void free_unknown(void) {
    free_wrongly(malloc(64));
}

static void free_on_several_nodes(void) {
    free_wrongly(local);
}

static void free_interior(void) {
    free_wrongly((char*)bases[my_rank] + 64);
}

static void free_end(void) {
    free_wrongly((char*)bases[my_rank] + kSliceBytes);
}

static void free_slice_of_another_rank(void) {
    free_wrongly(bases[0]);
}

static void free_local_memory_as_global(void) {
    free_wrongly(ARMCI_Malloc_local(64));
}

static void free_twice(void) {
    void* memory[2];
    check(ARMCI_Malloc(memory, 64) == 0, "ARMCI_Malloc");
    check(ARMCI_Free(memory[my_rank]) == 0, "ARMCI_Free");
    if (is_last_rank()) {
        free_wrongly(memory[my_rank]);
    }
}

static void free_twice_on_several_nodes(void) {
    free_twice();
}

/* The first call has changed the record that it got, and not this copy. */
static void free_alone_twice(void) {
    armci_meminfo_t info;
    ARMCI_Memget(64, &info, 0);
    armci_meminfo_t copy = info;
    ARMCI_Memctl(&info);
    expect("ARMCI_Memctl", text("argument meminfo describes memory at %p", (void*)copy.addr),
           "freed already", "call it once", NULL);
    ARMCI_Memctl(&copy);
}

static void free_alone_twice_on_several_nodes(void) {
    free_alone_twice();
}

/* Each rank frees another allocation; the rank with the older one reports the error. */
static void free_different_allocations(void) {
    void* memory[2];
    check(ARMCI_Malloc(memory, 64) == 0, "ARMCI_Malloc");
    void* pointer = is_last_rank() ? bases[my_rank] : memory[my_rank];
    if (is_last_rank()) {
        expect("ARMCI_Free", text("argument ptr = %p", pointer), "different allocation", NULL);
    }
    ARMCI_Free(pointer);
}

/* The allocation belongs to a group that rank 0 is not in. */
static void free_foreign_of_group(void) {
    ARMCI_Group group;
    void* memory[1];
    ARMCI_Group_create(1, &my_rank, &group);
    check(ARMCI_Malloc_group(memory, 64, &group) == 0, "ARMCI_Malloc_group");
    char* interior = (char*)memory[0] + 8;
    expect("ARMCI_Free_group", text("argument ptr = %p", (void*)interior), "not the beginning",
           kAdvice, NULL);
    ARMCI_Free_group(interior, &group);
}

static void free_local_wrongly(void* pointer) {
    expect("ARMCI_Free_local", text("argument ptr = %p", pointer), "not from ARMCI_Malloc_local",
           NULL);
    ARMCI_Free_local(pointer);
}

static void free_local_unknown(void) {
    free_local_wrongly(malloc(64));
}

static void free_local_interior(void) {
    free_local_wrongly((char*)ARMCI_Malloc_local(64) + 8);
}

static void free_local_twice(void) {
    void* memory = ARMCI_Malloc_local(64);
    check(memory != NULL, "ARMCI_Malloc_local");
    check(ARMCI_Free_local(memory) == 0, "ARMCI_Free_local");
    free_local_wrongly(memory);
}

static void free_global_as_local(void) {
    free_local_wrongly(bases[my_rank]);
}

/* ---- Other uses ---- */

static void access_unknown(void) {
    expect("ARMCI_Access_begin", text("argument ptr = %p", (void*)local),
           "not in this rank's global memory", NULL);
    ARMCI_Access_begin(local);
}

static void access_memory_of_another_rank(void) {
    expect("ARMCI_Access_end", text("argument ptr = %p", bases[0]),
           "not in this rank's global memory", NULL);
    ARMCI_Access_end(bases[0]);
}

static void free_world_group(void) {
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    expect("ARMCI_Group_free", "argument group is the world group", "ARMCI_Finalize", NULL);
    ARMCI_Group_free(&world);
}

static void allocate_on_freed_group(void) {
    ARMCI_Group group;
    void* memory[1];
    ARMCI_Group_create(1, &my_rank, &group);
    ARMCI_Group_free(&group);
    expect("ARMCI_Malloc_group", "argument group", "was freed", NULL);
    ARMCI_Malloc_group(memory, 64, &group);
}

/* ---- Different collective calls inside a node, each of which names the other ---- */

static const char* const kSameOrder = "make the same collective calls on a group in the same order";

static void expect_difference(const char* function, const char* other, const char* mine) {
    abort_together();
    expect(function, text("rank %d is in another collective call", 1 - my_rank),
           text("it %s, and this rank %s", other, mine), kSameOrder, NULL);
}

static void allocate_while_another_is_at_a_barrier(void) {
    if (is_last_rank()) {
        void* memory[2];
        expect_difference("ARMCI_Malloc", "waits at a barrier", "allocates memory");
        ARMCI_Malloc(memory, kSliceBytes);
    } else {
        expect_difference("ARMCI_Barrier", "allocates memory", "waits at a barrier");
        ARMCI_Barrier();
    }
}

/* The members are in another order than in the world. */
static void free_while_another_allocates_on_group(void) {
    int list[2] = {1, 0};
    ARMCI_Group group;
    void* memory[2];
    ARMCI_Group_create(2, list, &group);
    ARMCI_Malloc_group(memory, kSliceBytes, &group);
    if (is_last_rank()) {
        expect_difference("ARMCI_Free_group", "allocates memory", "frees memory");
        ARMCI_Free_group(memory[0], &group);
    } else {
        expect_difference("ARMCI_Malloc_group", "frees memory", "allocates memory");
        ARMCI_Malloc_group(memory, kSliceBytes, &group);
    }
}

const struct Case memory_cases[] = {
    CASE(free_unknown, LAST_RANK, NODE),
    CASE(free_on_several_nodes, LAST_RANK, NODES),
    CHECK(free_interior),
    CHECK(free_end),
    CASE(free_slice_of_another_rank, LAST_RANK, NODE),
    CHECK(free_local_memory_as_global),
    CASE(free_twice, ALL_RANKS, NODE),
    CASE(free_twice_on_several_nodes, ALL_RANKS, NODES),
    CASE(free_alone_twice, LAST_RANK, NODE),
    CASE(free_alone_twice_on_several_nodes, LAST_RANK, NODES),
    CASE(free_different_allocations, ALL_RANKS, NODE),
    /* promise: collective.different-in-node */
    CASE(allocate_while_another_is_at_a_barrier, ALL_RANKS, NODE),
    /* promise: collective.different-in-node */
    CASE(free_while_another_allocates_on_group, ALL_RANKS, NODE),
    CASE(free_foreign_of_group, LAST_RANK, NODE),
    CHECK(free_local_unknown),
    CHECK(free_local_interior),
    CHECK(free_local_twice),
    CHECK(free_global_as_local),
    CHECK(access_unknown),
    CASE(access_memory_of_another_rank, LAST_RANK, NODE),
    CHECK(free_world_group),
    CASE(allocate_on_freed_group, LAST_RANK, NODE),
    {0},
};
