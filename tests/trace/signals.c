/* SPDX-License-Identifier: BSD-3-Clause */
/* What a job does when a signal arrives: rank 0 puts to the last rank, then the ranks print their
 * process numbers and act by the argument until they are ended.
 *
 *     signals compute     no call of the library any more; all sleep
 *     signals wait        rank 0 sleeps, the others wait in ARMCI_Barrier
 *     signals serve       rank 0 puts and fences all the time, the others sleep
 *     signals handler     as compute, with a SIGTERM handler of the program's that ends it with
 * status 42
 */
#include <armci.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kBytes = 1 << 20 };

static void leave(int signal) {
    _exit(signal == SIGTERM ? 42 : 43);
}

int main(int argc, char** argv) {
    if (argc != 3) {
        return 2;
    }
    const char* what = argv[1];
    int rank = 0;
    int size = 0;
    void* bases[64];
    char name[4096];
    MPI_Init(&argc, &argv);
    if (strcmp(what, "handler") == 0) {
        signal(SIGTERM, leave);
    }
    ARMCI_Init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ARMCI_Malloc(bases, kBytes);
    char* local = calloc(kBytes, 1);
    ARMCI_Barrier();
    if (rank == 0) {
        ARMCI_Put(local, bases[size - 1], kBytes, size - 1);
        ARMCI_Fence(size - 1);
    }
    ARMCI_Barrier();
    /* The file is complete when it has its final name. */
    snprintf(name, sizeof name, "%s/ready.%d.part", argv[2], rank);
    FILE* file = fopen(name, "w");
    fprintf(file, "%d\n", (int)getpid());
    fclose(file);
    char last[4096];
    snprintf(last, sizeof last, "%s/ready.%d", argv[2], rank);
    rename(name, last);
    if (strcmp(what, "wait") == 0 && rank > 0) {
        ARMCI_Barrier();
    }
    while (1) {
        if (strcmp(what, "serve") == 0 && rank == 0) {
            ARMCI_Put(local, bases[size - 1], kBytes, size - 1);
            ARMCI_Fence(size - 1);
        } else {
            usleep(100000);
        }
    }
}
