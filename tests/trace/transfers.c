/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations that a timeline shows: the first of two ranks operates on the second's memory.
 *
 *     transfers move     a strided put, accumulate and get of 8 MiB each, and checks the data
 *     transfers copies   the same non-blocking, without looking at the data
 *     transfers many     more small puts than a timeline has room for, in the directory "elsewhere"
 *     transfers learn    puts of the second rank to the first, from which it learns their costs
 *     transfers fail     the put, and ends the job with an error
 *     transfers twice    the put, with the library started twice, and a SIGUSR2 after each end
 *     transfers twice D  the same, with the second start in the directory D
 */
#include <armci.h>
#include <locale.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kRows = 1024, kRowDoubles = 1024, kSmallPuts = 150000 };

static int count[2] = {kRowDoubles * sizeof(double), kRows};
static int packed = kRowDoubles * sizeof(double);
static int apart = 2 * kRowDoubles * sizeof(double);

static void put(double* local, double* remote) {
    ARMCI_PutS(local, &packed, remote, &apart, count, 1, 1);
    ARMCI_Fence(1);
}

static int move(double* local, double* remote) {
    double two = 2.0;
    int right = 1;
    for (int i = 0; i < kRows * kRowDoubles; ++i) {
        local[i] = i;
    }
    put(local, remote);
    ARMCI_AccS(ARMCI_ACC_DBL, &two, local, &packed, remote, &apart, count, 1, 1);
    ARMCI_Fence(1);
    memset(local, 0, sizeof(double) * kRows * kRowDoubles);
    ARMCI_GetS(remote, &apart, local, &packed, count, 1, 1);
    for (int i = 0; i < kRows * kRowDoubles; ++i) {
        right = right && local[i] == 3.0 * i;
    }
    return right;
}

static void start_each(double* local, double* remote) {
    double two = 2.0;
    ARMCI_NbPutS(local, &packed, remote, &apart, count, 1, 1, NULL);
    ARMCI_WaitAll();
    ARMCI_NbAccS(ARMCI_ACC_DBL, &two, local, &packed, remote, &apart, count, 1, 1, NULL);
    ARMCI_WaitAll();
    ARMCI_NbGetS(remote, &apart, local, &packed, count, 1, 1, NULL);
    ARMCI_WaitAll();
}

static void enter(const char* directory) {
    if (chdir(directory) != 0) {
        perror(directory);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static int run(const char* what) {
    int rank = 0;
    int right = 1;
    void* bases[4]; /* no job has more ranks */
    ARMCI_Init();
    if (strcmp(what, "many") == 0) {
        enter("elsewhere");
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ARMCI_Malloc(bases, sizeof(double) * 2 * kRows * kRowDoubles);
    double* local = calloc(kRows * kRowDoubles, sizeof(double));
    if (rank == 0 && strcmp(what, "move") == 0) {
        right = move(local, bases[1]);
    } else if (rank == 0 && strcmp(what, "many") == 0) {
        for (int i = 0; i < kSmallPuts; ++i) {
            ARMCI_NbPut(local, bases[1], sizeof(double), 1, NULL);
        }
        ARMCI_WaitAll();
    } else if (rank == 0 && strcmp(what, "copies") == 0) {
        start_each(local, bases[1]);
    } else if (rank == 1 && strcmp(what, "learn") == 0) {
        for (int i = 0; i < 20; ++i) {
            ARMCI_Put(local, bases[0], kRows * kRowDoubles, 0);
            ARMCI_Fence(0);
        }
    } else if (rank == 0 && strcmp(what, "fail") == 0) {
        put(local, bases[1]);
        ARMCI_Error("on purpose", 3);
    } else if (rank == 0 && strcmp(what, "twice") == 0) {
        put(local, bases[1]);
    }
    ARMCI_Barrier();
    ARMCI_Free(bases[rank]);
    ARMCI_Finalize();
    free(local);
    return right;
}

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    setlocale(LC_NUMERIC, ""); /* as programs with a user interface do */
    MPI_Init(&argc, &argv);
    int right = run(what);
    if (strcmp(what, "twice") == 0) {
        raise(SIGUSR2);
        if (argc > 2) {
            enter(argv[2]);
        }
        right = run(what);
        raise(SIGUSR2);
    }
    MPI_Finalize();
    if (!right) {
        fprintf(stderr, "transfers: the data is wrong\n");
    }
    return right ? 0 : 1;
}
