/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of several threads below MPI_THREAD_MULTIPLE: at the same time, or from another thread than
 * the one that started the library where only that may call. At MPI_THREAD_MULTIPLE: collective
 * calls on one group at the same time.
 */
#define _GNU_SOURCE /* pthread_setname_np */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bad_call.h"

enum { kBytes = 64, kTag = 7, kWaiterLooks = 2 };

/* ---- A thread that is inside the library, and stays there ---- */

static _Thread_local bool is_waiter = false;
static atomic_int waiter_looks = 0;
static atomic_long waiter_id = 0;

static long this_thread(void) {
    return syscall(SYS_gettid);
}

/* How often the waiting thread has looked for its message: the second time it waits. */
int MPI_Improbe(int from, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                MPI_Status* status) {
    const int result = PMPI_Improbe(from, tag, comm, flag, message, status);
    if (is_waiter) {
        ++waiter_looks;
    }
    return result;
}

/* Waits for a message that is never sent. */
static void* wait_for_ever(void* unused) {
    is_waiter = true;
    waiter_id = this_thread();
    int bytes = 0;
    armci_msg_rcv(kTag, local, kBytes, &bytes, 0);
    return unused;
}

static void start_waiter(void) {
    pthread_t waiter;
    check(pthread_create(&waiter, NULL, wait_for_ever, NULL) == 0, "a thread");
    pthread_setname_np(waiter, "waiter");
    while (waiter_looks < kWaiterLooks) {
        sched_yield();
    }
}

/* For the correct ranks, until the job ends. */
static void leave_it_to_the_last_rank(void) {
    while (!is_last_rank()) {
        pause();
    }
}

/* The message names both threads and both functions, and the remedy. */
static void expect_overlap(const char* function, const char* level, const char* remedy) {
    expect(function, text("called by thread %ld (\"", this_thread()),
           text("while thread %ld (\"waiter\") is in armci_msg_rcv", (long)waiter_id),
           text("runs at %s,", level), "let one thread call at a time", remedy, NULL);
}

static void start_at(int thread_level) {
    start_mpi(thread_level);
    start_library();
}

/* ---- Calls at the same time, between nodes ---- */

static const char* const kAskMpi = "ask MPI_Init_thread for MPI_THREAD_MULTIPLE";

static void get_while_another_waits(void) {
    start_at(MPI_THREAD_SERIALIZED);
    leave_it_to_the_last_rank();
    start_waiter();
    expect_overlap("ARMCI_Get", "MPI_THREAD_SERIALIZED", kAskMpi);
    ARMCI_Get(slice, local, kBytes, target);
}

static void put_while_another_waits(void) {
    start_at(MPI_THREAD_FUNNELED);
    leave_it_to_the_last_rank();
    start_waiter();
    expect_overlap("ARMCI_NbPut", "MPI_THREAD_FUNNELED", kAskMpi);
    ARMCI_NbPut(local, slice, 8, target, NULL);
}

static void acc_while_another_waits(void) {
    start_library();
    leave_it_to_the_last_rank();
    start_waiter();
    expect_overlap("ARMCI_AccS", "MPI_THREAD_SINGLE", kAskMpi);
    double scale = 1.0;
    int stride = 2 * sizeof scale;
    int count[2] = {sizeof scale, 4};
    ARMCI_AccS(ARMCI_ACC_DBL, &scale, local, &stride, slice, &stride, count, 1, target);
}

static void rmw_while_another_waits(void) {
    start_at(MPI_THREAD_SERIALIZED);
    leave_it_to_the_last_rank();
    start_waiter();
    expect_overlap("ARMCI_Rmw", "MPI_THREAD_SERIALIZED", kAskMpi);
    ARMCI_Rmw(ARMCI_SWAP, local, slice, 0, target);
}

static void fence_while_another_waits(void) {
    start_at(MPI_THREAD_SERIALIZED);
    leave_it_to_the_last_rank();
    start_waiter();
    expect_overlap("ARMCI_AllFence", "MPI_THREAD_SERIALIZED", kAskMpi);
    ARMCI_AllFence();
}

/* ---- In every layout ---- */

static void barrier_while_another_waits(void) {
    start_at(MPI_THREAD_SERIALIZED);
    leave_it_to_the_last_rank();
    start_waiter();
    expect_overlap("ARMCI_Barrier", "MPI_THREAD_SERIALIZED", kAskMpi);
    ARMCI_Barrier();
}

/* MPI provides more, and the variable or the program requests less. */
static void level_lowered_by_the_variable(void) {
    setenv("ARMCI_THREAD_LEVEL", "serialized", 1);
    start_at(MPI_THREAD_MULTIPLE);
    leave_it_to_the_last_rank();
    start_waiter();
    expect_overlap("ARMCI_Barrier", "MPI_THREAD_SERIALIZED", "unset ARMCI_THREAD_LEVEL");
    ARMCI_Barrier();
}

static void level_lowered_by_the_program(void) {
    start_mpi(MPI_THREAD_MULTIPLE);
    check(ARMCI_Init_thread(MPI_THREAD_SINGLE) == 0, "ARMCI_Init_thread");
    local = calloc(1, kBytes);
    leave_it_to_the_last_rank();
    start_waiter();
    expect_overlap("ARMCI_Barrier", "MPI_THREAD_SINGLE", "start the library by ARMCI_Init");
    ARMCI_Barrier();
}

/* Checking mode checks every call, also one that returns at once. */
static void checked_put_while_another_waits(void) {
    setenv("ARMCI_CHECK", "1", 1);
    start_at(MPI_THREAD_SERIALIZED);
    leave_it_to_the_last_rank();
    start_waiter();
    expect_overlap("ARMCI_Put", "MPI_THREAD_SERIALIZED", kAskMpi);
    ARMCI_Put(local, bases[my_rank], 8, my_rank);
}

/* After two calls at a time nothing is reliable, so the job ends in this mode, too. */
static void warned_finalize_while_another_waits(void) {
    setenv("ARMCI_CHECK", "warn", 1);
    start_at(MPI_THREAD_SERIALIZED);
    leave_it_to_the_last_rank();
    start_waiter();
    expect_overlap("ARMCI_Finalize", "MPI_THREAD_SERIALIZED", kAskMpi);
    ARMCI_Finalize();
}

/* ---- One thread at a time, but the wrong one ---- */

static long starter_id = 0;

static void run_in_another_thread(void* (*run)(void*)) {
    pthread_t thread;
    starter_id = this_thread();
    check(pthread_create(&thread, NULL, run, NULL) == 0, "a thread");
    pthread_join(thread, NULL);
}

static void announce_wrong_thread(void (*announce)(const char*, ...), const char* level) {
    pthread_setname_np(pthread_self(), "helper");
    announce("ARMCI_Put", text("called by thread %ld (\"helper\")", this_thread()),
             text("started by thread %ld (\"", starter_id), level, "only that thread may call",
             "Let it make this call", kAskMpi, NULL);
}

static void* put_at_funneled(void* unused) {
    announce_wrong_thread(expect, "MPI_THREAD_FUNNELED");
    ARMCI_Put(local, slice, 8, target);
    return unused;
}

static void put_by_another_thread(void) {
    setenv("ARMCI_CHECK", "1", 1);
    start_at(MPI_THREAD_FUNNELED);
    leave_it_to_the_last_rank();
    run_in_another_thread(put_at_funneled);
}

static void* put_at_single(void* unused) {
    announce_wrong_thread(expect_warning, "MPI_THREAD_SINGLE");
    ARMCI_Put(local, slice, 8, target);
    return unused;
}

static void put_by_another_thread_is_warned_of(void) {
    setenv("ARMCI_CHECK", "warn", 1);
    expect_status(0);
    start_library();
    if (is_last_rank()) {
        run_in_another_thread(put_at_single);
    }
    stop_library();
}

/* ---- Collective calls on one group ---- */

static void* wait_at_barrier(void* unused) {
    ARMCI_Barrier();
    return unused;
}

/* The other rank never comes, so both threads are there at some time, in whichever order. But it
 * has left the library's start before: it might take the second thread for a rank in another call.
 */
static void two_threads_at_a_barrier(void) {
    start_at(MPI_THREAD_MULTIPLE);
    MPI_Barrier(MPI_COMM_WORLD);
    leave_it_to_the_last_rank();
    expect("ARMCI_Barrier", "another thread of this process is in ARMCI_Barrier on the same group",
           "one after the other", NULL);
    pthread_t other;
    check(pthread_create(&other, NULL, wait_at_barrier, NULL) == 0, "a thread");
    wait_at_barrier(NULL);
}

static void two_threads_at_a_barrier_at_a_lower_level(void) {
    start_at(MPI_THREAD_SERIALIZED);
    MPI_Barrier(MPI_COMM_WORLD);
    leave_it_to_the_last_rank();
    expect("ARMCI_Barrier", "is in ARMCI_Barrier", "runs at MPI_THREAD_SERIALIZED", kAskMpi, NULL);
    pthread_t other;
    check(pthread_create(&other, NULL, wait_at_barrier, NULL) == 0, "a thread");
    wait_at_barrier(NULL);
}

/* ---- Right ---- */

static void* use_library(void* unused) {
    long value = 1;
    ARMCI_Put(&value, slice, sizeof value, target);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &value, slice, 1, target);
    ARMCI_NbGet(slice, local, sizeof value, target, NULL);
    ARMCI_WaitAll();
    ARMCI_Fence(target);
    return unused;
}

static void threads_take_turns(void) {
    setenv("ARMCI_CHECK", "1", 1);
    expect_status(0);
    start_at(MPI_THREAD_SERIALIZED);
    for (int turn = 0; turn < 2 * rank_count; turn++) {
        if (turn % rank_count == my_rank) {
            run_in_another_thread(use_library);
            use_library(NULL);
        }
        ARMCI_Barrier();
    }
    stop_library();
}

const struct Case threads_cases[] = {
    /* promise: threads.overlap-ends-job */
    CASE(get_while_another_waits, ON_ITS_OWN, NODES),
    /* promise: threads.overlap-ends-job */
    CASE(put_while_another_waits, ON_ITS_OWN, NODES),
    /* promise: threads.overlap-ends-job */
    CASE(acc_while_another_waits, ON_ITS_OWN, NODES),
    /* promise: threads.overlap-ends-job */
    CASE(rmw_while_another_waits, ON_ITS_OWN, NODES),
    /* promise: threads.overlap-ends-job */
    CASE(fence_while_another_waits, ON_ITS_OWN, NODES),
    /* promise: threads.overlap-ends-job */
    CASE(barrier_while_another_waits, ON_ITS_OWN, ANY),
    /* promise: threads.overlap-ends-job */
    CASE(level_lowered_by_the_variable, ON_ITS_OWN, ANY),
    /* promise: threads.overlap-ends-job */
    CASE(level_lowered_by_the_program, ON_ITS_OWN, ANY),
    /* promise: threads.check-finds-overlap */
    CASE(checked_put_while_another_waits, ON_ITS_OWN, ANY),
    CASE(warned_finalize_while_another_waits, ON_ITS_OWN, NODE),
    /* promise: threads.check-finds-overlap */
    CASE(put_by_another_thread, ON_ITS_OWN, ANY),
    /* promise: threads.check-finds-overlap */
    CASE(put_by_another_thread_is_warned_of, ON_ITS_OWN, ANY),
    /* promise: threads.collectives-in-turn */
    CASE(two_threads_at_a_barrier, ON_ITS_OWN, ANY),
    /* promise: threads.overlap-ends-job */
    CASE(two_threads_at_a_barrier_at_a_lower_level, ON_ITS_OWN, ANY),
    CASE(threads_take_turns, ON_ITS_OWN, ANY),
    {0},
};
