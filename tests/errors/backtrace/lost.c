/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ends a job by an error, whose place must be reported: "program" in a call of the program,
 * "threads" in one at MPI_THREAD_MULTIPLE, and "server" in the thread of a data server.
 */
#define _GNU_SOURCE
#include <armci.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_bool is_armed;

/* The data server sleeps in this call, which stands in for the one of the system. */
int epoll_wait(int epoll, struct epoll_event* events, int max_events, int timeout_ms) {
    if (atomic_load(&is_armed)) {
        char name[16] = "";
        pthread_getname_np(pthread_self(), name, sizeof name);
        if (strcmp(name, "armci-server") == 0) {
            ARMCI_Error("the server finds an error", 7);
        }
    }
    return (int)syscall(SYS_epoll_pwait, epoll, events, max_events, timeout_ms, NULL, 8);
}

__attribute__((noinline)) static void put_somewhere(void* there, int rank) {
    char byte = 0;
    ARMCI_Put(&byte, there, 1, rank); /* the call */
    puts("not reached");
}

int main(int argc, char** argv) {
    const int level =
        argc > 1 && strcmp(argv[1], "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    int provided;
    MPI_Init_thread(&argc, &argv, level, &provided);
    ARMCI_Init_thread(level);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    void* slices[2];
    ARMCI_Malloc(slices, 8);
    ARMCI_Barrier();
    if (argc > 1 && strcmp(argv[1], "server") == 0) {
        atomic_store(&is_armed, rank == 0);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) { /* which wakes the server */
            char byte = 0;
            ARMCI_Put(&byte, slices[0], 1, 0);
        }
    } else if (rank == 1) {
        put_somewhere(slices[0], 2);
    }
    for (;;) {
        pause();
    }
}
