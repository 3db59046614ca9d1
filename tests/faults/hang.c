/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hang <what>: ranks that wait for something that never happens, or happens late. Rank 0 holds a
 * mutex. It never releases it (never), or only when the library has reported on standard error that
 * it does not wait (late), or at once (soon). Rank 1 waits for the mutex, rank 2 waits at a
 * barrier, and rank 3 computes as long as rank 0. Or rank 3 computes without end, and the others
 * wait for it: to make a group in one of these ways (group, split, dup), at a barrier (barrier), in
 * another collective call (malloc, free, sum, broadcast, mutexes), or for its data server (put).
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "armci/armci.h"
#include "armci/armcix.h"
#include "armci/message.h"

/* Waits until something has been written to standard error, which is then passed on. */
static void compute_until_told(void) {
    const int standard_error = dup(STDERR_FILENO);
    int ends[2];
    char text[4096];
    ssize_t bytes = 0;
    if (standard_error < 0 || pipe(ends) != 0 || dup2(ends[1], STDERR_FILENO) < 0) {
        abort();
    }
    close(ends[1]);
    bytes = read(ends[0], text, sizeof text);
    dup2(standard_error, STDERR_FILENO); /* closes the other end of the pipe */
    close(standard_error);
    for (; bytes > 0; bytes = read(ends[0], text, sizeof text)) {
        fwrite(text, 1, (size_t)bytes, stderr);
    }
    close(ends[0]);
}

static void keep_busy(const char* what) {
    if (strcmp(what, "late") == 0) {
        compute_until_told();
    } else if (strcmp(what, "soon") != 0) {
        for (;;) {
            pause();
        }
    }
}

static void meet(const char* what, void** slices, void* memory) {
    int all[] = {0, 1, 2, 3};
    ARMCI_Group world;
    ARMCI_Group group;
    ARMCI_Group_get_world(&world);
    if (strcmp(what, "group") == 0) {
        ARMCI_Group_create(4, all, &group);
    } else if (strcmp(what, "split") == 0) {
        ARMCIX_Group_split(&world, 0, 0, &group);
    } else if (strcmp(what, "dup") == 0) {
        ARMCIX_Group_dup(&world, &group);
    } else if (strcmp(what, "barrier") == 0) {
        ARMCI_Barrier();
    } else if (strcmp(what, "malloc") == 0) {
        void* more[4];
        ARMCI_Malloc(more, 64);
    } else if (strcmp(what, "free") == 0) {
        ARMCI_Free(memory);
    } else if (strcmp(what, "sum") == 0) {
        armci_msg_igop(all, 4, "+");
    } else if (strcmp(what, "broadcast") == 0) {
        armci_msg_brdcst(all, (int)sizeof all, 3);
    } else if (strcmp(what, "mutexes") == 0) {
        ARMCIX_Create_mutexes_hdl(1, &world);
    } else if (strcmp(what, "put") == 0) {
        ARMCI_Put(all, slices[3], (int)sizeof all, 3);
    }
}

int main(int argc, char** argv) {
    int rank = 0;
    void* memory[4];
    if (argc != 2) {
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (ARMCI_Init() != 0 || ARMCI_Create_mutexes(1) != 0 || ARMCI_Malloc(memory, 64) != 0) {
        fprintf(stderr, "FAILED on rank %d\n", rank);
        return 99;
    }
    if (rank == 0) {
        ARMCI_Lock(0, 0);
    }
    ARMCI_Put(&rank, memory[3], (int)sizeof rank, 3); /* connects, if that is needed */
    ARMCI_Barrier();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 3) {
        meet(argv[1], memory, memory[rank]);
    }
    if (rank == 0) {
        keep_busy(argv[1]);
        ARMCI_Unlock(0, 0);
    } else if (rank == 1) {
        ARMCI_Lock(0, 0);
        ARMCI_Unlock(0, 0);
    } else if (rank == 3) {
        keep_busy(argv[1]);
    }
    ARMCI_Barrier();
    ARMCI_Free(memory[rank]);
    ARMCI_Destroy_mutexes();
    ARMCI_Finalize();
    MPI_Finalize();
    return 0;
}
