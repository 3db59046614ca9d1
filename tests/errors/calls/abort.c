/* SPDX-License-Identifier: BSD-3-Clause */
/* ARMCI_Error and armci_msg_abort: the message, and the code as the exit status of the job. */
#include <stddef.h>
#include <stdio.h>

#include "bad_call.h"

static void expect_abort(const char* message, int status) {
    expect_status(status);
    expect(NULL, message, NULL);
}

static void one_rank(void) {
    expect_abort("no convergence", 3);
    ARMCI_Error("no convergence", 3);
}

static void one_rank_of_several_nodes(void) {
    one_rank();
}

static void alone(void) {
    expect_abort("no convergence", 17);
    ARMCI_Error("no convergence", 17);
}

/* Global Arrays and others pass any number; an error never ends with status 0. */
static void code_zero(void) {
    expect(NULL, "code 0", NULL);
    ARMCI_Error("code 0", 0);
}

/* A status has 8 bits. */
static void code_negative(void) {
    expect_abort("code -1", 255);
    ARMCI_Error("code -1", -1);
}

static void code_beyond_a_status(void) {
    expect(NULL, "code 256", NULL);
    ARMCI_Error("code 256", 256);
}

static void code_beyond_a_status_before_mpi(void) {
    expect(NULL, "code 512", NULL);
    ARMCI_Error("code 512", 512);
}

static void no_message(void) {
    expect_abort("(no message)", 3);
    ARMCI_Error(NULL, 3);
}

static void message_is_no_format(void) {
    expect_abort("100% %s %n", 3);
    ARMCI_Error("100% %s %n", 3);
}

/* The output that the program printed before is complete. */
static void output_is_flushed(void) {
    expect_status(3);
    expect(NULL, "flushed", NULL);
    expect_output("printed before");
    printf("printed before\n");
    ARMCI_Error("flushed", 3);
}

static void before_init(void) {
    start_mpi(MPI_THREAD_SINGLE);
    if (is_last_rank()) {
        expect_abort("early", 3);
        ARMCI_Error("early", 3);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void before_mpi(void) {
    expect_abort("very early", 3);
    ARMCI_Error("very early", 3);
}

static void after_finalize(void) {
    start_library();
    stop_library();
    if (is_last_rank()) {
        expect_abort("late", 3);
        ARMCI_Error("late", 3);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void message_layer(void) {
    expect_abort("armci_msg_abort", 4);
    armci_msg_abort(4);
}

const struct Case abort_cases[] = {
    /* promise: errors.armci-error */
    CASE(one_rank, LAST_RANK, NODE),
    /* promise: errors.armci-error */
    CASE(one_rank_of_several_nodes, LAST_RANK, NODES),
    CASE(alone, LAST_RANK, ALONE),
    CASE(code_zero, LAST_RANK, NODE),
    CASE(code_negative, LAST_RANK, ALONE),
    CASE(code_beyond_a_status, LAST_RANK, NODE),
    CASE(code_beyond_a_status_before_mpi, ON_ITS_OWN, ALONE),
    CASE(no_message, LAST_RANK, ALONE),
    CASE(message_is_no_format, LAST_RANK, ALONE),
    CASE(output_is_flushed, LAST_RANK, ALONE),
    CASE(before_init, ON_ITS_OWN, NODE),
    CASE(before_mpi, ON_ITS_OWN, ALONE),
    CASE(after_finalize, ON_ITS_OWN, NODE),
    /* promise: errors.armci-error */
    CASE(message_layer, LAST_RANK, NODES),
    {0},
};
