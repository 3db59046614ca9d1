/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/check.h"

#include <ga.h>
#include <macdecls.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMaxMessages = 5 };        /* of failures, per rank and section */
enum { kStackDoubles = 1 << 20 }; /* MA's stack, of which Global Arrays takes temporary space */
enum { kHeapDoubles = 1 << 20 };  /* MA's heap */
enum { kTotal, kWrong, kCounterCount }; /* what is counted in a section */

static struct {
    MPI_Comm comm;
    int rank;
    int size;
    int section_count;
    int bad_section_count; /* the same on every rank */
    bool is_in_section;
    char section[160];
    int64_t counters[kCounterCount]; /* of this rank in the running section */
    int message_count;
} program;

void end_section(void) {
    if (!program.is_in_section) {
        return;
    }
    program.is_in_section = false;
    long long sums[kCounterCount] = {program.counters[kTotal], program.counters[kWrong]};
    MPI_Allreduce(MPI_IN_PLACE, sums, kCounterCount, MPI_LONG_LONG, MPI_SUM, program.comm);
    if (sums[kTotal] == 0 || sums[kWrong] > 0) {
        program.bad_section_count++;
    }
    if (program.rank != 0) {
        return;
    }
    if (sums[kTotal] == 0) {
        printf("FAIL  %s: nothing was checked\n", program.section);
    } else if (sums[kWrong] > 0) {
        printf("FAIL  %s: %lld of %lld checks\n", program.section, sums[kWrong], sums[kTotal]);
    } else {
        printf("ok    %s (%lld checks)\n", program.section, sums[kTotal]);
    }
    fflush(stdout);
}

void start_checks(void) {
    MPI_Comm_dup(MPI_COMM_WORLD, &program.comm);
    MPI_Comm_rank(program.comm, &program.rank);
    MPI_Comm_size(program.comm, &program.size);
}

int end_checks(void) {
    end_section();
    MPI_Comm_free(&program.comm);
    const bool passed = program.section_count > 0 && program.bad_section_count == 0;
    if (program.rank == 0) {
        printf("%s\n", passed ? "PASS" : "FAIL");
        fflush(stdout);
    }
    return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}

void start_program(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    start_checks();
    GA_Initialize();
    if (!MA_init(C_DBL, kStackDoubles, kHeapDoubles)) {
        give_up("MA_init failed");
    }
}

int end_program(void) {
    const int status = end_checks();
    GA_Terminate();
    MPI_Finalize();
    return status;
}

int my_rank(void) {
    return program.rank;
}

int rank_count(void) {
    return program.size;
}

MPI_Comm checks_comm(void) {
    return program.comm;
}

void begin_section(const char* format, ...) {
    end_section();
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(program.section, sizeof program.section, format, arguments);
    va_end(arguments);
    program.section_count++;
    program.is_in_section = true;
    program.counters[kTotal] = 0;
    program.counters[kWrong] = 0;
    program.message_count = 0;
}

static void count_checks(int64_t total, int64_t wrong, const char* format, va_list arguments) {
    program.counters[kTotal] += total;
    program.counters[kWrong] += wrong;
    if (wrong == 0 || program.message_count == kMaxMessages) {
        return;
    }
    program.message_count++;
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    printf("[rank %d] %s: %s\n", program.rank, program.section, text);
    fflush(stdout);
}

void check(bool ok, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    count_checks(1, ok ? 0 : 1, format, arguments);
    va_end(arguments);
}

void check_many(int64_t total, int64_t wrong, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    count_checks(total, wrong, format, arguments);
    va_end(arguments);
}

void give_up(const char* format, ...) {
    char reason[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    fprintf(stderr, "[rank %d] the test cannot go on: %s\n", program.rank, reason);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    abort();
}

void* allocate(size_t bytes) {
    void* memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL) {
        give_up("no memory for %zu bytes", bytes);
    }
    return memory;
}
