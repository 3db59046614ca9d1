/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * first_contact: each rank adds a line to the file named by TEST_RECORD when the library is up, and
 * waits until the one named by TEST_GO exists. Only then it puts to all ranks, for the first time.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "armci/armci.h"

static int rank = 0;

static void fail(const char* what) {
    fprintf(stderr, "FAILED on rank %d: %s\n", rank, what);
    exit(99);
}

static const char* file_of(const char* variable) {
    const char* name = getenv(variable);
    if (name == NULL) {
        fail(variable);
    }
    return name;
}

int main(int argc, char** argv) {
    int size = 0;
    char line[24];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int** slices = malloc((size_t)size * sizeof *slices);
    const armci_size_t bytes = (armci_size_t)((size_t)size * sizeof **slices);
    if (slices == NULL || ARMCI_Init() != 0 || ARMCI_Malloc((void**)slices, bytes) != 0) {
        fail("the start");
    }
    const int length = snprintf(line, sizeof line, "%d\n", rank);
    const int record = open(file_of("TEST_RECORD"), O_WRONLY | O_APPEND);
    if (record < 0 || write(record, line, (size_t)length) != length) {
        fail("the test's record");
    }
    close(record);
    while (access(file_of("TEST_GO"), F_OK) != 0) {
        usleep(10000);
    }
    for (int target = 0; target < size; target++) {
        ARMCI_Put(&rank, slices[target] + rank, (int)sizeof rank, target);
    }
    ARMCI_Barrier();
    for (int origin = 0; origin < size; origin++) {
        if (slices[rank][origin] != origin) {
            fail("a word that was put");
        }
    }
    ARMCI_Free(slices[rank]);
    ARMCI_Finalize();
    MPI_Finalize();
    free(slices);
    return 0;
}
