/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checking mode (ARMCI_CHECK): handles that were never initialised, and destinations with blocks
 * that overlap. Inside a node and between nodes.
 */
#include <stdlib.h>
#include <string.h>

#include "bad_call.h"

enum { kBlock = 64 };

static void start_with(const char* mode) {
    setenv("ARMCI_CHECK", mode, 1);
    start_library();
}

/* ---- Handles ---- */

static armci_hdl_t garbage(void) {
    armci_hdl_t handle;
    memset(&handle, 0x5a, sizeof handle);
    return handle;
}

static void expect_handle(void (*expect_this)(const char*, ...), const char* function) {
    expect_this(function, "argument hdl: the words 1515870810 and 1515870810 were never a handle",
                "call ARMCI_INIT_HANDLE", NULL);
}

static void wait_for_garbage(void) {
    start_with("1");
    if (is_last_rank()) {
        armci_hdl_t handle = garbage();
        expect_handle(expect, "ARMCI_Wait");
        ARMCI_Wait(&handle);
    }
    ARMCI_Barrier();
}

static void start_on_garbage(void) {
    start_with("1");
    if (is_last_rank()) {
        armci_hdl_t handle = garbage();
        expect_handle(expect, "ARMCI_NbPutS");
        int count[1] = {kBlock};
        ARMCI_NbPutS(local, NULL, slice, NULL, count, 0, target, &handle);
    }
    ARMCI_Barrier();
}

/* Each goes on as without checking mode. */
static void garbage_is_warned_about(void) {
    start_with("warn");
    expect_status(0);
    if (is_last_rank()) {
        armci_hdl_t handle = garbage();
        expect_handle(expect_warning, "ARMCI_Test");
        check(ARMCI_Test(&handle) == 0, "nothing to wait for");
        handle = garbage();
        expect_handle(expect_warning, "ARMCI_NbGet");
        ARMCI_NbGet(slice, local, kBlock, target, &handle);
        ARMCI_Wait(&handle);
        memset(&handle, 0xff, sizeof handle);
        expect_warning("ARMCI_Wait", "the words -1 and -1 were never a handle", NULL);
        ARMCI_Wait(&handle);
    }
    stop_library();
}

/* ---- Destinations ---- */

static void expect_overlap(const char* function, int bytes, const void* at, int rank) {
    expect_warning(
        function,
        text("blocks of the destination overlap: %d bytes at 0x%lx of rank %d are written", bytes,
             (unsigned long)at, rank),
        "any of the values may stay", "let strides be at least as long", NULL);
}

static void overlap_strided(void) {
    int close = kBlock - 16;
    int wide = 2 * kBlock;
    int none = 0;
    int back = -kBlock + 8;
    int count[2] = {kBlock, 4};
    expect_overlap("ARMCI_PutS", 16, slice + close, target);
    ARMCI_PutS(local, &wide, slice, &close, count, 1, target);
    expect_overlap("ARMCI_GetS", 16, local + close, my_rank);
    ARMCI_GetS(slice, &wide, local, &close, count, 1, target);
    expect_overlap("ARMCI_PutS", kBlock, slice, target);
    ARMCI_PutS(local, &wide, slice, &none, count, 1, target);
    expect_overlap("ARMCI_NbGetS", 8, local + 1024, my_rank);
    ARMCI_NbGetS(slice, &wide, local + 1024, &back, count, 1, target, NULL);
    ARMCI_WaitAll();
    /* Planes that begin inside each other: blocks 0 and 2 of one are blocks of the next. */
    int rows[2] = {2 * kBlock, 4 * kBlock};
    int apart[2] = {2 * kBlock, 16 * kBlock};
    int planes[3] = {kBlock, 4, 2};
    expect_overlap("ARMCI_PutS", kBlock, slice + 4 * kBlock, target);
    ARMCI_PutS(local, apart, slice, rows, planes, 2, target);
}

static void overlap_vector(void) {
    enum { kSegments = 3 };
    void* there[kSegments] = {slice, slice + 512, slice + 512 + kBlock - 4};
    void* here[kSegments] = {local, local + 512, local + 1024};
    armci_giov_t put = {
        .src_ptr_array = here, .dst_ptr_array = there, .ptr_array_len = kSegments, .bytes = kBlock};
    expect_overlap("ARMCI_PutV", 4, there[2], target);
    ARMCI_PutV(&put, 1, target);
    here[2] = here[0];
    armci_giov_t get = {
        .src_ptr_array = there, .dst_ptr_array = here, .ptr_array_len = kSegments, .bytes = kBlock};
    expect_overlap("ARMCI_NbGetV", kBlock, local, my_rank);
    ARMCI_NbGetV(&get, 1, target, NULL);
    ARMCI_WaitAll();
}

/* The library allows them, so the job goes on. */
static void destination_overlaps(void) {
    start_with("1");
    expect_status(0);
    if (is_last_rank()) {
        overlap_strided();
        overlap_vector();
    }
    stop_library();
}

/* ---- Done right ---- */

static void use_handles_right(void) {
    static armci_hdl_t cleared; /* zeros */
    ARMCI_Wait(&cleared);
    ARMCI_NbPut(local, slice, kBlock, target, &cleared);
    armci_hdl_t copy = cleared;
    ARMCI_Wait(&cleared);
    ARMCI_Wait(&copy); /* complete, and forgotten by the library */
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    for (int i = 0; i < 4; i++) {
        ARMCI_NbPut(local, slice + i * kBlock, kBlock, target, &handle);
    }
    ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
    ARMCI_Wait(&handle);
    check(ARMCI_Test(&handle) == 0, "an idle handle");
}

/* Sources may overlap, and blocks may lie between others, or beside them. */
static void write_apart_right(void) {
    int none = 0;
    int beside = kBlock;
    int back = -kBlock;
    int count[2] = {kBlock, 8};
    ARMCI_PutS(local, &none, slice, &beside, count, 1, target);
    ARMCI_GetS(slice, &none, local, &beside, count, 1, target);
    ARMCI_PutS(local, &beside, slice + 7 * kBlock, &back, count, 1, target);
    /* The second level steps less far than the first one. */
    int between[2] = {4 * kBlock, kBlock};
    int dense[2] = {4 * kBlock, 16 * kBlock};
    int planes[3] = {kBlock, 4, 4};
    ARMCI_PutS(local, between, slice, between, planes, 2, target);
    ARMCI_GetS(slice, between, local, between, planes, 2, target);
    /* A level that happens once has no stride. */
    int once[3] = {kBlock, 4, 1};
    int unused[2] = {kBlock, 0};
    ARMCI_PutS(local, dense, slice, unused, once, 2, target);
    /* An accumulate adds all. */
    double scale = 1.0;
    ARMCI_AccS(ARMCI_ACC_DBL, &scale, local, &beside, slice, &none, count, 1, target);
    void* here[3] = {local, local, local};
    void* there[3] = {slice + 2 * kBlock, slice, slice + kBlock};
    armci_giov_t vector = {
        .src_ptr_array = here, .dst_ptr_array = there, .ptr_array_len = 3, .bytes = kBlock};
    ARMCI_PutV(&vector, 1, target);
}

static void correct_transfers(void) {
    start_with("1");
    expect_status(0);
    if (is_last_rank()) {
        use_handles_right();
        write_apart_right();
    }
    stop_library();
}

const struct Case checked_transfer_cases[] = {
    CASE(wait_for_garbage, ON_ITS_OWN, NODE),       CASE(start_on_garbage, ON_ITS_OWN, ANY),
    CASE(garbage_is_warned_about, ON_ITS_OWN, ANY), CASE(destination_overlaps, ON_ITS_OWN, ANY),
    CASE(correct_transfers, ON_ITS_OWN, ANY),       {0},
};
