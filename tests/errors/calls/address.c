/* SPDX-License-Identifier: BSD-3-Clause */
/* Remote addresses that are not global memory of the rank they are given for. */
#include <stddef.h>
#include <stdlib.h>

#include "bad_call.h"

static double one = 1.0;
static armci_hdl_t handle;

/* What the message says about `bytes` bytes at `address` of the target. */
static void expect_outside(const char* function, const char* argument, const void* address,
                           int bytes, int rank, const char* reason) {
    expect(function,
           text("argument %s: %d bytes at 0x%lx of rank %d", argument, bytes, (long)address, rank),
           "not all global memory", reason,
           "Pass an address inside what ARMCI_Malloc returned for that rank", NULL);
}

static const char* past_end_by(int bytes) {
    return text("the range ends %d bytes past the end of rank %d's memory [0x%lx, 0x%lx)", bytes,
                target, (long)slice, (long)slice + kSliceBytes);
}

static const char* outside(int rank) {
    return text("outside rank %d's global memory", rank);
}

/* ---- Past the end, by one byte or more ---- */

static void put_past_end(void) {
    char* place = slice + kSliceBytes - 7;
    expect_outside("ARMCI_Put", "dst", place, 8, target, past_end_by(1));
    ARMCI_Put(local, place, 8, target);
}

static void put_past_end_of_far_memory(void) {
    put_past_end();
}

static void get_past_end(void) {
    char* place = slice + kSliceBytes;
    expect_outside("ARMCI_Get", "src", place, 1, target, past_end_by(1));
    ARMCI_Get(place, local, 1, target);
}

static void acc_past_end(void) {
    char* place = slice + kSliceBytes - 8;
    expect_outside("ARMCI_Acc", "dst", place, 16, target, past_end_by(8));
    ARMCI_Acc(ARMCI_ACC_DBL, &one, local, place, 16, target);
}

static void nb_get_past_end(void) {
    expect_outside("ARMCI_NbGet", "src", slice, kSliceBytes + 1, target, past_end_by(1));
    ARMCI_NbGet(slice, local, kSliceBytes + 1, target, &handle);
}

/* Three blocks of 8 bytes; the end of the last one is a byte too far. */
static void put_s_past_end(void) {
    int stride[1] = {64};
    int count[2] = {8, 3};
    char* place = slice + kSliceBytes - 128 - 7;
    expect_outside("ARMCI_PutS", "dst_ptr", place, 136, target, past_end_by(1));
    ARMCI_PutS(local, stride, place, stride, count, 1, target);
}

/* With a negative stride the first block is the highest. */
static void get_s_before_begin(void) {
    int remote_stride[1] = {-64};
    int stride[1] = {64};
    int count[2] = {8, 3};
    char* place = slice + 127;
    expect_outside("ARMCI_GetS", "src_ptr", slice - 1, 136, target, outside(target));
    ARMCI_GetS(place, remote_stride, local, stride, count, 1, target);
}

static void acc_v_past_end(void) {
    void* sources[3] = {local, local, local};
    void* places[3] = {slice, slice + kSliceBytes - 7, slice + 8};
    armci_giov_t descriptor = {sources, places, 8, 3};
    expect_outside("ARMCI_AccV", "dst_ptr_array[1] of descriptor 0", places[1], 8, target,
                   past_end_by(1));
    ARMCI_AccV(ARMCI_ACC_DBL, &one, &descriptor, 1, target);
}

/* In the second descriptor; the first may be under way by then. */
static void get_v_past_end(void) {
    void* destinations[2] = {local, local + 8};
    void* places[2] = {slice, slice + 8};
    void* bad_places[2] = {slice + kSliceBytes, slice + 8};
    armci_giov_t descriptors[2] = {{places, destinations, 8, 2}, {bad_places, destinations, 8, 2}};
    expect_outside("ARMCI_GetV", "src_ptr_array[0] of descriptor 1", bad_places[0], 8, target,
                   past_end_by(8));
    ARMCI_GetV(descriptors, 2, target);
}

static void rmw_past_end(void) {
    char* place = slice + kSliceBytes;
    expect_outside("ARMCI_Rmw", "prem", place, 8, target, past_end_by(8));
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, local, place, 1, target);
}

static void flag_past_end(void) {
    int* flag = (int*)(slice + kSliceBytes);
    expect_outside("ARMCI_Put_flag", "flag", flag, 4, target, past_end_by(4));
    ARMCI_Put_flag(local, slice, 8, flag, 1, target);
}

static void value_past_end(void) {
    char* place = slice + kSliceBytes - 4;
    expect_outside("ARMCI_GetValueLong", "src", place, 8, target, past_end_by(4));
    ARMCI_GetValueLong(place, target);
}

/* ---- Elsewhere ---- */

static void put_before_begin(void) {
    expect_outside("ARMCI_Put", "dst", slice - 1, 1, target, outside(target));
    ARMCI_Put(local, slice - 1, 1, target);
}

static void put_nowhere(void) {
    void* place = (void*)0x1000;
    expect_outside("ARMCI_Put", "dst", place, 8, target, outside(target));
    ARMCI_Put(local, place, 8, target);
}

/* Every address of the target is numbered, so that the end of the range wraps around. */
static void get_at_end_of_address_space(void) {
    void* place = (void*)-4L;
    expect_outside("ARMCI_Get", "src", place, 8, target, outside(target));
    ARMCI_Get(place, local, 8, target);
}

static void get_null(void) {
    expect_outside("ARMCI_Get", "src", NULL, 8, target, outside(target));
    ARMCI_Get(NULL, local, 8, target);
}

/* Rank 0's memory, given for rank 1. On several nodes both may have the same addresses. */
static void put_to_slice_of_another_rank(void) {
    expect_outside("ARMCI_Put", "dst", bases[0], 8, 1, outside(1));
    ARMCI_Put(local, bases[0], 8, 1);
}

/* The next slice in memory: the message may say "outside" or "past the end". */
static void get_from_slice_of_another_rank(void) {
    expect("ARMCI_Get", text("argument src: 8 bytes at 0x%lx of rank 0", (long)bases[1]),
           "not all global memory", "rank 0's", NULL);
    ARMCI_Get(bases[1], local, 8, 0);
}

/* Memory of a group in which the target is not. */
static void put_to_rank_outside_group(void) {
    ARMCI_Group group;
    void* bases_of_group[1];
    ARMCI_Group_create(1, &my_rank, &group);
    check(ARMCI_Malloc_group(bases_of_group, 64, &group) == 0, "ARMCI_Malloc_group");
    expect_outside("ARMCI_Put", "dst", bases_of_group[0], 8, target, outside(target));
    ARMCI_Put(local, bases_of_group[0], 8, target);
}

static void put_to_local_memory(void) {
    void* memory = ARMCI_Malloc_local(64);
    expect_outside("ARMCI_Put", "dst", memory, 8, my_rank, outside(my_rank));
    ARMCI_Put(local, memory, 8, my_rank);
}

static void rmw_on_stack(void) {
    long word = 0;
    expect_outside("ARMCI_Rmw", "prem", &word, 8, my_rank, outside(my_rank));
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, local, &word, 1, my_rank);
}

/* No program may write to the library's own memory, wherever it is: here it is where a program's
 * memory was. */
static void put_to_mutex(void) {
    void* memory[2];
    check(ARMCI_Malloc(memory, 64) == 0, "ARMCI_Malloc");
    check(ARMCI_Free(memory[my_rank]) == 0, "ARMCI_Free");
    check(ARMCI_Create_mutexes(1) == 0, "ARMCI_Create_mutexes");
    if (is_last_rank()) {
        expect_outside("ARMCI_Put", "dst", memory[target], 8, target, outside(target));
        ARMCI_Put(local, memory[target], 8, target);
    }
}

/* The address is refused even if the program knows it. */
static void nearest_is_of_the_program(void) {
    check(ARMCI_Free(bases[my_rank]) == 0, "ARMCI_Free");
    if (is_last_rank()) {
        expect_outside("ARMCI_Put", "dst", slice, 8, target,
                       text("rank %d has no global memory at all", target));
        ARMCI_Put(local, slice, 8, target);
    }
}

static void put_to_empty_part(void) {
    void* memory[2];
    check(ARMCI_Malloc(memory, is_last_rank() ? 64 : 0) == 0, "ARMCI_Malloc");
    if (is_last_rank()) {
        expect_outside("ARMCI_Put", "dst", memory[0], 8, 0, "it asked for 0 bytes");
        ARMCI_Put(local, memory[0], 8, 0);
    }
}

/* Both ranks free it; only the last one uses it afterwards. */
static void use_after_free(void) {
    void* memory[2];
    check(ARMCI_Malloc(memory, 64) == 0, "ARMCI_Malloc");
    if (is_last_rank()) {
        ARMCI_Put(local, memory[target], 8, target);
    }
    check(ARMCI_Free(memory[my_rank]) == 0, "ARMCI_Free");
    if (is_last_rank()) {
        expect_outside("ARMCI_Put", "dst", memory[target], 8, target, outside(target));
        ARMCI_Put(local, memory[target], 8, target);
    }
}

static void use_after_free_of_far_memory(void) {
    use_after_free();
}

/* Everything was freed: there is no nearest memory that the message could name. */
static void use_without_memory(void) {
    check(ARMCI_Free(bases[my_rank]) == 0, "ARMCI_Free");
    if (is_last_rank()) {
        expect("ARMCI_Get", text("argument src: 8 bytes at 0x%lx of rank 0", (long)slice),
               "Pass an address inside what ARMCI_Malloc returned for that rank", NULL);
        ARMCI_Get(slice, local, 8, target);
    }
}

const struct Case address_cases[] = {
    CASE(put_past_end, LAST_RANK, NODE),
    CASE(put_past_end_of_far_memory, LAST_RANK, NODES),
    /* promise: errors.misuse, errors.outside */
    CHECK(get_past_end),
    /* promise: errors.misuse, errors.outside */
    CHECK(acc_past_end),
    CHECK(nb_get_past_end),
    CHECK(put_s_past_end),
    CHECK(get_s_before_begin),
    CHECK(acc_v_past_end),
    CASE(get_v_past_end, LAST_RANK, NODES),
    /* promise: errors.misuse, errors.outside */
    CHECK(rmw_past_end),
    CHECK(flag_past_end),
    CHECK(value_past_end),
    CHECK(put_before_begin),
    /* promise: errors.misuse, errors.outside */
    CHECK(put_nowhere),
    CHECK(get_at_end_of_address_space),
    CHECK(get_null),
    CASE(put_to_slice_of_another_rank, LAST_RANK, NODE),
    CASE(get_from_slice_of_another_rank, LAST_RANK, NODE),
    CASE(put_to_rank_outside_group, LAST_RANK, NODE),
    /* promise: malloc-local.private */
    CHECK(put_to_local_memory),
    CHECK(rmw_on_stack),
    CASE(put_to_mutex, ALL_RANKS, NODE),
    CASE(nearest_is_of_the_program, ALL_RANKS, NODES),
    CASE(put_to_empty_part, ALL_RANKS, NODE),
    CASE(use_after_free, ALL_RANKS, NODE),
    CASE(use_after_free_of_far_memory, ALL_RANKS, NODES),
    CASE(use_without_memory, ALL_RANKS, NODE),
    {0},
};
