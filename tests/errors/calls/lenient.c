/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that look wrong but must work: there is no message, and the job ends with status 0. */
#include <stddef.h>
#include <stdlib.h>

#include "bad_call.h"

/* A rank that does not exist, for calls that do nothing. */
enum { kNoRank = 99 };

static double one = 1.0;
/* Reading it would end the process. */
static void* const kNowhere = (void*)8;

static void zero_bytes(void) {
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    check(ARMCI_Put(NULL, NULL, 0, kNoRank) == 0, "ARMCI_Put");
    check(ARMCI_Get(NULL, NULL, 0, -1) == 0, "ARMCI_Get");
    check(ARMCI_Acc(ARMCI_ACC_DBL, &one, NULL, NULL, 0, kNoRank) == 0, "ARMCI_Acc");
    check(ARMCI_Acc(ARMCI_ACC_DBL, kNowhere, NULL, NULL, 0, kNoRank) == 0, "ARMCI_Acc");
    check(ARMCI_NbPut(NULL, NULL, 0, kNoRank, &handle) == 0, "ARMCI_NbPut");
    check(ARMCI_Wait(&handle) == 0, "ARMCI_Wait");
    check(ARMCI_NbGet(NULL, NULL, 0, -1, &handle) == 0, "ARMCI_NbGet");
    check(ARMCI_Test(&handle) == 0, "a transfer of nothing is under way");
    check(ARMCI_NbAcc(ARMCI_ACC_INT, &one, NULL, NULL, 0, kNoRank, NULL) == 0, "ARMCI_NbAcc");
    check(ARMCI_NbAcc(ARMCI_ACC_DCP, kNowhere, NULL, NULL, 0, -1, &handle) == 0, "ARMCI_NbAcc");
    check(ARMCI_Test(&handle) == 0, "an accumulate of nothing is under way");
    check(ARMCI_WaitAll() == 0, "ARMCI_WaitAll");
    ARMCI_Copy(NULL, NULL, 0);
}

static void empty_strided(void) {
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    int stride[2] = {8, 16};
    int no_bytes[3] = {0, 4, 4};
    int no_blocks[3] = {8, 4, 0};
    check(ARMCI_PutS(NULL, stride, NULL, stride, no_bytes, 2, kNoRank) == 0, "ARMCI_PutS");
    check(ARMCI_GetS(NULL, stride, NULL, stride, no_blocks, 2, -1) == 0, "ARMCI_GetS");
    check(ARMCI_AccS(ARMCI_ACC_DBL, &one, NULL, NULL, NULL, NULL, no_bytes, 0, kNoRank) == 0,
          "ARMCI_AccS");
    check(ARMCI_AccS(ARMCI_ACC_LNG, kNowhere, NULL, stride, NULL, stride, no_blocks, 2, -1) == 0,
          "ARMCI_AccS");
    check(ARMCI_NbAccS(ARMCI_ACC_INT, kNowhere, NULL, NULL, NULL, NULL, no_bytes, 2, kNoRank,
                       NULL) == 0,
          "ARMCI_NbAccS");
    check(ARMCI_NbPutS(NULL, stride, NULL, stride, no_blocks, 2, kNoRank, &handle) == 0,
          "ARMCI_NbPutS");
    check(ARMCI_Wait(&handle) == 0, "ARMCI_Wait");
    armci_write_strided(NULL, 2, stride, no_blocks, NULL);
    armci_read_strided(NULL, 2, stride, no_bytes, NULL);
}

static void empty_vector(void) {
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    armci_giov_t no_segments = {NULL, NULL, 8, 0};
    armci_giov_t no_bytes = {NULL, NULL, 0, 5};
    check(ARMCI_PutV(NULL, 0, kNoRank) == 0, "ARMCI_PutV");
    check(ARMCI_GetV(&no_segments, 1, kNoRank) == 0, "ARMCI_GetV");
    check(ARMCI_AccV(ARMCI_ACC_DBL, &one, &no_bytes, 1, -1) == 0, "ARMCI_AccV");
    check(ARMCI_AccV(ARMCI_ACC_DBL, kNowhere, NULL, 0, -1) == 0, "ARMCI_AccV");
    check(ARMCI_AccV(ARMCI_ACC_FLT, kNowhere, &no_segments, 1, -1) == 0, "ARMCI_AccV");
    check(ARMCI_NbAccV(ARMCI_ACC_CPL, kNowhere, &no_bytes, 1, kNoRank, NULL) == 0, "ARMCI_NbAccV");
    check(ARMCI_NbGetV(&no_bytes, 1, kNoRank, &handle) == 0, "ARMCI_NbGetV");
    check(ARMCI_Wait(&handle) == 0, "ARMCI_Wait");
}

/* ARMCI_Absolute_id returns -1 for groups that were freed, and Global Arrays fences that rank. */
static void fences(void) {
    ARMCI_Fence(-1);
    ARMCI_Fence(my_rank);
    ARMCI_Fence(target);
    ARMCI_AllFence();
}

static void idle_handles(void) {
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    for (int i = 0; i < 2; i++) {
        check(ARMCI_Wait(&handle) == 0, "ARMCI_Wait");
        check(ARMCI_Test(&handle) == 0, "an idle handle is in progress");
    }
    check(ARMCI_NbPut(local, slice, 8, target, &handle) == 0, "ARMCI_NbPut");
    for (int i = 0; i < 2; i++) {
        check(ARMCI_Wait(&handle) == 0, "ARMCI_Wait");
    }
    check(ARMCI_Wait(NULL) == 0, "ARMCI_Wait of nothing");
    check(ARMCI_WaitProc(target) == 0, "ARMCI_WaitProc");
    check(ARMCI_WaitAll() == 0, "ARMCI_WaitAll");
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    check(ARMCI_Wait(&handle) == 0, "ARMCI_Wait of an aggregate handle");
    ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
    ARMCI_Barrier();
}

/* As Global Arrays destroys an array: the group first, then its memory, then fences and a barrier.
 */
static void freed_groups(void) {
    ARMCI_Group group;
    ARMCI_Group not_mine;
    void* memory[2];
    int all_ranks[2] = {0, 1};
    int other = 1 - my_rank;
    ARMCI_Group_create(2, all_ranks, &group);
    ARMCI_Group_create(1, &other, &not_mine);
    check(ARMCI_Absolute_id(&group, 1) == 1, "ARMCI_Absolute_id");
    check(ARMCI_Absolute_id(&group, 2) == -1, "ARMCI_Absolute_id of no member");
    check(ARMCI_Absolute_id(&group, -1) == -1, "ARMCI_Absolute_id of no member");
    check(ARMCI_Malloc_group(memory, 64, &group) == 0, "ARMCI_Malloc_group");
    ARMCI_Group_free(&group);
    check(ARMCI_Free_group(memory[my_rank], &group) == 0, "ARMCI_Free_group");
    check(ARMCI_Absolute_id(&group, 0) == -1, "ARMCI_Absolute_id of a freed group");
    ARMCI_Fence(ARMCI_Absolute_id(&group, 0));
    ARMCI_GroupFence(&group);
    armci_msg_group_barrier(&group);
    check(ARMCI_Free_group(NULL, &group) == 0, "ARMCI_Free_group of nothing");
    ARMCI_Group_free(&group);

    int rank = 0;
    int size = -1;
    check(ARMCI_Group_rank(&not_mine, &rank) != 0, "a member of a group without me");
    check(rank == -1, "rank %d in a group without me", rank);
    ARMCI_Group_size(&not_mine, &size);
    check(size == 0, "size %d of a group without me", size);
    armci_msg_group_barrier(&not_mine);
    ARMCI_Group_free(&not_mine);
}

static void no_memory_wanted(void) {
    void* memory[2] = {local, local};
    check(ARMCI_Malloc(memory, 0) == 0, "ARMCI_Malloc of nothing");
    check(memory[0] == NULL && memory[1] == NULL, "pointers to nothing");
    check(ARMCI_Free(NULL) == 0, "ARMCI_Free of nothing");
    /* Only one rank has memory; the other frees a null pointer. */
    check(ARMCI_Malloc(memory, is_last_rank() ? 64 : 0) == 0, "ARMCI_Malloc by one rank");
    check(memory[0] == NULL && memory[1] != NULL, "pointers to the one part");
    check(ARMCI_Free(memory[my_rank]) == 0, "ARMCI_Free by one rank");
    check(ARMCI_Free_local(NULL) == 0, "ARMCI_Free_local of nothing");
    check(ARMCI_Free_local(ARMCI_Malloc_local(0)) == 0, "local memory of no bytes");
}

static void no_mutexes_wanted(void) {
    check(ARMCI_Create_mutexes(0) == 0, "ARMCI_Create_mutexes");
    check(ARMCI_Destroy_mutexes() == 0, "ARMCI_Destroy_mutexes");
}

static void nothing_to_reduce(void) {
    armci_msg_dgop(NULL, 0, "+");
    armci_msg_gop_scope(SCOPE_ALL, NULL, 0, "max", ARMCI_LONG);
    armci_msg_brdcst(NULL, 0, target);
    armci_msg_snd(1, NULL, 0, my_rank);
    int bytes = -1;
    armci_msg_rcv(1, NULL, 0, &bytes, my_rank);
    check(bytes == 0, "received %d bytes", bytes);
}

/* They do so only where all ranks have the same domains. */
static void domains_add_up(void) {
    const int first =
        armci_domain_glob_proc_id(ARMCI_DOMAIN_SMP, armci_domain_my_id(ARMCI_DOMAIN_SMP), 0);
    long members = 1;
    armci_msg_gop_scope(SCOPE_NODE, &members, 1, "+", ARMCI_LONG);
    if (my_rank == first) {
        long domains = 1;
        armci_msg_gop_scope(SCOPE_MASTERS, &domains, 1, "+", ARMCI_LONG);
        check(domains == armci_domain_count(ARMCI_DOMAIN_SMP), "%ld domains", domains);
    }
    long ranks = my_rank == first ? members : 0;
    armci_msg_gop_scope(SCOPE_ALL, &ranks, 1, "+", ARMCI_LONG);
    check(ranks == rank_count, "%ld ranks in the domains", ranks);
}

/* Calls that are allowed at any time, with or without MPI. */
static void ask(int running) {
    ARMCI_Cleanup();
    check(ARMCI_Initialized() == running, "ARMCI_Initialized is not %d", running);
    check(ARMCI_Uses_shm() == 0, "ARMCI_Uses_shm");
    ARMCI_Set_shm_limit(0);
}

static void any_time(void) {
    ask(0);
    check(ARMCI_Finalize() == 0, "ARMCI_Finalize before MPI_Init");
    start_mpi(MPI_THREAD_SINGLE);
    ask(0);
    check(ARMCI_Finalize() == 0, "ARMCI_Finalize before ARMCI_Init");
    check(ARMCI_Init_mpi_comm(MPI_COMM_NULL) == 0, "ARMCI_Init_mpi_comm without a communicator");
    start_library();
    ask(1);
    check(ARMCI_Init_mpi_comm(MPI_COMM_NULL) == 1, "ARMCI_Init_mpi_comm on a running library");
    stop_library();
    ask(0);
    check(ARMCI_Finalize() == 0, "a second ARMCI_Finalize");
    MPI_Finalize();
    ask(0);
    check(ARMCI_Finalize() == 0, "ARMCI_Finalize after MPI_Finalize");
}

static void any_time_on_several_nodes(void) {
    any_time();
}

/* They start and stop MPI if it is not running, and never the library. */
static void message_layer_starts_mpi(void) {
    int is_on = 0;
    armci_msg_init(NULL, NULL);
    MPI_Initialized(&is_on);
    check(is_on != 0, "MPI is not started");
    check(ARMCI_Initialized() == 0, "the library is started");
    armci_msg_init(NULL, NULL);
    ARMCI_Init();
    armci_msg_init(NULL, NULL);
    check(ARMCI_Initialized() == 1, "the library is not up any more");
    ARMCI_Finalize();
    armci_msg_finalize();
    MPI_Finalized(&is_on);
    check(is_on != 0, "MPI is not stopped");
    armci_msg_finalize();
}

const struct Case lenient_cases[] = {
    HARMLESS(zero_bytes),
    HARMLESS(empty_strided),
    HARMLESS(empty_vector),
    HARMLESS(fences),
    HARMLESS(idle_handles),
    HARMLESS(freed_groups),
    HARMLESS(no_memory_wanted),
    HARMLESS(no_mutexes_wanted),
    HARMLESS(domains_add_up),
    HARMLESS(nothing_to_reduce),
    /* promise: init.any-time, init.mpi-comm-result */
    CASE(any_time, ON_ITS_OWN, NODE),
    /* promise: init.any-time */
    /* promise: message.start-mpi */
    CASE(message_layer_starts_mpi, ON_ITS_OWN, NODE),
    CASE(any_time_on_several_nodes, ON_ITS_OWN, NODES),
    {0},
};
