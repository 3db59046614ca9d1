/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * late_server <seconds>: the last rank computes for so long before it is in the library again,
 * while the others put to it for the first time. With ARMCI_PROGRESS_THREAD=0 its data server
 * answers no rank meanwhile, like that of a stopped process.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "armci/armci.h"

int main(int argc, char** argv) {
    int rank = 0;
    int size = 0;
    if (argc != 2) {
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int** slices = malloc((size_t)size * sizeof *slices);
    const armci_size_t bytes = (armci_size_t)((size_t)size * sizeof **slices);
    if (slices == NULL || ARMCI_Init() != 0 || ARMCI_Malloc((void**)slices, bytes) != 0) {
        fprintf(stderr, "FAILED on rank %d\n", rank);
        return 99;
    }
    const int last = size - 1;
    if (rank == last) {
        sleep((unsigned)atoi(argv[1]));
    } else {
        ARMCI_Put(&rank, slices[last] + rank, (int)sizeof rank, last);
    }
    ARMCI_Barrier();
    for (int origin = 0; rank == last && origin < last; origin++) {
        if (slices[last][origin] != origin) {
            fprintf(stderr, "FAILED: rank %d's word is %d\n", origin, slices[last][origin]);
            return 99;
        }
    }
    ARMCI_Free(slices[rank]);
    ARMCI_Finalize();
    MPI_Finalize();
    free(slices);
    return 0;
}
