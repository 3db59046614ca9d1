/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library does not end when there is not enough memory: ARMCI_Malloc fails on every rank, and
 * the message names the requested amount, the node, and the available memory. The program may
 * continue with less.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bad_call.h"

enum { kMiB = 1 << 20 };
/* Per rank: more than the address space that a node has. */
static const long kAbsurd = 1L << 50;

static int node_count = 1;
static int my_node = 0;

/* The text about `bytes` bytes on my node. */
static const char* asked(long bytes) {
    return text("%ld bytes of global memory were asked for on", bytes);
}

static void expect_full_heap(const char* function, const char* what) {
    expect(function, what, text("(node %d of %d)", my_node, node_count),
           "bytes of address space left", "raise ARMCI_HEAP_SIZE", NULL);
}

/* There is not enough memory for a larger address space either. */
static void expect_no_address_space(const char* function, const char* what) {
    expect(function, what, text("(node %d of %d)", my_node, node_count),
           "bytes of address space left", "bytes available, of which",
           "use more nodes or smaller arrays", NULL);
}

static void expect_no_memory(long bytes) {
    expect("ARMCI_Malloc", asked(bytes), text("(node %d of %d)", my_node, node_count),
           "bytes available, of which", "use more nodes or smaller arrays", NULL);
}

/* The node of this rank. The message comes from the first rank of a node. */
static bool find_node(void) {
    node_count = ARMCIX_Node_count();
    my_node = ARMCIX_Node(my_rank);
    return my_rank == 0 || ARMCIX_Node(my_rank - 1) != my_node;
}

/* Must return neither memory nor pointers, on any rank. */
static void allocate_in_vain(long bytes) {
    void* memory[2] = {local, local};
    check(ARMCI_Malloc(memory, bytes) != 0, "%ld bytes were given", bytes);
    for (int rank = 0; rank < rank_count; rank++) {
        check(memory[rank] == NULL, "a pointer to rank %d's part of nothing", rank);
    }
}

static void* allocate(long bytes) {
    static void* memory[2];
    check(ARMCI_Malloc(memory, bytes) == 0, "%ld bytes were not given", bytes);
    return memory[my_rank];
}

/* After a failure everything must be as before. */
static void use_library(void) {
    void* memory[2];
    check(ARMCI_Malloc(memory, 64) == 0, "a small allocation after a failed one");
    const long sent = 1000 + my_rank;
    const int neighbour = (my_rank + 1) % rank_count;
    ARMCI_Put((void*)&sent, memory[neighbour], sizeof sent, neighbour);
    ARMCI_Barrier();
    const long received = *(long*)memory[my_rank];
    check(received == 1000 + (my_rank + rank_count - 1) % rank_count, "received %ld", received);
    check(ARMCI_Free(memory[my_rank]) == 0, "ARMCI_Free");
    expect_status(0);
}

/* ---- More than there is ---- */

static void absurd_on_one_node(void) {
    if (find_node()) {
        expect_no_address_space("ARMCI_Malloc", asked(kAbsurd * rank_count));
    }
    allocate_in_vain(kAbsurd);
    use_library();
}

static void absurd_alone(void) {
    absurd_on_one_node();
}

static void absurd_on_several_nodes(void) {
    find_node();
    expect_no_address_space("ARMCI_Malloc", asked(kAbsurd));
    allocate_in_vain(kAbsurd);
    use_library();
}

/* The sum of the ranks' requests exceeds a 64-bit number. */
static void largest_number(void) {
    if (find_node()) {
        expect("ARMCI_Malloc", NULL);
    }
    allocate_in_vain(0x7fffffffffffffffL);
    use_library();
}

static void absurd_of_one_rank(void) {
    if (find_node()) {
        expect_no_address_space("ARMCI_Malloc", "bytes of global memory were asked for on");
    }
    allocate_in_vain(is_last_rank() ? kAbsurd : 64);
    use_library();
}

/* Repeated, so that anything that the other node kept would use up its heap. */
static void absurd_of_one_node(void) {
    enum { kAttempts = 20 };
    setenv("ARMCI_HEAP_SIZE", "16M", 1);
    start_library();
    find_node();
    for (int i = 0; i < kAttempts; i++) {
        if (is_last_rank()) {
            expect_no_address_space("ARMCI_Malloc", asked(kAbsurd));
        }
        allocate_in_vain(is_last_rank() ? kAbsurd : 4 * kMiB);
    }
    use_library();
    stop_library();
}

static void absurd_of_group(void) {
    ARMCI_Group group;
    void* memory[1] = {local};
    ARMCI_Group_create(1, &my_rank, &group);
    find_node();
    expect_no_address_space("ARMCI_Malloc_group", asked(kAbsurd));
    check(ARMCI_Malloc_group(memory, kAbsurd, &group) != 0, "ARMCI_Malloc_group");
    check(memory[0] == NULL, "a pointer to nothing");
    expect_status(0);
}

/* The address space is sufficient, the memory is not. */
static void more_than_memory(void) {
    const long machine = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    if (find_node()) {
        expect_no_memory(node_count == 1 ? machine * rank_count : machine);
    }
    allocate_in_vain(machine);
    use_library();
}

static void more_than_memory_on_several_nodes(void) {
    more_than_memory();
}

/* Allocates pieces until the heap is full. After they are freed, as many fit again. */
static void heap_filled_and_emptied(void) {
    enum { kPieces = 64 };
    setenv("ARMCI_HEAP_SIZE", "16M", 1);
    start_library();
    find_node();
    int fitting = 0;
    for (int round = 0; round < 3; round++) {
        void* pieces[kPieces];
        int count = 0;
        expect_full_heap("ARMCI_Malloc", asked(kMiB));
        while (ARMCI_Malloc(&pieces[count], kMiB) == 0) {
            memset(pieces[count], round, kMiB);
            count++;
            check(count < kPieces, "16 MiB of address space hold %d MiB", count);
        }
        check(count >= 12, "16 MiB of address space hold only %d MiB", count);
        check(round == 0 || count == fitting, "%d pieces fit, and %d before", count, fitting);
        fitting = count;
        while (count > 0) {
            check(ARMCI_Free(pieces[--count]) == 0, "ARMCI_Free");
        }
    }
    use_library();
    stop_library();
}

/* Pieces too small for a look at the host's memory before each. There is address space for more of
   them than there is memory, though none of it is touched. */
static void more_than_memory_in_small_pieces(void) {
    enum { kPieceBytes = 7 * kMiB };
    const long machine = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    const long max = machine / kPieceBytes + 1;
    void** pieces = malloc((size_t)max * sizeof *pieces);
    long count = 0;
    find_node();
    expect_no_memory(kPieceBytes);
    while (ARMCI_Malloc(&pieces[count], kPieceBytes) == 0) {
        count++;
        check(count < max, "more pieces than the machine has memory for");
    }
    while (count > 0) {
        check(ARMCI_Free(pieces[--count]) == 0, "ARMCI_Free");
    }
    free(pieces);
    use_library();
}

/* No return value could report it. */
static void absurd_memget(void) {
    armci_meminfo_t info;
    find_node();
    expect_no_address_space("ARMCI_Memget", asked(kAbsurd));
    ARMCI_Memget((size_t)kAbsurd, &info, 0);
}

/* Local memory is the caller's own responsibility: no message. */
static void absurd_local(void) {
    check(ARMCI_Malloc_local(kAbsurd) == NULL, "ARMCI_Malloc_local");
    use_library();
}

/* ---- Limits set by the user ---- */

static void expect_limit(void) {
    expect("ARMCI_Malloc", text("%d bytes of global memory were asked for on top of", 2 * kMiB),
           text("the limit for a process is %d", kMiB),
           "raise it (ARMCI_SHM_LIMIT, ARMCI_Set_shm_limit)", NULL);
}

static void stay_below_limit(void) {
    for (int i = 0; i < 4; i++) {
        check(ARMCI_Free(allocate(kMiB / 2)) == 0, "ARMCI_Free");
    }
    use_library();
    stop_library();
}

static void limit_of_environment(void) {
    setenv("ARMCI_SHM_LIMIT", "1M", 1);
    start_library();
    expect_limit();
    allocate_in_vain(2 * kMiB);
    stay_below_limit();
}

/* Global Arrays sets it before the library is started. */
static void limit_of_one_rank(void) {
    start_mpi(MPI_THREAD_SINGLE);
    if (is_last_rank()) {
        ARMCI_Set_shm_limit(kMiB);
    }
    start_library();
    if (is_last_rank()) {
        expect_limit();
    }
    allocate_in_vain(2 * kMiB);
    stay_below_limit();
}

/* It counts what ARMCI_Memget gives, until that is freed. */
static void limit_of_memget(void) {
    armci_meminfo_t info;
    setenv("ARMCI_SHM_LIMIT", "1M", 1);
    start_library();
    for (int i = 0; i < 4; i++) {
        ARMCI_Memget(kMiB / 2, &info, 0);
        ARMCI_Memctl(&info);
    }
    ARMCI_Memget(kMiB / 2, &info, 0);
    expect("ARMCI_Malloc", text("%d bytes of global memory were asked for on top of", kMiB / 2),
           text("the limit for a process is %d", kMiB), NULL);
    allocate_in_vain(kMiB / 2);
    ARMCI_Barrier();
    if (is_last_rank()) {
        expect("ARMCI_Memget", text("%d bytes of global memory were asked for on top of", 2 * kMiB),
               text("the limit for a process is %d", kMiB),
               "raise it (ARMCI_SHM_LIMIT, ARMCI_Set_shm_limit)", NULL);
        ARMCI_Memget(2 * kMiB, &info, 0);
    }
    ARMCI_Barrier();
}

static void groups(void) {
    enum { MANY = 100000 };
    int self = 0;
    for (int i = 0; i < MANY; ++i) {
        ARMCI_Group group;
        if (i == 100) { /* more than that there are */
            expect("ARMCI_Group_create", "no more communicators", "ARMCI_Group_free", NULL);
        }
        ARMCI_Group_create(1, &self, &group);
    }
}

const struct Case exhaustion_cases[] = {
    CASE(absurd_alone, ALL_RANKS, ALONE),
    /* promise: malloc.fails-everywhere */
    CASE(absurd_on_one_node, ALL_RANKS, NODE),
    /* promise: malloc.fails-everywhere */
    CASE(absurd_on_several_nodes, ALL_RANKS, NODES),
    CASE(largest_number, ALL_RANKS, NODE),
    /* promise: malloc.fails-everywhere */
    CASE(absurd_of_one_rank, ALL_RANKS, NODE),
    /* promise: memget.too-much */
    CASE(absurd_memget, LAST_RANK, NODE),
    CASE(absurd_of_one_node, ON_ITS_OWN, NODES),
    CASE(absurd_of_group, LAST_RANK, NODE),
    CASE(more_than_memory, ALL_RANKS, NODE),
    CASE(more_than_memory_on_several_nodes, ALL_RANKS, NODES),
    CASE(more_than_memory_in_small_pieces, ALL_RANKS, ALONE),
    CASE(heap_filled_and_emptied, ON_ITS_OWN, ALONE),
    CASE(groups, LAST_RANK, ALONE),
    /* promise: malloc-local.too-much */
    CASE(absurd_local, ALL_RANKS, NODE),
    /* promise: shm-limit.kept */
    CASE(limit_of_environment, ON_ITS_OWN, NODE),
    /* promise: shm-limit.kept, shm-limit.before-init */
    CASE(limit_of_one_rank, ON_ITS_OWN, NODES),
    /* promise: shm-limit.kept, memget.too-much */
    CASE(limit_of_memget, ON_ITS_OWN, NODE),
    {0},
};
