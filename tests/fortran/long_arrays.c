/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays with more elements than an int can count. ARMCI_PutS is defined here: it looks at what it
 * is asked for, and nothing moves. So no memory is needed, and the library is not started.
 */
#include <armci/armci.h>
#include <stdio.h>
#include <stdlib.h>

#include "descriptor.h"

void armci_fortran_put(const CFI_cdesc_t* local, void* remote, int rank);

enum { kMaxCalls = 100 };

static const ptrdiff_t kMany = ((ptrdiff_t)1 << 31) + 5;
static char* const local = (char*)0x100000000;
static char* const remote = (char*)0x200000000000;

static int calls;
static ptrdiff_t passed; /* elements of the long dimension */
static int long_level;
static int other_count; /* of the elements in one block or the other level */
static ptrdiff_t local_step, remote_step;

static void check(int holds, const char* what) {
    if (!holds) {
        fprintf(stderr, "wrong: %s, in call %d\n", what, calls);
        exit(1);
    }
}

int ARMCI_PutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[],
               int stride_levels, int proc) {
    check(++calls <= kMaxCalls, "so many calls");
    check(proc == 7, "the rank");
    check((char*)src_ptr == local + passed * local_step, "the local address");
    check((char*)dst_ptr == remote + passed * remote_step, "the remote address");
    ptrdiff_t bytes = count[0];
    for (int level = 1; level <= stride_levels; ++level) {
        bytes *= count[level];
    }
    check(stride_levels >= long_level, "the levels");
    check(bytes == (ptrdiff_t)count[long_level] * other_count * kElementBytes, "the bytes");
    check(src_stride_ar[long_level - 1] == local_step, "the local stride");
    check(dst_stride_ar[long_level - 1] == remote_step, "the remote stride");
    check(count[long_level] > 0, "the count");
    passed += count[long_level];
    return 0;
}

static void put(int rank, const CFI_dim_t* dim) {
    descriptor storage;
    calls = 0;
    passed = 0;
    armci_fortran_put(describe(&storage, local, rank, dim), remote, 7);
    check(passed == kMany, "the elements together");
}

int main(void) {
    /* a(:) */
    const CFI_dim_t whole[] = {{0, kMany, kElementBytes}};
    long_level = 1;
    other_count = 1;
    local_step = kElementBytes;
    remote_step = kElementBytes;
    put(1, whole);
    /* a(1::3) */
    const CFI_dim_t section[] = {{0, kMany, 3 * kElementBytes}};
    local_step = 3 * kElementBytes;
    put(1, section);
    /* a(1:4, :) of an array with 6 rows */
    const CFI_dim_t rows[] = {{0, 4, kElementBytes}, {0, kMany, 6 * kElementBytes}};
    other_count = 4;
    local_step = 6 * kElementBytes;
    remote_step = 4 * kElementBytes;
    put(2, rows);
    /* a(1:4:2, :), backwards in its second dimension */
    const CFI_dim_t levels[] = {{0, 2, 2 * kElementBytes}, {0, kMany, -6 * kElementBytes}};
    long_level = 2;
    other_count = 2;
    local_step = -6 * kElementBytes;
    remote_step = 2 * kElementBytes;
    put(2, levels);
    return 0;
}
