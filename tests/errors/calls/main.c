/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bad_call <group>.<case>... runs cases; several only of those that share a job. bad_call --list
 * prints "group.case shape shared|own" for each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bad_call.h"

int my_rank = kNobody;
int rank_count = 1;
int target = 0;
char* slice = NULL;
char* local = NULL;
void** bases = NULL;

static const struct {
    const char* name;
    const struct Case* cases;
} groups[] = {
    {"rank", rank_cases},           {"address", address_cases},
    {"null", null_cases},           {"amount", amount_cases},
    {"type", type_cases},           {"memory", memory_cases},
    {"mutex", mutex_cases},         {"abort", abort_cases},
    {"lifecycle", lifecycle_cases}, {"exhaustion", exhaustion_cases},
    {"lenient", lenient_cases},     {"attach", attach_cases},
    {"checking", checking_cases},   {"checked_transfer", checked_transfer_cases},
    {"threads", threads_cases},
};
enum { kGroups = sizeof groups / sizeof groups[0] };

/* ---- Set-up ---- */

void start_mpi(int thread_level) {
    int provided = 0;
    MPI_Init_thread(NULL, NULL, thread_level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
}

void start_library(void) {
    if (my_rank == kNobody) {
        start_mpi(MPI_THREAD_SINGLE);
    }
    check(ARMCI_Init() == 0, "ARMCI_Init");
    bases = calloc((size_t)rank_count, sizeof *bases);
    local = calloc(1, kSliceBytes);
    check(bases != NULL && local != NULL, "memory for the test");
    check(ARMCI_Malloc(bases, kSliceBytes) == 0, "ARMCI_Malloc");
    slice = bases[target];
}

void stop_library(void) {
    check(ARMCI_Free(bases[my_rank]) == 0, "ARMCI_Free");
    check(ARMCI_Finalize() == 0, "ARMCI_Finalize");
}

bool is_last_rank(void) {
    return my_rank == rank_count - 1;
}

/* ---- Running ---- */

static bool shares_job(const struct Case* one) {
    return one->caller >= CHILD_BEFORE_INIT;
}

static void finish_mpi(void) {
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (initialized && !finalized) {
        MPI_Finalize();
    }
}

static void run_alone(const struct Case* one) {
    if (one->caller == ON_ITS_OWN) {
        one->run();
        return;
    }
    start_library();
    if (one->caller == ALL_RANKS || is_last_rank()) {
        one->run();
    }
    /* Only correct cases come here; a wrong call that returns ends the job with 0. */
    ARMCI_Barrier();
    stop_library();
}

/* The names of those cases, with the given caller, in their order. */
static void run_those_of(enum Caller caller, char** names, const struct Case** cases, int count) {
    for (int i = 0; i < count; i++) {
        if (cases[i]->caller != caller) {
            continue;
        }
        if (is_last_rank()) {
            record(text("case\t%s\n", names[i]));
        }
        if (caller == EVERYBODY) {
            cases[i]->run();
            ARMCI_Barrier();
            if (is_last_rank()) {
                record("ended\t0\n");
            }
        } else if (is_last_rank()) {
            run_in_child(cases[i]);
        }
    }
}

static void run_together(char** names, const struct Case** cases, int count) {
    start_mpi(MPI_THREAD_SINGLE);
    run_those_of(CHILD_BEFORE_INIT, names, cases, count);
    start_library();
    run_those_of(CHILD, names, cases, count);
    run_those_of(EVERYBODY, names, cases, count);
    stop_library();
    run_those_of(CHILD_AFTER_FINALIZE, names, cases, count);
}

static int list(void) {
    static const char* const shapes[] = {"alone", "node", "nodes", "any"};
    for (int group = 0; group < kGroups; group++) {
        for (const struct Case* one = groups[group].cases; one->name != NULL; one++) {
            printf("%s.%s %s %s\n", groups[group].name, one->name, shapes[one->shape],
                   shares_job(one) ? "shared" : "own");
        }
    }
    return 0;
}

static const struct Case* find_case(const char* name) {
    for (int group = 0; group < kGroups; group++) {
        for (const struct Case* one = groups[group].cases; one->name != NULL; one++) {
            if (strcmp(text("%s.%s", groups[group].name, one->name), name) == 0) {
                return one;
            }
        }
    }
    fprintf(stderr, "there is no case %s\n", name);
    exit(2);
}

int main(int argc, char** argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: %s GROUP.CASE... | --list\n", argv[0]);
        return 2;
    }
    if (strcmp(argv[1], "--list") == 0) {
        return list();
    }
    const int count = argc - 1;
    const struct Case** cases = calloc((size_t)count, sizeof(struct Case*));
    check(cases != NULL, "memory for the test");
    for (int i = 0; i < count; i++) {
        cases[i] = find_case(argv[i + 1]);
        if (count > 1 && !shares_job(cases[i])) {
            fprintf(stderr, "%s needs a job of its own\n", argv[i + 1]);
            return 2;
        }
    }
    if (shares_job(cases[0])) {
        run_together(argv + 1, cases, count);
    } else {
        run_alone(cases[0]);
    }
    finish_mpi();
    return 0;
}
