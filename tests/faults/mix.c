/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mix <rounds> <seed> [<MiB>]: a random mix of all kinds of operations between all ranks, checked
 * as it goes. After so many rounds the sums are checked and the program ends; 0 rounds: it never
 * ends. Each rank has so many MiB more of global memory than it needs. TEST_MEMORY=attached: the
 * memory is the ranks' own, and attached. Each rank adds "<rank> <process>" to the file named by
 * TEST_RECORD when it is in the middle. The program ends, too, when the file named by TEST_STOP is
 * there.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "armci/armci.h"
#include "armci/armcix.h"

/* Bytes of each slice: a part for each origin, a shared sum, two counters. */
enum { kBlockBytes = 192 * 1024, kSumBytes = 16 * 1024, kCounterBytes = 64, kOperations = 24 };

static int my_rank = 0;
static int rank_count = 1;
static void** slices;
static int is_attached = 0;
static unsigned long random_state;
static unsigned char* sent; /* of my block at each target: what is there */
static unsigned char* buffer;
static double* ones;
static long added = 0;   /* to each element of all sums together, by me */
static long counted = 0; /* on all counters together, by me */
static long locked = 0;  /* likewise, under the mutexes */

static _Noreturn void fail(const char* format, ...) {
    char reason[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    /* Writes in one piece: other ranks, and the library, write to the same pipe. */
    fprintf(stderr, "FAILED on rank %d: %s\n", my_rank, reason);
    MPI_Abort(MPI_COMM_WORLD, 99);
    _exit(99); /* MPICH 4.2 returns */
}

/* Below `limit`; a linear congruential generator, its upper bits. */
static int next_random(unsigned long* state, int limit) {
    *state = *state * 6364136223846793005ul + 1442695040888963407ul;
    return (int)((*state >> 33) % (unsigned long)limit);
}

static int draw(int limit) {
    return next_random(&random_state, limit);
}

static char* my_block(int target) {
    return (char*)slices[target] + (size_t)my_rank * kBlockBytes;
}

static double* sum_of(int target) {
    return (double*)((char*)slices[target] + (size_t)rank_count * kBlockBytes);
}

static long* counters_of(int target) {
    return (long*)((char*)sum_of(target) + kSumBytes);
}

static void tell_process_number(void) {
    const char* name = getenv("TEST_RECORD");
    char line[48];
    const int bytes = snprintf(line, sizeof line, "%d %d\n", my_rank, (int)getpid());
    if (name == NULL) {
        return;
    }
    const int file = open(name, O_WRONLY | O_APPEND);
    if (file < 0 || write(file, line, (size_t)bytes) != bytes) {
        fail("the test's record");
    }
    close(file);
}

static void put(int target, int is_blocking) {
    const int length = draw(4) == 0 ? draw(kBlockBytes) + 1 : draw(512) + 1;
    const int offset = draw(kBlockBytes - length + 1);
    unsigned char* image = sent + (size_t)target * kBlockBytes + offset;
    memset(image, draw(256), (size_t)length);
    if (is_blocking) {
        ARMCI_Put(image, my_block(target) + offset, length, target);
    } else {
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_NbPut(image, my_block(target) + offset, length, target, &handle);
        ARMCI_Wait(&handle);
    }
}

static void put_strided(int target) {
    const int run = 8 * (draw(16) + 1);
    int count[2] = {run, draw(100) + 1};
    int stride = run + 8 * draw(8);
    unsigned char* image = sent + (size_t)target * kBlockBytes;
    for (int i = 0; i < count[1]; i++) {
        memset(image + i * stride, draw(256), (size_t)run);
    }
    ARMCI_PutS(image, &stride, my_block(target), &stride, count, 1, target);
}

static void get(int target) {
    const int length = draw(4) == 0 ? draw(kBlockBytes) + 1 : draw(512) + 1;
    const int offset = draw(kBlockBytes - length + 1);
    ARMCI_Get(my_block(target) + offset, buffer, length, target);
    if (memcmp(buffer, sent + (size_t)target * kBlockBytes + offset, (size_t)length) != 0) {
        fail("a get of %d bytes at %d from rank %d is not what was put", length, offset, target);
    }
}

static void operate(void) {
    const int target = draw(rank_count);
    long before = 0;
    double scale = 1.0;
    switch (draw(8)) {
        case 0:
        case 1:
            put(target, draw(2));
            break;
        case 2:
            put_strided(target);
            break;
        case 3:
            get(target);
            break;
        case 4:
            ARMCI_Acc(ARMCI_ACC_DBL, &scale, ones, sum_of(target), kSumBytes, target);
            added++;
            break;
        case 5:
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &before, counters_of(target), 1, target);
            counted++;
            break;
        case 6:
            ARMCI_Lock(0, target);
            ARMCI_Get(counters_of(target) + 1, &before, sizeof before, target);
            before++;
            ARMCI_Put(&before, counters_of(target) + 1, sizeof before, target);
            ARMCI_Unlock(0, target);
            locked++;
            break;
        default:
            ARMCI_Fence(target);
            break;
    }
}

static void check_sums(void) {
    long mine[3] = {added, counted, locked};
    long all[3];
    long found[3] = {0, counters_of(my_rank)[0], counters_of(my_rank)[1]};
    const double* sum = sum_of(my_rank);
    found[0] = (long)sum[0];
    for (size_t i = 0; i < kSumBytes / sizeof *sum; i++) {
        if (sum[i] != sum[0]) {
            fail("element %zu of the sum is %g, the first one %g", i, sum[i], sum[0]);
        }
    }
    MPI_Allreduce(mine, all, 3, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, found, 3, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) {
        if (found[i] != all[i]) {
            fail("total %d is %ld, expected %ld", i, found[i], all[i]);
        }
    }
}

/* TEST_DESCRIPTORS: this rank can open so many files more, and no others. TEST_SOFT_DESCRIPTORS: it
 * can do so until it raises the limit. */
static void limit_descriptors(void) {
    const char* hard = getenv("TEST_DESCRIPTORS");
    const char* text = hard != NULL ? hard : getenv("TEST_SOFT_DESCRIPTORS");
    if (text == NULL) {
        return;
    }
    struct rlimit limit;
    const int next = dup(STDERR_FILENO);
    if (next < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        fail("the limit on open files");
    }
    limit.rlim_cur = (rlim_t)(next + atoi(text));
    limit.rlim_max = hard != NULL ? limit.rlim_cur : limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
        fail("the limit on open files");
    }
    close(next);
}

/* Every rank's slice, zero: global memory, or the ranks' own memory. */
static void allocate(size_t bytes) {
    const char* kind = getenv("TEST_MEMORY");
    if (kind == NULL || strcmp(kind, "attached") != 0) {
        if (ARMCI_Malloc(slices, (armci_size_t)bytes) != 0) {
            fail("no global memory");
        }
        memset(slices[my_rank], 0, bytes);
        return;
    }
    is_attached = 1;
    void* mine = calloc(1, bytes);
    ARMCIX_Attach(mine, bytes);
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, slices, sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
}

static void release(void) {
    if (!is_attached) {
        ARMCI_Free(slices[my_rank]);
        return;
    }
    ARMCIX_Detach(slices[my_rank]);
    free(slices[my_rank]);
}

/* Global memory that the library may keep after this. */
static void use_and_free(size_t bytes) {
    if (bytes > 0) {
        allocate(bytes);
        memset(slices[my_rank], 1, bytes);
        release();
    }
}

/* Collective. */
static int is_to_stop(void) {
    const char* name = getenv("TEST_STOP");
    int is_there = name != NULL && access(name, F_OK) == 0;
    MPI_Bcast(&is_there, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return is_there;
}

int main(int argc, char** argv) {
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: %s <rounds> <seed> [<MiB>]\n", argv[0]);
        return 2;
    }
    const long rounds = atol(argv[1]);
    unsigned long common_state = strtoul(argv[2], NULL, 10);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
    random_state = common_state * 1000 + (unsigned long)my_rank;
    limit_descriptors();
    if (ARMCI_Init() != 0) {
        fail("ARMCI_Init");
    }
    const size_t blocks_bytes = (size_t)rank_count * kBlockBytes;
    const size_t more_bytes = argc == 4 ? (size_t)atol(argv[3]) << 20 : 0;
    const size_t slice_bytes = blocks_bytes + kSumBytes + kCounterBytes + more_bytes;
    slices = calloc((size_t)rank_count, sizeof *slices);
    sent = calloc(1, blocks_bytes);
    buffer = malloc(kBlockBytes);
    ones = malloc(kSumBytes);
    if (slices == NULL || sent == NULL || buffer == NULL || ones == NULL ||
        ARMCI_Create_mutexes(1) != 0) {
        fail("memory or mutexes");
    }
    const char* freed_mib = getenv("TEST_FREED_MIB");
    use_and_free(freed_mib != NULL ? (size_t)atol(freed_mib) << 20 : 0);
    allocate(slice_bytes);
    for (size_t i = 0; i < kSumBytes / sizeof *ones; i++) {
        ones[i] = 1.0;
    }
    ARMCI_Barrier();
    for (long round = 0; rounds == 0 || round < rounds; round++) {
        for (int i = draw(kOperations); i >= 0; i--) {
            operate();
        }
        if (next_random(&common_state, 4) == 0) {
            ARMCI_Barrier();
            if (is_to_stop()) {
                break;
            }
        }
        if (round == 2) {
            tell_process_number();
        }
    }
    ARMCI_Barrier();
    check_sums();
    ARMCI_Destroy_mutexes();
    release();
    ARMCI_Finalize();
    MPI_Finalize();
    free(ones);
    free(buffer);
    free(sent);
    free(slices);
    return 0;
}
