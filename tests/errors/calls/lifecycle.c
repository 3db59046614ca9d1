/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls at the wrong time: before the library or MPI runs, or after. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bad_call.h"

static const char* const kAdvice = "call ARMCI_Init after MPI_Init and before this";
static char memory[64];

static void expect_not_running(const char* function) {
    expect(function, "the library is not running", kAdvice, NULL);
}

/* ---- Before ARMCI_Init ---- */

/* One rank only: the others wait, and MPI must end them. */
static void put_before_init(void) {
    start_mpi(MPI_THREAD_SINGLE);
    if (is_last_rank()) {
        expect_not_running("ARMCI_Put");
        ARMCI_Put(memory, memory, 8, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

#define BEFORE_INIT(name, function, call) \
    static void name(void) {              \
        expect_not_running(function);     \
        call;                             \
    }

BEFORE_INIT(malloc_before_init, "ARMCI_Malloc", ARMCI_Malloc((void**)memory, 8))
BEFORE_INIT(free_before_init, "ARMCI_Free", ARMCI_Free(memory))
BEFORE_INIT(fence_before_init, "ARMCI_AllFence", ARMCI_AllFence())
BEFORE_INIT(barrier_before_init, "ARMCI_Barrier", ARMCI_Barrier())
BEFORE_INIT(rmw_before_init, "ARMCI_Rmw", ARMCI_Rmw(ARMCI_SWAP, memory, memory, 0, 0))
BEFORE_INIT(attach_before_init, "ARMCIX_Attach", ARMCIX_Attach(memory, sizeof memory))
BEFORE_INIT(lock_before_init, "ARMCI_Lock", ARMCI_Lock(0, 0))
BEFORE_INIT(reduce_before_init, "armci_msg_dgop", armci_msg_dgop((double*)memory, 1, "+"))

static void put_before_mpi(void) {
    expect_not_running("ARMCI_Put");
    ARMCI_Put(memory, memory, 8, 0);
}

/* ---- After ARMCI_Finalize ---- */

static void put_after_finalize(void) {
    start_library();
    char* place = slice;
    stop_library();
    if (is_last_rank()) {
        expect_not_running("ARMCI_Put");
        ARMCI_Put(memory, place, 8, target);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void put_after_finalize_on_several_nodes(void) {
    put_after_finalize();
}

static void malloc_after_finalize(void) {
    expect_not_running("ARMCI_Malloc");
    ARMCI_Malloc((void**)memory, 8);
}

static void get_after_mpi_finalize(void) {
    start_library();
    stop_library();
    MPI_Finalize();
    my_rank = kNobody;
    expect_not_running("ARMCI_Get");
    ARMCI_Get(memory, memory, 8, 0);
}

/* ---- Start ---- */

static void expect_without_mpi(const char* function) {
    expect(function, "MPI is not running", "call MPI_Init before", NULL);
}

static void init_before_mpi(void) {
    expect_without_mpi("ARMCI_Init");
    ARMCI_Init();
}

static void init_args_before_mpi(void) {
    expect_without_mpi("ARMCI_Init_args");
    ARMCI_Init_args(NULL, NULL);
}

static void init_after_mpi_finalize(void) {
    start_mpi(MPI_THREAD_SINGLE);
    MPI_Finalize();
    my_rank = kNobody;
    expect_without_mpi("ARMCI_Init");
    ARMCI_Init();
}

/* One rank requests more than MPI provides; the other is entering the library. */
static void init_thread_beyond_mpi(void) {
    start_mpi(MPI_THREAD_FUNNELED);
    int provided = MPI_THREAD_MULTIPLE;
    MPI_Query_thread(&provided);
    check(provided < MPI_THREAD_MULTIPLE, "MPI gives MPI_THREAD_MULTIPLE unasked");
    if (is_last_rank()) {
        expect("ARMCI_Init_thread", text("thread level %d was asked for", MPI_THREAD_MULTIPLE),
               text("MPI provides %d", provided), "MPI_Init_thread", NULL);
        ARMCI_Init_thread(MPI_THREAD_MULTIPLE);
    } else {
        ARMCI_Init_thread(MPI_THREAD_SINGLE);
    }
}

/* The library is running, at a lower level. */
static void init_thread_beyond_mpi_again(void) {
    start_mpi(MPI_THREAD_FUNNELED);
    ARMCI_Init();
    if (is_last_rank()) {
        expect("ARMCI_Init_thread", text("thread level %d was asked for", MPI_THREAD_MULTIPLE),
               "MPI_Init_thread", NULL);
        ARMCI_Init_thread(MPI_THREAD_MULTIPLE);
    }
    ARMCI_Barrier();
}

static void init_on_no_communicator(void) {
    start_mpi(MPI_THREAD_SINGLE);
    expect("ARMCI_Init_thread_comm", "argument comm is MPI_COMM_NULL", "pass a communicator", NULL);
    ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, MPI_COMM_NULL);
}

/* The library finds that another MPI than its own has been loaded before. */
static bool runs_with_another_mpi = false;

int MPI_Get_library_version(char* version, int* length) {
#ifdef OPEN_MPI
    const char* another = "MPICH Version:\t4.0.2\nMPICH Release date: ...";
#else
    const char* another = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4";
#endif
    if (!runs_with_another_mpi) {
        return PMPI_Get_library_version(version, length);
    }
    strcpy(version, another);
    *length = (int)strlen(another);
    return MPI_SUCCESS;
}

static void init_with_another_mpi(void) {
    MPI_Init(NULL, NULL);
    runs_with_another_mpi = true;
#ifdef OPEN_MPI
    expect("ARMCI_Init", "MPICH Version: 4.0.2\"", "libarmci-mpich", NULL);
#else
    expect("ARMCI_Init", "Open MPI v4.1.4\"", "libarmci-openmpi", NULL);
#endif
    ARMCI_Init();
}

/* The version of rank 0, as a rank with another version reads it. */
static bool hears_another_version = false;

int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request) {
    const int result = PMPI_Ibcast(data, count, type, root, comm, request);
    if (hears_another_version) {
        hears_another_version = false;
        PMPI_Wait(request, MPI_STATUS_IGNORE);
        memcpy(data, "99.1", sizeof "99.1");
    }
    return result;
}

static void init_with_another_version(void) {
    start_mpi(MPI_THREAD_SINGLE);
    if (is_last_rank()) {
        expect("ARMCI_Init", "this rank's libarmci is version ", "rank 0's is 99.1",
               "LD_LIBRARY_PATH", NULL);
        hears_another_version = true;
    }
    ARMCI_Init();
}

/* ---- Stop ---- */

/* The error routine of TCGMSG finalizes on one rank before it aborts. That must end within the
 * time limit. */
static void finalize_on_one_rank(void) {
    setenv("ARMCI_FINALIZE_TIMEOUT_SECONDS", "1", 1);
    start_library();
    ARMCI_Barrier();
    if (is_last_rank()) {
        expect_status(5);
        expect_warning("ARMCI_Finalize", "did not come within 1 s",
                       "ARMCI_FINALIZE_TIMEOUT_SECONDS", NULL);
        ARMCI_Finalize();
        /* Not MPI_Abort: the launcher may drop the warning after it. */
        expect(NULL, "after all", NULL);
        ARMCI_Error("after all", 5);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void finalize_on_one_node(void) {
    finalize_on_one_rank();
}

/* Each waits without success for the ranks after it. The first one warns for the node. */
static void last_rank_is_late(void) {
    setenv("ARMCI_FINALIZE_TIMEOUT_SECONDS", "1", 1);
    start_library();
    check(ARMCI_Free(bases[my_rank]) == 0, "ARMCI_Free");
    int token = 0;
    if (my_rank == 0) {
        expect_status(0);
        expect_warning("ARMCI_Finalize", text("of %d ranks %d (1", rank_count, rank_count - 1),
                       "on", "did not come within 1 s", "ARMCI_FINALIZE_TIMEOUT_SECONDS", NULL);
    } else {
        MPI_Recv(&token, 1, MPI_INT, my_rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    ARMCI_Finalize();
    if (!is_last_rank()) {
        MPI_Send(&token, 1, MPI_INT, my_rank + 1, 0, MPI_COMM_WORLD);
    }
}

/* Memory of ARMCI_Memget, and eight bytes of the last rank, do not count. */
static void allocations_are_left(void) {
    void* left[2];
    armci_meminfo_t info;
    start_library(); /* allocates, too */
    ARMCI_Malloc(left, 100);
    ARMCI_Malloc(left, is_last_rank() ? 8 : 0);
    ARMCI_Memget(100, &info, 0);
    if (my_rank == 0) {
        expect_warning(NULL, "2 allocations were not freed before ARMCI_Finalize", NULL);
    }
    expect_status(0);
    ARMCI_Finalize();
    MPI_Finalize();
}

const struct Case lifecycle_cases[] = {
    CASE(put_before_init, ON_ITS_OWN, NODE),
    /* promise: errors.misuse */
    CHECK_EARLY(malloc_before_init),
    CHECK_EARLY(free_before_init),
    CHECK_EARLY(fence_before_init),
    /* promise: errors.misuse */
    CHECK_EARLY(barrier_before_init),
    CHECK_EARLY(rmw_before_init),
    CHECK_EARLY(attach_before_init),
    CHECK_EARLY(lock_before_init),
    CHECK_EARLY(reduce_before_init),
    CASE(put_before_mpi, ON_ITS_OWN, ALONE),
    CASE(put_after_finalize, ON_ITS_OWN, NODE),
    CASE(put_after_finalize_on_several_nodes, ON_ITS_OWN, NODES),
    /* promise: errors.misuse */
    CHECK_LATE(malloc_after_finalize),
    CASE(get_after_mpi_finalize, ON_ITS_OWN, ALONE),
    CASE(init_before_mpi, ON_ITS_OWN, ALONE),
    CASE(init_args_before_mpi, ON_ITS_OWN, ALONE),
    CASE(init_after_mpi_finalize, ON_ITS_OWN, ALONE),
    /* promise: init.thread-level */
    CASE(init_thread_beyond_mpi, ON_ITS_OWN, NODE),
    CASE(init_thread_beyond_mpi_again, ON_ITS_OWN, NODE),
    CASE(init_on_no_communicator, ON_ITS_OWN, ALONE),
    CASE(init_with_another_version, ON_ITS_OWN, NODE),
    CASE(init_with_another_mpi, ON_ITS_OWN, ALONE),
    /* promise: finalize.timeout */
    CASE(finalize_on_one_rank, ON_ITS_OWN, NODE),
    /* promise: finalize.timeout */
    CASE(finalize_on_one_node, ON_ITS_OWN, NODES),
    /* promise: finalize.counts-leaks */
    CASE(allocations_are_left, ON_ITS_OWN, NODE),
    /* promise: finalize.timeout-names */
    CASE(last_rank_is_late, ON_ITS_OWN, NODE),
    {0},
};
