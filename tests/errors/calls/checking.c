/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checking mode (ARMCI_CHECK): each kind of mistake that it finds, and a program that does the same
 * things correctly. Alone, on one node, a mistake ends the job; together with others, on one node
 * and on two by both routes, it is a warning (ARMCI_CHECK=warn).
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bad_call.h"

enum { kBytes = 512, kBlock = 64 };

static void* memory[2];

static bool warns_only = false;

/* Of this rank: an error or a warning. */
#define EXPECT(...) (warns_only ? expect_warning(__VA_ARGS__) : expect(__VA_ARGS__))

static void start_checked(void) {
    setenv("ARMCI_CHECK", "1", 1);
    start_library();
}

static void start_warned(void) {
    warns_only = true;
    expect_status(0);
    setenv("ARMCI_CHECK", "warn", 1);
    start_library();
}

/* For ranks that wait because of another rank's mistake until the job ends. */
static void wait_for_the_end(void) {
    for (;;) {
        pause();
    }
}

static void allocate(void) {
    check(ARMCI_Malloc(memory, kBytes) == 0, "ARMCI_Malloc");
}

/* The rank that allocates for the last rank's node. */
static bool allocates_for_last_rank(void) {
    return ARMCIX_Node(0) == ARMCIX_Node(rank_count - 1) ? my_rank == 0 : is_last_rank();
}

static void send_to(int rank) {
    MPI_Send(NULL, 0, MPI_BYTE, rank, 0, MPI_COMM_WORLD);
}

static void receive_from(int rank) {
    MPI_Recv(NULL, 0, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- Freed memory ---- */

static void put_to_freed(void) {
    start_checked();
    allocate();
    ARMCI_Free(memory[my_rank]);
    if (!is_last_rank()) {
        wait_for_the_end();
    }
    expect("ARMCI_Put", "argument dst: 8 bytes", "are no global memory any more",
           "it was freed: allocation 0.", "had 512 bytes", "of rank 0",
           "Free memory after the last access", NULL);
    ARMCI_Put(local, (char*)memory[target] + 16, 8, target);
}

static void free_twice(void) {
    start_checked();
    allocate();
    ARMCI_Free(memory[my_rank]);
    if (!is_last_rank()) {
        wait_for_the_end();
    }
    expect("ARMCI_Free", "argument ptr", "it was freed: allocation 0.", "had 512 bytes",
           "pass what ARMCI_Malloc returned for this rank, once", NULL);
    ARMCI_Free(memory[my_rank]);
}

static void store_to_freed(void) {
    allocate();
    ARMCI_Free(memory[my_rank]);
    ARMCI_Barrier();
    if (is_last_rank()) {
        ((char*)memory[my_rank])[100] = 1;
    }
    ARMCI_Barrier();
}

static void expect_store_to_freed(const char* function) {
    if (allocates_for_last_rank()) {
        EXPECT(function, "freed memory was written", "byte 100 of rank 1's 512 in allocation 0.",
               "by a plain store", "Free memory after its last use", NULL);
    }
}

static void store_seen_by_malloc(void) {
    store_to_freed();
    expect_store_to_freed("ARMCI_Malloc");
    allocate();
}

static void store_seen_at_the_end(void) {
    store_to_freed();
    expect_store_to_freed("ARMCI_Finalize");
    stop_library();
}

static void put_from_freed_local(void) {
    char* buffer = ARMCI_Malloc_local(kBytes);
    ARMCI_Free_local(buffer);
    EXPECT("ARMCI_Put", "the local buffer, 64 bytes", "is in memory that was freed: 512 bytes",
           "from ARMCI_Malloc_local", "Free it after its last use", NULL);
    ARMCI_Put(buffer + kBlock, slice, kBlock, target);
}

static void put_from_freed(void) {
    allocate();
    ARMCI_Free(memory[my_rank]);
    ARMCI_Barrier();
    if (is_last_rank()) {
        EXPECT("ARMCI_PutS", "the local buffer, 64 bytes",
               "is in memory that was freed: rank 1's 512 bytes in allocation 0.",
               "Free it after its last use", NULL);
        int count = kBlock;
        ARMCI_PutS((char*)memory[my_rank] + kBlock, NULL, slice, NULL, &count, 0, target);
    }
    ARMCI_Barrier();
}

/* The owner frees it alone, and the other rank does not learn that. */
static void get_from_freed_by_owner(void) {
    armci_meminfo_t info;
    if (my_rank == 0) {
        ARMCI_Memget(kBytes, &info, 0);
    }
    MPI_Bcast(&info, sizeof info, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (my_rank == 0) {
        receive_from(1);
        ARMCI_Memctl(&info);
        send_to(1);
    } else {
        char* there = ARMCI_Memat(&info, kBlock);
        ARMCI_Get(there, local, kBlock, 0);
        send_to(0);
        receive_from(0);
        EXPECT("ARMCI_Get", "the remote memory, 64 bytes", "of rank 0, was freed: its 512 bytes",
               "Free memory after the last access", NULL);
        ARMCI_Get(there, local, kBlock, 0);
    }
    ARMCI_Barrier();
}

static void store_to_freed_local(void) {
    char* buffer = ARMCI_Malloc_local(100);
    ARMCI_Free_local(buffer);
    buffer[3] = 1;
    EXPECT("ARMCI_Free_local", "freed memory was written", "byte 3 of 100",
           "from ARMCI_Malloc_local", NULL);
}

/* ---- Local buffers of pending operations ---- */

static void expect_touched(const char* function) {
    EXPECT(function, "the local buffer of this operation", "rank 0 was written",
           "before it was waited for", "leave it alone until ARMCI_Wait", NULL);
}

static void change_source(void) {
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    expect_touched("ARMCI_NbPut");
    ARMCI_NbPut(local, slice, kBlock, target, &handle);
    local[kBlock - 1] ^= 1;
    ARMCI_Wait(&handle);
}

static void change_source_before_fence(void) {
    int stride = 2 * (int)sizeof(double);
    int count[2] = {sizeof(double), 4};
    double scale = 1.0;
    expect_touched("ARMCI_NbAccS");
    ARMCI_NbAccS(ARMCI_ACC_DBL, &scale, local, &stride, slice, &stride, count, 1, target, NULL);
    ((double*)local)[1] = 5.0; /* between what is added */
    ((double*)local)[6] = 5.0;
    ARMCI_Fence(target);
}

static void write_destination(void) {
    expect_touched("ARMCI_NbGet");
    ARMCI_NbGet(slice, local, kBlock, target, NULL);
    local[5] = 5;
    ARMCI_WaitAll();
}

/* All is zero, so the source does not change. */
static void get_into_pending_source(void) {
    EXPECT("ARMCI_Get", "the local buffer shares 16 bytes", "pending ARMCI_NbPut to rank 0",
           "wait for that one first", NULL);
    char* zeros = local + 1024;
    ARMCI_NbPut(zeros, slice + 1024, kBlock, target, NULL);
    ARMCI_Get(slice + 1024, zeros + kBlock - 16, kBlock, target);
    ARMCI_WaitAll();
}

static void put_from_pending_destination(void) {
    void* from = local;
    void* to = slice + kBlock;
    armci_giov_t vector = {
        .src_ptr_array = &from, .dst_ptr_array = &to, .ptr_array_len = 1, .bytes = 8};
    EXPECT("ARMCI_PutV", "the local buffer shares 8 bytes", "pending ARMCI_NbGet from rank 0",
           "wait for that one first", NULL);
    ARMCI_NbGet(slice, local, kBlock, target, NULL);
    ARMCI_PutV(&vector, 1, target);
    ARMCI_WaitAll();
}

/* ---- Writes of two ranks to the same bytes ---- */

static void expect_unordered(const char* function, const char* calls, const char* bytes) {
    if (my_rank == target) {
        EXPECT(function, calls, bytes, "and nothing orders the one behind the other", "let a fence",
               NULL);
    }
}

static void put_both(void) {
    expect_unordered("ARMCI_Barrier", "rank 0 by ARMCI_NbPut and rank 1 by ARMCI_Put have written",
                     "bytes 32 to 63 of rank 0's 4096 in allocation 0.");
    if (is_last_rank()) {
        ARMCI_Put(local, slice + 32, kBlock, target);
    } else {
        ARMCI_NbPut(local, slice, kBlock, target, NULL);
    }
    ARMCI_Barrier();
}

/* The fence of one rank does not order it after what the other does at the same time. */
static void put_while_the_other_is_open(void) {
    expect_unordered("armci_msg_barrier",
                     "rank 0 by ARMCI_Put and rank 1 by ARMCI_PutS have written",
                     "bytes 0 to 63 of rank 0's 4096 in allocation 0.");
    if (is_last_rank()) {
        int count = kBlock;
        ARMCI_PutS(local, NULL, slice, NULL, &count, 0, target);
        send_to(0); /* without a fence: it may take effect after this */
        receive_from(0);
        ARMCI_AllFence();
    } else {
        receive_from(1);
        ARMCI_Put(local, slice, kBlock, target);
        ARMCI_AllFence();
        send_to(1);
    }
    armci_msg_barrier();
}

static void put_and_accumulate(void) {
    int stride = 2 * (int)sizeof(double);
    int count[2] = {sizeof(double), 4};
    double scale = 1.0;
    expect_unordered("ARMCI_Free", "rank 0 by ARMCI_PutS and rank 1 by ARMCI_Acc have written",
                     "bytes 48 to 55 of rank 0's 4096 in allocation 0.");
    if (is_last_rank()) {
        ARMCI_Acc(ARMCI_ACC_DBL, &scale, local, slice + 40, 16, target);
    } else {
        ARMCI_PutS(local, &stride, slice, &stride, count, 1, target);
    }
    ARMCI_Free(bases[my_rank]);
}

/* ---- Each alone, and several ---- */

static void one_mistake_of_last_rank(void (*mistake)(void)) {
    start_checked();
    if (is_last_rank()) {
        mistake();
    }
    stop_library();
}

static void one_mistake(void (*mistake)(void)) {
    start_checked();
    mistake();
}

static void freed_memory_is_stored_to(void) {
    one_mistake(store_seen_by_malloc);
}
static void freed_memory_is_stored_to_before_the_end(void) {
    one_mistake(store_seen_at_the_end);
}
static void freed_local_memory_is_put_from(void) {
    one_mistake_of_last_rank(put_from_freed_local);
}
static void freed_memory_is_put_from(void) {
    one_mistake(put_from_freed);
}
static void memory_freed_by_its_owner_is_read(void) {
    one_mistake(get_from_freed_by_owner);
}
static void freed_local_memory_is_stored_to(void) {
    one_mistake_of_last_rank(store_to_freed_local);
}
static void source_changes(void) {
    one_mistake_of_last_rank(change_source);
}
static void source_changes_before_fence(void) {
    one_mistake_of_last_rank(change_source_before_fence);
}
static void destination_is_written(void) {
    one_mistake_of_last_rank(write_destination);
}
static void pending_source_is_got_into(void) {
    one_mistake_of_last_rank(get_into_pending_source);
}
static void pending_destination_is_put_from(void) {
    one_mistake_of_last_rank(put_from_pending_destination);
}
static void two_puts(void) {
    one_mistake(put_both);
}
static void two_puts_at_a_time(void) {
    one_mistake(put_while_the_other_is_open);
}
static void a_put_and_an_accumulate(void) {
    one_mistake(put_and_accumulate);
}

static void finalize_with_memory(void) {
    if (my_rank == 0) {
        expect_warning(NULL, "1 allocation was not freed before ARMCI_Finalize", NULL);
    }
    ARMCI_Finalize();
}

static void many_mistakes(void) {
    start_warned();
    if (is_last_rank()) {
        put_from_freed_local();
        change_source();
        change_source_before_fence();
        write_destination();
        get_into_pending_source();
        put_from_pending_destination();
    }
    ARMCI_Barrier();
    put_both();
    put_while_the_other_is_open();
    store_seen_by_malloc();
    if (is_last_rank()) {
        store_to_freed_local();
    }
    put_and_accumulate();
    finalize_with_memory();
}

/* ---- Calls that wait for each other ---- */

static void expect_different_calls(const char* mine, const char* other) {
    if (my_rank == 0) {
        expect(mine, text("rank 1 is in %s while this rank is in %s", other, mine),
               "let all ranks make the same collective calls", NULL);
    }
}

static void malloc_and_barrier(void) {
    start_checked();
    expect_different_calls("ARMCI_Malloc", "ARMCI_Barrier");
    if (is_last_rank()) {
        ARMCI_Barrier();
    } else {
        allocate();
    }
}

static void barrier_and_finalize(void) {
    setenv("ARMCI_CHECK", "warn", 1); /* no difference: they could not go on */
    start_library();
    expect_different_calls("ARMCI_Barrier", "ARMCI_Finalize");
    if (is_last_rank()) {
        ARMCI_Finalize();
    } else {
        ARMCI_Barrier();
    }
}

static void barrier_and_mpi_finalize(void) {
    start_checked();
    expect_different_calls("ARMCI_Barrier", "ARMCI_Finalize");
    if (is_last_rank()) {
        MPI_Finalize();
    } else {
        ARMCI_Barrier();
    }
}

static void sum_of_different_lengths(void) {
    start_checked();
    if (my_rank == 0) {
        expect("armci_msg_igop", "rank 1 has called armci_msg_igop with an argument (n or type)",
               "it must be the same on all ranks", NULL);
    }
    int values[2] = {1, 2};
    armci_msg_igop(values, 1 + my_rank, "+");
}

static void selection_and_exchange(void) {
    start_checked();
    expect_different_calls("armci_msg_sel_scope", "armci_exchange_address");
    void* addresses[2] = {NULL, NULL};
    if (is_last_rank()) {
        armci_exchange_address(addresses, rank_count);
    } else {
        armci_msg_sel_scope(SCOPE_ALL, addresses, sizeof(long), "max", ARMCI_LONG, 1);
    }
}

static void barrier_of_mutex_holder(void) {
    start_checked();
    ARMCI_Create_mutexes(1);
    if (is_last_rank()) {
        expect("ARMCI_Barrier", "rank 0 waits in ARMCI_Lock for mutex 0 of rank 0",
               "which this rank holds", "neither can go on", "Unlock it before", NULL);
        ARMCI_Lock(0, 0);
        send_to(0);
    } else {
        receive_from(1);
        ARMCI_Lock(0, 0);
    }
    ARMCI_Barrier();
}

static void finalize_with_mutex(void) {
    start_checked();
    ARMCI_Create_mutexes(1);
    if (is_last_rank()) {
        expect("ARMCI_Finalize", "this rank still holds 1 mutex, one of them of rank 0",
               "Unlock it first", NULL);
        ARMCI_Lock(0, 0);
    }
    stop_library();
}

static void finalize_with_pending(void) {
    start_checked();
    expect_status(0);
    if (is_last_rank()) {
        expect_warning("ARMCI_Finalize", "2 non-blocking operations were not waited for",
                       "call ARMCI_Wait or ARMCI_WaitAll", NULL);
        ARMCI_NbPut(local, slice, kBlock, target, NULL);
        ARMCI_NbGet(slice + kBlock, local + kBlock, kBlock, target, NULL);
    }
    finalize_with_memory();
}

/*
 * A rank that does not come is reported by the one that waits. This rank comes when it reads that
 * on the other's standard error, which is a pipe until then.
 */
static void rank_stays_away(void) {
    setenv("ARMCI_CHECK_PATIENCE_SECONDS", "1", 1);
    start_checked();
    expect_status(0);
    char name[512];
    snprintf(name, sizeof name, "%s.said", getenv("TEST_RECORD"));
    if (is_last_rank()) {
        receive_from(0);
        char line[1024] = "";
        FILE* said = fopen(name, "r");
        check(said != NULL && fgets(line, sizeof line, said) != NULL, "the message");
        ARMCI_Barrier();
        do {
            fputs(line, stderr);
        } while (fgets(line, sizeof line, said) != NULL);
        fclose(said);
    } else {
        expect_warning("ARMCI_Barrier", "waits for more than 1 s for 1 rank",
                       "(ARMCI_CHECK_PATIENCE_SECONDS)", "rank 1 is in no call that waits here",
                       "none may wait in MPI", NULL);
        const int standard_error = dup(STDERR_FILENO);
        check(mkfifo(name, 0600) == 0, "a pipe");
        send_to(1);
        check(freopen(name, "w", stderr) != NULL, "the pipe opens");
        check(fileno(stderr) == STDERR_FILENO, "standard error is the pipe");
        remove(name);
        ARMCI_Barrier();
        dup2(standard_error, STDERR_FILENO);
    }
    stop_library();
}

/* ---- Done right ---- */

static void use_buffers_right(void) {
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    char* mine = bases[my_rank];
    /* Several on one handle, of which a copy is waited for; other local bytes may be used
     * meanwhile. */
    ARMCI_NbPut(local, mine, kBlock, my_rank, &handle);
    ARMCI_NbPut(local + kBlock, mine + kBlock, kBlock, my_rank, &handle);
    local[2 * kBlock] = 1;
    armci_hdl_t copy = handle;
    ARMCI_Wait(&copy);
    memset(local, 1 + my_rank, 2 * kBlock);
    /* A fence completes puts; tests complete the operations of a handle. */
    ARMCI_NbPut(local, mine, kBlock, my_rank, NULL);
    ARMCI_Fence(my_rank);
    memset(local, 0, kBlock);
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_NbGet(mine, local, kBlock, my_rank, &handle);
    while (ARMCI_Test(&handle) != 0) {
    }
    check(local[kBlock - 1] == 1 + my_rank, "what was got");
    local[0] = 9;
    /* Two that read the same bytes, and a get beside them. */
    ARMCI_NbPut(local, mine, kBlock, my_rank, NULL);
    ARMCI_NbPut(local, mine + kBlock, kBlock, my_rank, NULL);
    ARMCI_NbGet(mine + kBlock, local + kBlock, kBlock, my_rank, NULL);
    ARMCI_WaitProc(my_rank);
    memset(local, 2, 2 * kBlock);
    /* A get from the rank's own memory onto itself. */
    mine[0] = 3;
    ARMCI_NbGet(mine, mine, kBlock, my_rank, NULL);
    ARMCI_WaitAll();
    check(mine[0] == 3, "what was got onto itself");
    ARMCI_Barrier();
}

static void write_in_turn(int turn) {
    if (my_rank == turn) {
        ARMCI_Put(local, slice, kBlock, target);
    }
}

/* The same bytes, with every kind of call between that orders writes. */
static void write_same_bytes_right(void) {
    write_in_turn(0);
    ARMCI_Barrier();
    write_in_turn(1);
    ARMCI_AllFence();
    armci_msg_barrier();
    /* A fence and a message. */
    if (my_rank == 0) {
        write_in_turn(0);
        ARMCI_Fence(target);
        send_to(1);
    } else {
        receive_from(0);
        write_in_turn(1);
        ARMCI_Fence(target);
        send_to(0);
    }
    if (my_rank == 0) {
        receive_from(1);
        write_in_turn(0);
    }
    ARMCI_Barrier();
    for (int i = 0; i < 10; i++) {
        ARMCI_Lock(0, 0);
        write_in_turn(my_rank);
        ARMCI_Unlock(0, 0);
    }
    ARMCI_Barrier();
    /* A notification; a flag with data; a word that is put after the data. */
    int* flag = (int*)(slice + 2048);
    for (int way = 0; way < 3; way++) {
        if (my_rank == 1) {
            if (way == 0) {
                write_in_turn(1);
                armci_notify(0);
            } else if (way == 1) {
                ARMCI_Put_flag(local, slice, kBlock, flag, 1, target);
            } else {
                write_in_turn(1);
                ARMCI_PutValueInt(2, flag, target);
            }
        } else {
            if (way == 0) {
                armci_notify_wait(1, NULL);
            } else {
                while (*(volatile int*)flag != way) {
                    sched_yield();
                }
            }
            write_in_turn(0);
        }
        ARMCI_Barrier();
    }
    /* Accumulates, and columns that lie between each other. */
    double scale = 1.0;
    ARMCI_Acc(ARMCI_ACC_DBL, &scale, local, slice, kBlock, target);
    int stride = 2 * kBlock;
    int count[2] = {kBlock, 8};
    ARMCI_PutS(local, &stride, slice + 1024 + my_rank * kBlock, &stride, count, 1, target);
    ARMCI_Barrier();
}

static void use_memory_right(void) {
    for (int i = 0; i < 3; i++) {
        allocate();
        ARMCI_Put(local, memory[my_rank], kBlock, my_rank);
        ARMCI_Barrier();
        memset(memory[my_rank], i, kBytes);
        ARMCI_Free(memory[my_rank]);
        char* buffer = ARMCI_Malloc_local(kBytes);
        ARMCI_Get(slice, buffer, kBlock, target);
        ARMCI_Free_local(buffer);
    }
    int sum = 1;
    armci_msg_igop(&sum, 1, "+");
    check(sum == rank_count, "the sum");
}

/* The blocks of a vector on both sides of memory that was freed. */
static void put_around_freed_right(void) {
    enum { kBlocks = 3 };
    for (int freed = 0; freed < kBlocks; freed++) {
        void* blocks[kBlocks];
        for (int i = 0; i < kBlocks; i++) {
            blocks[i] = ARMCI_Malloc_local(kBytes);
            memset(blocks[i], i, kBytes);
        }
        ARMCI_Free_local(blocks[freed]);
        blocks[freed] = blocks[kBlocks - 1];
        void* to[kBlocks] = {bases[my_rank], (char*)bases[my_rank] + kBlock};
        armci_giov_t vector = {
            .src_ptr_array = blocks, .dst_ptr_array = to, .ptr_array_len = 2, .bytes = kBlock};
        ARMCI_PutV(&vector, 1, my_rank);
        ARMCI_Free_local(blocks[0]);
        ARMCI_Free_local(blocks[1]);
    }
}

/* Memory that was never touched takes none when it is freed. */
static void free_untouched_right(void) {
    enum { kMany = 256 << 20 };
    struct rusage before;
    struct rusage after;
    void* buffer = ARMCI_Malloc_local(kMany);
    getrusage(RUSAGE_SELF, &before);
    ARMCI_Free_local(buffer);
    getrusage(RUSAGE_SELF, &after);
    check(after.ru_maxrss - before.ru_maxrss < kMany / 2 / 1024, "freed memory takes %ld KiB",
          after.ru_maxrss - before.ru_maxrss);
}

static void correct_program(void) {
    start_checked();
    expect_status(0);
    ARMCI_Create_mutexes(1);
    use_buffers_right();
    write_same_bytes_right();
    use_memory_right();
    put_around_freed_right();
    free_untouched_right();
    ARMCI_Destroy_mutexes();
    stop_library();
}

const struct Case checking_cases[] = {
    CASE(put_to_freed, ON_ITS_OWN, ANY),
    CASE(free_twice, ON_ITS_OWN, NODE),
    CASE(freed_memory_is_stored_to, ON_ITS_OWN, NODE),
    CASE(freed_memory_is_stored_to_before_the_end, ON_ITS_OWN, NODE),
    CASE(freed_local_memory_is_put_from, ON_ITS_OWN, NODE),
    CASE(freed_local_memory_is_stored_to, ON_ITS_OWN, NODE),
    CASE(freed_memory_is_put_from, ON_ITS_OWN, ANY),
    CASE(memory_freed_by_its_owner_is_read, ON_ITS_OWN, NODE),
    CASE(source_changes, ON_ITS_OWN, NODE),
    CASE(source_changes_before_fence, ON_ITS_OWN, NODE),
    CASE(destination_is_written, ON_ITS_OWN, NODE),
    CASE(pending_source_is_got_into, ON_ITS_OWN, NODE),
    CASE(pending_destination_is_put_from, ON_ITS_OWN, NODE),
    CASE(two_puts, ON_ITS_OWN, NODE),
    CASE(two_puts_at_a_time, ON_ITS_OWN, NODE),
    CASE(a_put_and_an_accumulate, ON_ITS_OWN, NODE),
    CASE(many_mistakes, ON_ITS_OWN, ANY),
    CASE(malloc_and_barrier, ON_ITS_OWN, ANY),
    CASE(barrier_and_finalize, ON_ITS_OWN, NODE),
    CASE(barrier_and_mpi_finalize, ON_ITS_OWN, NODE),
    CASE(sum_of_different_lengths, ON_ITS_OWN, NODE),
    CASE(selection_and_exchange, ON_ITS_OWN, NODE),
    CASE(barrier_of_mutex_holder, ON_ITS_OWN, ANY),
    CASE(finalize_with_mutex, ON_ITS_OWN, NODE),
    CASE(finalize_with_pending, ON_ITS_OWN, NODE),
    CASE(rank_stays_away, ON_ITS_OWN, NODES),
    CASE(correct_program, ON_ITS_OWN, ANY),
    {0},
};
