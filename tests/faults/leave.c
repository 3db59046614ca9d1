/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * leave <moment> <rank>: that rank ends without ARMCI_Finalize: by exit() when the library runs
 * (exit), or it is killed in ARMCI_Init as soon as its watch runs (init) or when its network runs
 * (late-init), or in ARMCI_Finalize before the others can leave it (finalize) or at the last
 * barrier (late-finalize). A rank that gets further than it can reports that.
 *
 * The moments are calls of MPI, which the program defines itself.
 */
#include <dirent.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "armci/armci.h"

static const char* wanted_moment = "";
static int victim = -1;
static int rank = -1;
static enum { BESIDE, IN_INIT, IN_FINALIZE } place = BESIDE;

/* Whether this is the thread that detects failed processes. */
static int is_watching(void) {
    int found = 0;
    DIR* threads = opendir("/proc/self/task");
    const struct dirent* thread;
    while (threads != NULL && !found && (thread = readdir(threads)) != NULL) {
        char path[300];
        char name[32] = "";
        FILE* file;
        snprintf(path, sizeof path, "/proc/self/task/%.200s/comm", thread->d_name);
        file = fopen(path, "r");
        if (file != NULL) {
            found = fgets(name, sizeof name, file) != NULL && strcmp(name, "armci-watch\n") == 0;
            fclose(file);
        }
    }
    if (threads != NULL) {
        closedir(threads);
    }
    return found;
}

static int is_moment(const char* moment) {
    return rank == victim && strcmp(wanted_moment, moment) == 0;
}

static void may_be_killed(const char* moment) {
    if (is_moment(moment) && is_watching()) {
        raise(SIGKILL);
    }
}

/* Between nodes, where ranks agree on the network. */
int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request) {
    if (place == IN_INIT) {
        may_be_killed("init");
    }
    return PMPI_Ibcast(data, count, type, root, comm, request);
}

int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* drop,
                           int* keyval, void* state) {
    if (place == IN_INIT) {
        may_be_killed("late-init");
    }
    return PMPI_Comm_create_keyval(copy, drop, keyval, state);
}

/* With all ranks on one node the first one of ARMCI_Finalize lets the ranks stop, and the second is
 * the last thing they do together. */
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
    static int barriers = 0;
    if (place == IN_FINALIZE) {
        barriers += 1;
        may_be_killed(barriers == 1 ? "finalize" : "late-finalize");
    }
    return PMPI_Ibarrier(comm, request);
}

/* After a call that the victim does not make, or does not finish. */
static void expect_others_to_wait(const char* function, int must_wait) {
    if (must_wait) {
        fprintf(stderr, "FAILED: rank %d has left %s\n", rank, function);
    }
}

int main(int argc, char** argv) {
    if (argc != 3) {
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    wanted_moment = argv[1];
    victim = atoi(argv[2]);
    place = IN_INIT;
    ARMCI_Init();
    place = BESIDE;
    expect_others_to_wait("ARMCI_Init", strstr(wanted_moment, "init") != NULL);
    if (is_moment("exit")) {
        exit(0);
    }
    ARMCI_Barrier();
    expect_others_to_wait("ARMCI_Barrier", strcmp(wanted_moment, "exit") == 0);
    place = IN_FINALIZE;
    ARMCI_Finalize();
    expect_others_to_wait("ARMCI_Finalize", 1);
    MPI_Finalize();
    return 0;
}
