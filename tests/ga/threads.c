/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads as Global Arrays's own programs of threads use them: MPI_Init_thread with
 * MPI_THREAD_MULTIPLE, GA_Initialize, and then several threads of each rank that take tasks from a
 * shared counter and put, get and accumulate blocks.
 *
 * Puts, gets and accumulates hold a mutex. Blocking ones, too, take non-blocking handles from lists
 * that Global Arrays guards only if it was configured with --enable-thread-safe, and Debian's was
 * not: without the mutex two threads are given the same handle, and one returns before its data are
 * there. Tasks are drawn while another thread transfers, so threads still meet in ARMCI.
 * tests/mp/threads_test.cpp has threads that share nothing but ARMCI.
 */
#include <ga.h>
#include <macdecls.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "support/check.h"

enum { kThreads = 4, kRows = 90, kColumns = 110, kBlock = 13, kStack = 100000, kHeap = 100000 };
enum {
    kBlockRows = (kRows + kBlock - 1) / kBlock,
    kBlockColumns = (kColumns + kBlock - 1) / kBlock
};
enum { kTasks = kBlockRows * kBlockColumns };

static int g_a = 0;
static int g_tasks = 0;
static pthread_mutex_t handles_mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_long tasks_done = 0;
static atomic_long elements_wrong = 0;

static int element(int row, int column) {
    return row * kColumns + column;
}

static int lesser(int a, int b) {
    return a < b ? a : b;
}

static long draw_task(void) {
    int zero = 0;
    return NGA_Read_inc(g_tasks, &zero, 1);
}

typedef struct {
    int lo[2];
    int hi[2];
    int ld[1];
} block_t;

static block_t block_of(long task) {
    const int row = (int)(task / kBlockColumns) * kBlock;
    const int column = (int)(task % kBlockColumns) * kBlock;
    block_t block = {{row, column},
                     {lesser(row + kBlock, kRows) - 1, lesser(column + kBlock, kColumns) - 1},
                     {0}};
    block.ld[0] = block.hi[1] - block.lo[1] + 1;
    return block;
}

/* The number of elements whose value is not `factor` times the expected one. */
static long count_wrong(const block_t* block, const int* values, int factor) {
    long wrong = 0;
    for (int row = block->lo[0]; row <= block->hi[0]; row++) {
        for (int column = block->lo[1]; column <= block->hi[1]; column++) {
            wrong += values[(row - block->lo[0]) * block->ld[0] + column - block->lo[1]] !=
                     factor * element(row, column);
        }
    }
    return wrong;
}

static void fill(const block_t* block, int* values) {
    for (int row = block->lo[0]; row <= block->hi[0]; row++) {
        for (int column = block->lo[1]; column <= block->hi[1]; column++) {
            values[(row - block->lo[0]) * block->ld[0] + column - block->lo[1]] =
                element(row, column);
        }
    }
}

typedef void (*work_t)(block_t* block, int* values);

static void put_block(block_t* block, int* values) {
    fill(block, values);
    pthread_mutex_lock(&handles_mutex);
    NGA_Put(g_a, block->lo, block->hi, values, block->ld);
    pthread_mutex_unlock(&handles_mutex);
}

static void get_block(block_t* block, int* values) {
    pthread_mutex_lock(&handles_mutex);
    NGA_Get(g_a, block->lo, block->hi, values, block->ld);
    pthread_mutex_unlock(&handles_mutex);
    elements_wrong += count_wrong(block, values, 1);
}

static void add_block(block_t* block, int* values) {
    int two = 2;
    fill(block, values);
    pthread_mutex_lock(&handles_mutex);
    NGA_Acc(g_a, block->lo, block->hi, values, block->ld, &two);
    pthread_mutex_unlock(&handles_mutex);
}

static work_t work = NULL;

static void* run_thread(void* unused) {
    int* values = allocate(kBlock * kBlock * sizeof(int));
    for (long task = draw_task(); task < kTasks; task = draw_task()) {
        block_t block = block_of(task);
        work(&block, values);
        ++tasks_done;
    }
    free(values);
    return unused;
}

/* All threads of all ranks do the work on every block once. */
static void run_threads(work_t one) {
    pthread_t threads[kThreads];
    GA_Zero(g_tasks);
    GA_Sync();
    work = one;
    tasks_done = 0;
    elements_wrong = 0;
    for (int i = 0; i < kThreads; i++) {
        if (pthread_create(&threads[i], NULL, run_thread, NULL) != 0) {
            give_up("no thread");
        }
    }
    for (int i = 0; i < kThreads; i++) {
        pthread_join(threads[i], NULL);
    }
    GA_Sync();
    long done = tasks_done;
    MPI_Allreduce(MPI_IN_PLACE, &done, 1, MPI_LONG, MPI_SUM, checks_comm());
    check(done == kTasks, "%ld tasks were done, not %d", done, kTasks);
}

/* Every rank checks all of the array. */
static void verify_array(int factor) {
    block_t all = {{0, 0}, {kRows - 1, kColumns - 1}, {kColumns}};
    int* values = allocate(kRows * kColumns * sizeof(int));
    NGA_Get(g_a, all.lo, all.hi, values, all.ld);
    const long wrong = count_wrong(&all, values, factor);
    check_many(kRows * kColumns, wrong, "%ld elements are wrong", wrong);
    free(values);
    GA_Sync();
}

int main(int argc, char** argv) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    start_checks();
    if (provided < MPI_THREAD_MULTIPLE) {
        give_up("this MPI has no MPI_THREAD_MULTIPLE");
    }
    GA_Initialize();
    if (!MA_init(C_DBL, kStack, kHeap)) {
        give_up("MA_init failed");
    }
    int dims[2] = {kRows, kColumns};
    int one = 1;
    g_a = NGA_Create(C_INT, 2, dims, "blocks", NULL);
    g_tasks = NGA_Create(C_LONG, 1, &one, "tasks", NULL);
    GA_Zero(g_a);
    for (int round = 0; round < 3; round++) {
        begin_section("round %d: blocks that threads put", round);
        run_threads(put_block);
        verify_array(1);
        begin_section("round %d: blocks that threads get", round);
        run_threads(get_block);
        check(elements_wrong == 0, "%ld elements that were got are wrong", (long)elements_wrong);
        begin_section("round %d: blocks that threads accumulate", round);
        run_threads(add_block);
        verify_array(3);
    }
    GA_Destroy(g_tasks);
    GA_Destroy(g_a);
    const int status = end_checks();
    GA_Terminate();
    MPI_Finalize();
    return status;
}
