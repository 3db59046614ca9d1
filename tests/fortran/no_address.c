/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Local arrays without an address. The bounds of one that is not allocated are undefined, so this
 * makes the descriptors itself. ARMCI_PutS and ARMCI_Error are defined here: nothing moves, the
 * program goes on after an error, and the library is not started.
 */
#include <armci/armci.h>
#include <mpi.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "descriptor.h"

void armci_fortran_put(const CFI_cdesc_t* local, void* remote, int rank);

static jmp_buf after_error;
static char error[256];
static int transfers;

int ARMCI_PutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[],
               int stride_levels, int proc) {
    (void)src_ptr, (void)src_stride_ar, (void)dst_ptr, (void)dst_stride_ar;
    (void)count, (void)stride_levels, (void)proc;
    ++transfers;
    return 0;
}

void ARMCI_Error(const char* message, int code) {
    (void)code;
    snprintf(error, sizeof error, "%s", message);
    longjmp(after_error, 1);
}

static void put(int rank, const CFI_dim_t* dim) {
    static char remote[kElementBytes];
    descriptor storage;
    error[0] = '\0';
    if (setjmp(after_error) == 0) {
        armci_fortran_put(describe(&storage, NULL, rank, dim), remote, 0);
    }
}

static int failures;

static void expect_error(const char* what, int rank, const CFI_dim_t* dim) {
    put(rank, dim);
    if (strcmp(error,
               "armci_put, argument local, rank 0: the array is not allocated, or was not "
               "given") != 0) {
        fprintf(stderr, "%s: the message is \"%s\"\n", what, error);
        ++failures;
    }
}

static void expect_nothing(const char* what, int rank, const CFI_dim_t* dim) {
    put(rank, dim);
    if (error[0] != '\0') {
        fprintf(stderr, "%s: the message is \"%s\"\n", what, error);
        ++failures;
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const CFI_dim_t looks_empty[] = {{0, 0, 0x7ffd2fe0}, {0, 3, kElementBytes}};
    const CFI_dim_t negative[] = {{0, -0x55d0c000, kElementBytes}, {0, 0, kElementBytes}};
    const CFI_dim_t unknown_size[] = {{0, 0, kElementBytes}, {0, -1, kElementBytes}};
    const CFI_dim_t one[] = {{0, 1, kElementBytes}, {0, 1, kElementBytes}};
    expect_error("looks empty", 1, looks_empty);
    expect_error("looks empty, two dimensions", 2, looks_empty);
    expect_error("a negative extent", 1, negative);
    expect_error("a negative extent and an empty one", 2, negative);
    expect_error("looks like an unknown size", 2, unknown_size);
    expect_error("one element", 1, one);
    expect_error("one element, two dimensions", 2, one);
    expect_error("a scalar", 0, one);
    /* As c_f_pointer makes them from a null address. */
    const CFI_dim_t no_rows[] = {{0, 0, kElementBytes}, {0, 4, 0}};
    const CFI_dim_t no_columns[] = {{0, 4, kElementBytes}, {0, 0, 4 * kElementBytes}};
    expect_nothing("an empty share", 1, no_rows);
    expect_nothing("a share without rows", 2, no_rows);
    expect_nothing("a share without columns", 2, no_columns);
    if (transfers != 0) {
        fprintf(stderr, "%d transfers\n", transfers);
        ++failures;
    }
    MPI_Finalize();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
