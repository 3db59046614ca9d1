/*
 * hang <what>: ranks that wait for what never comes, or comes late. Rank 0 holds a mutex and never
 * lets go of it (mutex), or only after two seconds (late); rank 1 waits for it; rank 2 waits at a
 * barrier; the others compute.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "armci/armci.h"

static void compute(int seconds) {
    const time_t end = time(NULL) + seconds;
    while (time(NULL) < end) {
        const struct timespec moment = {0, 1000000};
        nanosleep(&moment, NULL);
    }
}

int main(int argc, char** argv) {
    int rank = 0;
    if (argc != 2) {
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (ARMCI_Init() != 0 || ARMCI_Create_mutexes(1) != 0) {
        fprintf(stderr, "FAILED on rank %d\n", rank);
        return 99;
    }
    if (rank == 0) {
        ARMCI_Lock(0, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        compute(strcmp(argv[1], "late") == 0 ? 2 : 1000);
        ARMCI_Unlock(0, 0);
    } else if (rank == 1) {
        ARMCI_Lock(0, 0);
        ARMCI_Unlock(0, 0);
    } else if (rank == 2) {
        /* At the barrier below. */
    } else {
        compute(3);
    }
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    ARMCI_Finalize();
    MPI_Finalize();
    return 0;
}
