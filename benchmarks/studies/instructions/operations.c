/* SPDX-License-Identifier: BSD-3-Clause */
/* Small operations of one rank on the memory of another one of its node, for any ARMCI, each
 * repeated. callgrind counts the instructions of each (count.py).
 *
 * Rank 0 runs under callgrind and is the last to come to every barrier, because it is far slower
 * than the others. So no instructions of a wait are counted.
 */
#include <mpi.h>

#include <armci.h>
#include <message.h>
#include <stdio.h>
#include <string.h>
#include <valgrind/callgrind.h>

enum { kTimes = 1000, kWarmUp = 10, kRows = 8, kBytes = 8, kSlice = 4096 };

static void* slices[64];
static double local[kRows * 4];
static double scale = 2.0;
static int local_stride = kBytes;
static int remote_stride = 4 * kBytes;
static int rows[2] = {kBytes, kRows};
static long fetched;
static armci_hdl_t handle;

static void* word(void) {
    return slices[1];
}

/* The operations; `fence` has nothing to wait for. */
static void put(void) {
    ARMCI_Put(local, word(), kBytes, 1);
}
static void get(void) {
    ARMCI_Get(word(), local, kBytes, 1);
}
static void acc(void) {
    ARMCI_Acc(ARMCI_ACC_DBL, &scale, local, word(), kBytes, 1);
}
static void fetch_add(void) {
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &fetched, word(), 1, 1);
}
static void put_rows(void) {
    ARMCI_PutS(local, &local_stride, word(), &remote_stride, rows, 1, 1);
}
static void nb_put_wait(void) {
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_NbPut(local, word(), kBytes, 1, &handle);
    ARMCI_Wait(&handle);
}
static void fence(void) {
    ARMCI_Fence(1);
}
static void put_fence(void) {
    ARMCI_Put(local, word(), kBytes, 1);
    ARMCI_Fence(1);
}
static void lock_unlock(void) {
    ARMCI_Lock(0, 1);
    ARMCI_Unlock(0, 1);
}
static void barrier(void) {
    ARMCI_Barrier();
}

static const struct Operation {
    const char* name;
    void (*perform)(void);
    int is_collective;
} operations[] = {
    {"put", put, 0},
    {"get", get, 0},
    {"acc", acc, 0},
    {"fetch-add", fetch_add, 0},
    {"put 8 rows", put_rows, 0},
    {"NbPut, Wait", nb_put_wait, 0},
    {"fence", fence, 0},
    {"put, fence", put_fence, 0},
    {"lock, unlock", lock_unlock, 0},
    {"barrier", barrier, 1},
};

int main(int argc, char** argv) {
    int level = 0;
    /* One of ComEx's libraries needs all of it; the others take what they are given. */
    const int wanted =
        argc > 1 && strcmp(argv[1], "multiple") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    size_t i = 0;
    int time = 0;
    int me = 0;
    MPI_Init_thread(&argc, &argv, wanted, &level);
    ARMCI_Init();
    me = armci_msg_me();
    if (armci_msg_nproc() < 2) {
        fprintf(stderr, "operations: start two ranks at least\n");
        ARMCI_Error("too few ranks", 1);
    }
    ARMCI_Malloc(slices, kSlice);
    ARMCI_Create_mutexes(1);
    if (me == 1) {
        memset(slices[1], 0, kSlice);
    }
    for (i = 0; i < sizeof operations / sizeof operations[0]; ++i) {
        const struct Operation* operation = &operations[i];
        ARMCI_Barrier();
        if (me != 0 && !operation->is_collective) {
            continue;
        }
        for (time = 0; time < kWarmUp; ++time) {
            operation->perform();
        }
        if (me == 0) {
            CALLGRIND_ZERO_STATS;
        }
        for (time = 0; time < kTimes; ++time) {
            operation->perform();
        }
        if (me == 0) {
            CALLGRIND_DUMP_STATS_AT(operation->name);
        }
    }
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    ARMCI_Free(slices[me]);
    ARMCI_Finalize();
    MPI_Finalize();
    return 0;
}
