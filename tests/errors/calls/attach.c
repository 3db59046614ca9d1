/* SPDX-License-Identifier: BSD-3-Clause */
/* Attached memory: ranges that cannot be attached or detached, and access to memory that is not
 * attached, or not any more. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "bad_call.h"

enum {
    kPage = 4096,
    kMapped = 3 * kPage,
    kLong = 10000, /* does not fit a batch */
};

static long one = 1;
static long long_data[kLong / sizeof(long)];

/* ---- Calls that are wrong by themselves ----
 * Each with memory of its own: what a child has attached stays in the directory that all share. */

static void attach_null(void) {
    expect("ARMCIX_Attach", "argument ptr is a null pointer", NULL);
    ARMCIX_Attach(NULL, 8);
}

static void attach_nothing(void) {
    expect("ARMCIX_Attach", "argument bytes = 0", "at least one byte", NULL);
    ARMCIX_Attach(local, 0);
}

static void expect_no_memory_at(const void* memory, size_t bytes) {
    expect("ARMCIX_Attach", text("arguments ptr = %p, bytes = %zu", memory, bytes),
           "no program has memory there", "attach memory of the program's own", NULL);
}

static void attach_nowhere(void) {
    expect_no_memory_at((void*)0x1000, 8);
    ARMCIX_Attach((void*)0x1000, 8);
}

static void attach_beyond_address_space(void) {
    const size_t bytes = (size_t)-1 - 64;
    expect_no_memory_at(local, bytes);
    ARMCIX_Attach(local, bytes);
}

static void attach_global_memory(void) {
    char* mine = bases[my_rank];
    expect("ARMCIX_Attach", text("arguments ptr = %p, bytes = 8", (void*)(mine + 16)),
           "overlaps the library's global memory, which needs no attaching", NULL);
    ARMCIX_Attach(mine + 16, 8);
}

static void expect_overlap(const void* memory, size_t bytes, const void* begin, const void* end) {
    expect("ARMCIX_Attach", text("arguments ptr = %p, bytes = %zu", memory, bytes),
           text("overlaps [0x%lx, 0x%lx), which is attached already", (long)begin, (long)end),
           "call ARMCIX_Detach", NULL);
}

static void attach_twice(void) {
    static char memory[64];
    ARMCIX_Attach(memory, sizeof memory);
    expect_overlap(memory, sizeof memory, memory, memory + 64);
    ARMCIX_Attach(memory, sizeof memory);
}

static void attach_overlapping_end(void) {
    static char memory[64];
    ARMCIX_Attach(memory, 32);
    expect_overlap(memory + 31, 8, memory, memory + 32);
    ARMCIX_Attach(memory + 31, 8);
}

static void attach_around(void) {
    static char memory[64];
    ARMCIX_Attach(memory + 16, 16);
    expect_overlap(memory, 64, memory + 16, memory + 32);
    ARMCIX_Attach(memory, 64);
}

static void detach_null(void) {
    expect("ARMCIX_Detach", "argument ptr is a null pointer", NULL);
    ARMCIX_Detach(NULL);
}

static void expect_not_attached(const void* memory) {
    expect("ARMCIX_Detach", text("argument ptr = %p", memory),
           "this rank has attached nothing that begins there", "what ARMCIX_Attach was called with",
           NULL);
}

static void detach_what_is_not_attached(void) {
    expect_not_attached(local);
    ARMCIX_Detach(local);
}

static void detach_global_memory(void) {
    expect_not_attached(bases[my_rank]);
    ARMCIX_Detach(bases[my_rank]);
}

static void detach_inside(void) {
    static char memory[64];
    ARMCIX_Attach(memory, sizeof memory);
    expect_not_attached(memory + 8);
    ARMCIX_Detach(memory + 8);
}

static void detach_twice(void) {
    static char memory[64];
    ARMCIX_Attach(memory, sizeof memory);
    ARMCIX_Detach(memory);
    expect_not_attached(memory);
    ARMCIX_Detach(memory);
}

static void attach_too_many(void) {
    enum { kMax = 8192 };
    static char memory[2 * kMax + 2];
    for (int i = 0; i < kMax; i++) {
        ARMCIX_Attach(memory + 2 * i, 1);
    }
    expect("ARMCIX_Attach", "8192 ranges are attached on", "detach what is not in use", NULL);
    ARMCIX_Attach(memory + 2 * kMax, 1);
}

/* As in a container that does not allow processes to read each other. */
static void attach_without_access(void) {
    static char memory[64];
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
    check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
              prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0,
          "no system call filters on this system");
    expect("ARMCIX_Attach", "the other ranks of", "cannot access memory of this process",
           "process_vm_readv is refused", "kernel.yama.ptrace_scope", NULL);
    ARMCIX_Attach(memory, sizeof memory);
}

/* ---- Access to memory of rank 0, by the last rank ---- */

static bool is_far(void) {
    return ARMCIX_Node(target) != ARMCIX_Node(my_rank);
}

/* Rank 0's pointer, on all ranks, after rank 0 has made its part of the case. */
static char* broadcast_pointer(char* memory) {
    MPI_Bcast(&memory, sizeof memory, MPI_BYTE, target, MPI_COMM_WORLD);
    return memory;
}

static void expect_outside(const char* function, const char* argument, const void* address) {
    expect(function, text("argument %s: 8 bytes at 0x%lx of rank 0", argument, (long)address),
           "not all global memory", "outside rank 0's global memory",
           "inside one range that it has attached (ARMCIX_Attach)", NULL);
}

/* All ranks enter; only the last one makes the call. */
static void get_outside(char* address) {
    if (is_last_rank()) {
        expect_outside("ARMCI_Get", "src", address);
        ARMCI_Get(address, local, 8, target);
    }
}

static void get_unattached(void) {
    get_outside(broadcast_pointer(local));
}

/* Attached by the caller, not by the target. */
static void get_from_wrong_owner(void) {
    static char memory[64];
    if (is_last_rank()) {
        ARMCIX_Attach(memory, sizeof memory);
        expect_outside("ARMCI_Get", "src", memory);
        ARMCI_Get(memory, local, 8, target);
    }
}

static char* attach_at_target(char* memory, size_t bytes) {
    if (my_rank == target) {
        ARMCIX_Attach(memory, bytes);
    }
    memory = broadcast_pointer(memory);
    if (is_last_rank()) {
        ARMCI_Put(local, memory, 8, target); /* which works */
        ARMCI_Fence(target);
    }
    return memory;
}

static void get_past_end(void) {
    get_outside(attach_at_target(local, 64) + 57);
}

static void get_before_begin(void) {
    get_outside(attach_at_target(local + 64, 64) - 1);
}

static void get_across_two_ranges(void) {
    if (my_rank == target) {
        ARMCIX_Attach(local + 64, 64);
    }
    get_outside(attach_at_target(local, 64) + 60);
}

/* A rank of another node may have known the range; its data server reports the error then. */
static void get_detached(void) {
    char* memory = attach_at_target(local, 64);
    MPI_Barrier(MPI_COMM_WORLD);
    if (my_rank == target) {
        ARMCIX_Detach(memory);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_last_rank() && is_far()) {
        expect("ARMCI_Get", text("refused a get request for 8 bytes at 0x%lx", (long)memory),
               "neither inside global memory of that node nor inside memory that is attached there",
               NULL);
        ARMCI_Get(memory, local, 8, target);
    } else {
        get_outside(memory);
    }
}

static void get_detached_from_far(void) {
    get_detached();
}

static void get_unattached_from_far(void) {
    get_unattached();
}

static void get_past_end_from_far(void) {
    get_past_end();
}

static void get_from_wrong_owner_from_far(void) {
    get_from_wrong_owner();
}

/* Attached, and then unmapped or made read-only by rank 0. */
static char* attach_and_spoil(bool unmap) {
    char* memory = mmap(NULL, kMapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(memory != MAP_FAILED, "mmap");
    char* mine = memory;
    memory = attach_at_target(memory, kMapped);
    MPI_Barrier(MPI_COMM_WORLD);
    if (my_rank == target) {
        check((unmap ? munmap(mine, kMapped) : mprotect(mine, kMapped, PROT_READ)) == 0,
              "spoiling the memory");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return memory;
}

static const char* const kAdvice = "ARMCIX_Detach before attached memory is freed or unmapped";

/* The caller itself reports it, or the data server, which knows the function if it is asked for
 * an answer. */
static void expect_fault(const char* function, const char* request, bool has_answer, int bytes,
                         const void* address) {
    if (is_far()) {
        expect(has_answer ? function : NULL,
               text("the data server of node 0 refused a %s request for ", request),
               /* of a long transfer, the first chunk's */
               bytes == kLong ? "" : text("%d", bytes),
               text(" bytes at 0x%lx of rank 0", (long)address), kAdvice, NULL);
    } else {
        expect(function,
               text("attached memory at 0x%lx of rank 0 cannot be accessed", (long)address),
               kAdvice, NULL);
    }
}

static void get_unmapped(void) {
    char* memory = attach_and_spoil(true);
    if (is_last_rank()) {
        expect_fault("ARMCI_Get", "get", true, 100, memory + 8);
        ARMCI_Get(memory + 8, local, 100, target);
    }
}

static void put_read_only(void) {
    char* memory = attach_and_spoil(false);
    if (is_last_rank()) {
        expect_fault("ARMCI_Put", "batch", false, 4000, memory + 8);
        ARMCI_Put(local, memory + 8, 4000, target);
        ARMCI_Fence(target);
    }
}

static void put_large_read_only(void) {
    char* memory = attach_and_spoil(false);
    if (is_last_rank()) {
        expect_fault("ARMCI_Put", "put", false, kLong, memory);
        ARMCI_Put(long_data, memory, kLong, target);
        ARMCI_Fence(target);
    }
}

static void acc_read_only(void) {
    char* memory = attach_and_spoil(false);
    if (is_last_rank()) {
        expect_fault("ARMCI_Acc", "accumulate", false, kLong, memory);
        ARMCI_Acc(ARMCI_ACC_LNG, &one, long_data, memory, kLong, target);
        ARMCI_Fence(target);
    }
}

static void rmw_unmapped(void) {
    char* memory = attach_and_spoil(true);
    if (is_last_rank()) {
        expect_fault("ARMCI_Rmw", "rmw", true, 8, memory + 16);
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, local, memory + 16, 1, target);
    }
}

static void flag_read_only(void) {
    char* memory = attach_and_spoil(false);
    if (is_last_rank()) {
        expect_fault("ARMCI_Put_flag", "put flag", false, 4, memory + 64);
        ARMCI_Put_flag(local, slice, 8, (int*)(memory + 64), 1, target);
        ARMCI_Fence(target);
    }
}

const struct Case attach_cases[] = {
    /* promise: attach.misuse */
    CHECK(attach_null),
    /* promise: attach.misuse */
    CHECK(attach_nothing),
    CHECK(attach_nowhere),
    CHECK(attach_beyond_address_space),
    /* promise: attach.misuse */
    CHECK(attach_global_memory),
    /* promise: attach.misuse */
    CHECK(attach_twice),
    CHECK(attach_overlapping_end),
    CHECK(attach_around),
    /* promise: attach.misuse */
    CHECK(detach_null),
    CHECK(detach_what_is_not_attached),
    CHECK(detach_global_memory),
    /* promise: attach.misuse */
    CHECK(detach_inside),
    /* promise: attach.misuse */
    CHECK(detach_twice),
    /* promise: attach.most-ranges */
    CASE(attach_too_many, LAST_RANK, NODE),
    /* promise: attach.no-access */
    CASE(attach_without_access, LAST_RANK, NODE),
    CASE(get_unattached, ALL_RANKS, NODE),
    CASE(get_unattached_from_far, ALL_RANKS, NODES),
    CASE(get_from_wrong_owner, ALL_RANKS, NODE),
    CASE(get_from_wrong_owner_from_far, ALL_RANKS, NODES),
    /* promise: attach.outside */
    CASE(get_past_end, ALL_RANKS, NODE),
    /* promise: attach.outside */
    CASE(get_past_end_from_far, ALL_RANKS, NODES),
    CASE(get_before_begin, ALL_RANKS, NODES),
    /* promise: attach.outside */
    CASE(get_across_two_ranges, ALL_RANKS, NODE),
    CASE(get_detached, ALL_RANKS, NODE),
    CASE(get_detached_from_far, ALL_RANKS, NODES),
    /* promise: attach.spoiled */
    CASE(get_unmapped, ALL_RANKS, ANY),
    /* promise: attach.spoiled */
    CASE(put_read_only, ALL_RANKS, ANY),
    /* promise: attach.spoiled */
    CASE(put_large_read_only, ALL_RANKS, ANY),
    /* promise: attach.spoiled */
    CASE(acc_read_only, ALL_RANKS, ANY),
    /* promise: attach.spoiled */
    CASE(rmw_unmapped, ALL_RANKS, ANY),
    CASE(flag_read_only, ALL_RANKS, NODES),
    {0},
};
