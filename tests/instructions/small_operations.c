/* SPDX-License-Identifier: BSD-3-Clause */
/* Each small operation between two places of one rank's node, over and over: what callgrind counts.
 * With the argument "multiple" at MPI_THREAD_MULTIPLE.
 */
#include <armci.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kTimes = 1000, kBlockBytes = 8, kBlocks = 8 };

/* What the cases below work on. Each has a word of global memory of its own. */
static int rank;
static double scale = 2.0;
static double local[64] = {1.0};
static int stride = 2 * kBlockBytes;
static int count[2] = {kBlockBytes, kBlocks};
static int one_block[2] = {kBlockBytes, 1};
static armci_hdl_t handle;
static armci_giov_t one_segment;
static void* local_segment;
static void* remote_segment;

/* Forms of operations. A limit with the name of a case is for its calls of the library together. */
#define CASE(name, ...)                                        \
    static __attribute__((noinline)) void name(double* word) { \
        (void)word;                                            \
        __VA_ARGS__;                                           \
    }
#define TYPE_AND_SCALE ARMCI_ACC_DBL, &scale

CASE(PutS_0_levels, ARMCI_PutS(local, NULL, word, NULL, count, 0, rank))
CASE(GetS_0_levels, ARMCI_GetS(word, NULL, local + 1, NULL, count, 0, rank))
CASE(AccS_0_levels, ARMCI_AccS(TYPE_AND_SCALE, local, NULL, word, NULL, count, 0, rank))
CASE(AccS_1_level, ARMCI_AccS(TYPE_AND_SCALE, local, &stride, word, &stride, one_block, 1, rank))

CASE(NbGet_implicit, ARMCI_NbGet(word, local + 1, 8, rank, NULL))
CASE(NbAcc_implicit, ARMCI_NbAcc(TYPE_AND_SCALE, local, word, 8, rank, NULL))
CASE(NbPut_handle, ARMCI_NbPut(local, word, 8, rank, &handle))
CASE(NbGet_handle, ARMCI_NbGet(word, local + 1, 8, rank, &handle))
CASE(NbAcc_handle, ARMCI_NbAcc(TYPE_AND_SCALE, local, word, 8, rank, &handle))

CASE(NbPutS_0_levels, ARMCI_NbPutS(local, NULL, word, NULL, count, 0, rank, NULL))
CASE(NbGetS_0_levels, ARMCI_NbGetS(word, NULL, local + 1, NULL, count, 0, rank, NULL))
CASE(NbAccS_0_levels, ARMCI_NbAccS(TYPE_AND_SCALE, local, NULL, word, NULL, count, 0, rank, NULL))
CASE(NbPutS_0_handle, ARMCI_NbPutS(local, NULL, word, NULL, count, 0, rank, &handle))
CASE(NbGetS_0_handle, ARMCI_NbGetS(word, NULL, local + 1, NULL, count, 0, rank, &handle))
CASE(NbAccS_0_handle,
     ARMCI_NbAccS(TYPE_AND_SCALE, local, NULL, word, NULL, count, 0, rank, &handle))
CASE(NbAccS_1_handle,
     ARMCI_NbAccS(TYPE_AND_SCALE, local, &stride, word, &stride, one_block, 1, rank, &handle))

CASE(PutV_1_segment, remote_segment = word; ARMCI_PutV(&one_segment, 1, rank))
CASE(AccV_1_segment, remote_segment = word; ARMCI_AccV(TYPE_AND_SCALE, &one_segment, 1, rank))
CASE(NbPutV_1_segment, remote_segment = word; ARMCI_NbPutV(&one_segment, 1, rank, NULL))

CASE(Wait_idle, ARMCI_Wait(&handle))
CASE(Test_idle, ARMCI_Test(&handle))
CASE(WaitProc_idle, ARMCI_WaitProc(rank))
CASE(WaitAll_idle, ARMCI_WaitAll())
CASE(start_and_wait, ARMCI_INIT_HANDLE(&handle); ARMCI_NbGet(word, local + 1, 8, rank, &handle);
     ARMCI_Wait(&handle))

enum Effect { none, put, added };
static const struct {
    void (*run)(double*);
    enum Effect effect; /* on its word */
} cases[] = {
    {PutS_0_levels, put},     {GetS_0_levels, none},   {AccS_0_levels, added},
    {AccS_1_level, added},    {NbGet_implicit, none},  {NbAcc_implicit, added},
    {NbPut_handle, put},      {NbGet_handle, none},    {NbAcc_handle, added},
    {NbPutS_0_levels, put},   {NbGetS_0_levels, none}, {NbAccS_0_levels, added},
    {NbPutS_0_handle, put},   {NbGetS_0_handle, none}, {NbAccS_0_handle, added},
    {NbAccS_1_handle, added}, {PutV_1_segment, put},   {AccV_1_segment, added},
    {NbPutV_1_segment, put},  {Wait_idle, none},       {Test_idle, none},
    {WaitProc_idle, none},    {WaitAll_idle, none},    {start_and_wait, none},
};
enum { kCaseCount = sizeof cases / sizeof *cases, kFirstWord = 32 };

int main(int argc, char** argv) {
    const int is_multiple = argc > 1 && strcmp(argv[1], "multiple") == 0;
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, is_multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    ARMCI_Init();
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    void** bases = malloc(sizeof(void*) * (size_t)size);
    ARMCI_Malloc(bases, 4096);
    ARMCI_Create_mutexes(1);

    double* remote = bases[rank];
    ARMCI_INIT_HANDLE(&handle);
    local_segment = local;
    one_segment = (armci_giov_t){&local_segment, &remote_segment, 8, 1};
    long value = 0;
    memset(remote, 0, 4096);
    /* Counting starts after the first operation of each form, which looks up the address and
     * binds symbols. */
    for (int i = 0; i < kTimes + 1; ++i) {
        ARMCI_Put(local, remote, 8, rank);
        ARMCI_Get(remote, local, 8, rank);
        ARMCI_Acc(ARMCI_ACC_DBL, &scale, local, remote + 1, 8, rank);
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &value, remote + 2, 1, rank);
        ARMCI_NbPut(local, remote + 3, 8, rank, NULL);
        ARMCI_PutS(local, &stride, remote + 8, &stride, count, 1, rank);
        ARMCI_Fence(rank);
        ARMCI_Lock(0, rank);
        ARMCI_Unlock(0, rank);
        for (int number = 0; number < kCaseCount; ++number) {
            cases[number].run(remote + kFirstWord + number);
        }
    }
    int right = remote[0] == 1.0 && remote[1] == 2.0 * (kTimes + 1) && value == kTimes &&
                remote[3] == 1.0 && remote[8] == 1.0;
    for (int number = 0; number < kCaseCount; ++number) {
        const double results[] = {[none] = 0.0, [put] = 1.0, [added] = 2.0 * (kTimes + 1)};
        right = right && remote[kFirstWord + number] == results[cases[number].effect];
    }
    ARMCI_Destroy_mutexes();
    ARMCI_Free(remote);
    ARMCI_Finalize();
    MPI_Finalize();
    free(bases);
    if (!right) {
        fprintf(stderr, "small_operations: the data is wrong\n");
    }
    return right ? 0 : 1;
}
