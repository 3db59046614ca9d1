/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * leftover <how>: ranks that communicate by every kind of operation, and end normally after some
 * rounds (how = normal), by an error of the last rank (abort), or never (endless). Each rank adds
 * its process number to the file named by TEST_RECORD when it is in the middle of that.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "armci/armci.h"

enum { kRounds = 50, kBlockBytes = 256 * 1024 };

static int my_rank = 0;
static int rank_count = 1;

static void fail(const char* what) {
    fprintf(stderr, "FAILED on rank %d: %s\n", my_rank, what);
    exit(99);
}

static void tell_process_number(void) {
    const char* name = getenv("TEST_RECORD");
    char line[32];
    const int bytes = snprintf(line, sizeof line, "%d\n", (int)getpid());
    const int file = name != NULL ? open(name, O_WRONLY | O_APPEND) : -1;
    if (file < 0 || write(file, line, (size_t)bytes) != bytes) {
        fail("the test's record");
    }
    close(file);
}

/* Puts, gets, accumulates, counts and locks at the neighbour. */
static void communicate(void** slices, double* block) {
    const int neighbour = (my_rank + 1) % rank_count;
    char* first = slices[neighbour];
    double* second = (double*)(first + kBlockBytes);
    long* counter = (long*)(first + 2 * kBlockBytes);
    double one = 1.0;
    long before = 0;
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_NbPut(block, first, kBlockBytes, neighbour, &handle);
    ARMCI_Acc(ARMCI_ACC_DBL, &one, block, second, kBlockBytes, neighbour);
    ARMCI_Wait(&handle);
    ARMCI_Get(first, block, kBlockBytes, neighbour);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &before, counter, 1, neighbour);
    ARMCI_Lock(0, neighbour);
    ARMCI_Put(&before, counter + 1, sizeof before, neighbour);
    ARMCI_Unlock(0, neighbour);
    ARMCI_Fence(neighbour);
}

int main(int argc, char** argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s normal | abort | endless\n", argv[0]);
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
    if (ARMCI_Init() != 0) {
        fail("ARMCI_Init");
    }
    void** slices = calloc((size_t)rank_count, sizeof *slices);
    double* block = ARMCI_Malloc_local(kBlockBytes);
    if (slices == NULL || block == NULL || ARMCI_Malloc(slices, 3 * kBlockBytes) != 0 ||
        ARMCI_Create_mutexes(1) != 0) {
        fail("memory or mutexes");
    }
    memset(block, 0, kBlockBytes);
    for (int round = 0; round < kRounds || strcmp(argv[1], "endless") == 0; round++) {
        communicate(slices, block);
        if (round == 2) {
            tell_process_number();
        }
        if (round == kRounds / 2 && strcmp(argv[1], "abort") == 0 && my_rank == rank_count - 1) {
            ARMCI_Error("on purpose", 7);
        }
    }
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    ARMCI_Free(slices[my_rank]);
    ARMCI_Free_local(block);
    ARMCI_Finalize();
    MPI_Finalize();
    return 0;
}
