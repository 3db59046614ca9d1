/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of wrong calls: `bad_call <group>.<case>...`. Each case states with expect() what the
 * library must print, and makes the call. run_calls.py judges it from outside. The cases of a group
 * are a table in the file of that name.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>

#include "armci/armci.h"
#include "armci/armcix.h"
#include "armci/message.h"

/* How many ranks, and on how many nodes. */
enum Shape {
    ALONE, /* one rank */
    NODE,  /* two ranks on one node */
    NODES, /* two ranks on two virtual nodes */
    ANY    /* two ranks in every layout */
};

/* Which ranks run the case, and when. */
enum Caller {
    /* These have a job to themselves. */
    LAST_RANK,  /* the others wait in a barrier meanwhile; the library is up */
    ALL_RANKS,  /* the library is up */
    ON_ITS_OWN, /* all ranks, and nothing is started: not even MPI */
    /*
     * These share a job. A wrong call that is found without any communication is made in a child
     * process of the last rank; MPI_Abort ends the child only.
     */
    CHILD_BEFORE_INIT, /* MPI is up, the library is not */
    CHILD,             /* the library is up */
    CHILD_AFTER_FINALIZE,
    EVERYBODY /* all ranks; nothing may go wrong; the library is up */
};

struct Case {
    const char* name;
    void (*run)(void);
    enum Caller caller;
    enum Shape shape;
};

/* Lines of a table; a case is named as its function. */
#define CASE(function, caller, shape) \
    { #function, function, caller, shape }
#define CHECK(function) CASE(function, CHILD, ANY)
#define CHECK_EARLY(function) CASE(function, CHILD_BEFORE_INIT, ANY)
#define CHECK_LATE(function) CASE(function, CHILD_AFTER_FINALIZE, ANY)
#define HARMLESS(function) CASE(function, EVERYBODY, ANY)

/* Each table ends with a case without a name. */
extern const struct Case rank_cases[];
extern const struct Case address_cases[];
extern const struct Case attach_cases[];
extern const struct Case null_cases[];
extern const struct Case amount_cases[];
extern const struct Case type_cases[];
extern const struct Case memory_cases[];
extern const struct Case mutex_cases[];
extern const struct Case lifecycle_cases[];
extern const struct Case abort_cases[];
extern const struct Case exhaustion_cases[];
extern const struct Case lenient_cases[];
extern const struct Case checking_cases[];
extern const struct Case checked_transfer_cases[];
extern const struct Case threads_cases[];

/* ---- The set-up ---- */

enum { kSliceBytes = 4096, kNobody = -1 };

extern int my_rank; /* kNobody before start_mpi() */
extern int rank_count;
extern int target;   /* the rank that calls are directed to: 0 */
extern char* slice;  /* of the target: kSliceBytes of global memory; each rank has as much */
extern char* local;  /* as many bytes of plain memory */
extern void** bases; /* all slices, by rank */

/* For cases that run on their own. */
void start_mpi(int thread_level);
void start_library(void); /* starts MPI if need be, and allocates what is described above */
void stop_library(void);

bool is_last_rank(void);

/* ---- What must happen ---- */

/*
 * This rank must print exactly one line "[rank] ARMCI Error: function: text", and the text must
 * contain the fragments in this order: the argument with its value, then what to do. `function` may
 * be NULL for a message without one. The last argument is NULL.
 */
void expect(const char* function, ...) __attribute__((sentinel));

/* The same for a line with "Warning" instead of "Error". */
void expect_warning(const char* function, ...) __attribute__((sentinel));

/* The exit status of the job; a job without expected errors must end with 0, others with any but 0.
 */
void expect_status(int status);

/* MPI_Abort waits until all ranks have called it, so that each has told its error. */
void abort_together(void);

/* The job must print this line on standard output. */
void expect_output(const char* line);

/* The text in memory that lasts for the next few calls. */
const char* text(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* "the world has ranks 0 to n-1" */
const char* valid_ranks(void);

/* For cases in which a call must work: the job ends with a failure if `ok` is false. */
void check(bool ok, const char* format, ...) __attribute__((format(printf, 2, 3)));

/* ---- The record, which the driver reads: a file named by TEST_RECORD ---- */

/* Adds a line in one piece, even if other ranks add lines at the same time. */
void record(const char* line);

/* Runs the case in a child process, and records its standard error and its exit status. */
void run_in_child(const struct Case* one);
