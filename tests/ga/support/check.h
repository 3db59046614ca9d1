/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start, end and verdict of a test program in which every rank uses Global Arrays.
 *
 * A program is a list of sections. Each says what it verifies; when it ends, rank 0 prints how many
 * checks all ranks made in it and how many failed. Verdicts are combined by MPI on a communicator
 * of our own, not by the message layer that is under test.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts MPI, Global Arrays and its local allocator MA. Collective, first call of main(). */
void start_program(int* argc, char*** argv);

/*
 * Ends the running section, Global Arrays and MPI. Returns main()'s result, the same on every rank:
 * 0 if and only if at least one section ran, every section made checks, and none failed.
 */
int end_program(void);

/* The two halves of start_program(), for programs that start and end Global Arrays themselves. */
void start_checks(void); /* MPI is initialised */
int end_checks(void);    /* MPI is not yet finalised */

/* Rank and number of ranks in MPI_COMM_WORLD. */
int my_rank(void);
int rank_count(void);

/* The communicator of the checks: for ordering ranks by a path the library does not know. */
MPI_Comm checks_comm(void);

/* Ends the running section and begins one that verifies the thing described. Collective. */
void begin_section(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the running section, if there is one. Collective. */
void end_section(void);

/* One check of the running section: prints the text on this rank if `ok` is false. */
void check(bool ok, const char* format, ...) __attribute__((format(printf, 2, 3)));

/* The same for `total` checks of one kind, of which `wrong` failed; the text describes the first.
 */
void check_many(int64_t total, int64_t wrong, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

/* Ends the job: the test itself cannot go on. */
_Noreturn void give_up(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* Memory from malloc; gives up if there is none. */
void* allocate(size_t bytes);
