/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For LD_PRELOAD: repairs MPI_Finalize of MPICH 4.0 over UCX, which otherwise hangs in up to half
 * of the jobs on several hosts, with or without this library. A rank that closes its connections
 * waits for answers of the others' UCX, but they may have closed theirs already and wait in read()
 * for the process manager. Here read() on that connection goes on answering.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

static void* worker; /* UCX's */

int ucp_worker_create(void* context, const void* parameters, void** created) {
    int (*create)(void*, const void*, void**) =
        (int (*)(void*, const void*, void**))dlsym(RTLD_NEXT, "ucp_worker_create");
    const int status = create(context, parameters, created);
    if (status == 0) {
        worker = *created;
    }
    return status;
}

void ucp_worker_destroy(void* destroyed) {
    void (*destroy)(void*) = (void (*)(void*))dlsym(RTLD_NEXT, "ucp_worker_destroy");
    if (worker == destroyed) {
        worker = NULL;
    }
    destroy(destroyed);
}

ssize_t read(int descriptor, void* buffer, size_t bytes) {
    static ssize_t (*system_read)(int, void*, size_t);
    static int manager = -1;
    if (system_read == NULL) {
        const char* number = getenv("PMI_FD");
        manager = number != NULL ? atoi(number) : -1;
        system_read = (ssize_t(*)(int, void*, size_t))dlsym(RTLD_NEXT, "read");
    }
    if (worker != NULL && descriptor == manager) {
        unsigned (*progress)(void*) = (unsigned (*)(void*))dlsym(RTLD_NEXT, "ucp_worker_progress");
        struct pollfd answer = {descriptor, POLLIN, 0};
        while (poll(&answer, 1, 1) == 0) {
            progress(worker);
        }
    }
    return system_read(descriptor, buffer, bytes);
}
