// SPDX-License-Identifier: BSD-3-Clause
#include "core/job/mpi_collectives.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/backoff.h"
#include "base/clock.h"

namespace armci::core::mpi {

void wait(MPI_Request* request) {
    constexpr int64_t kPatienceNs = 50'000;
    constexpr int64_t kLongestSleepNs = 1'000'000;
    const int64_t begin_ns = base::now_ns();
    base::Backoff backoff;
    for (;;) {
        int done = 0;
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done != 0) {
            return;
        }
        const int64_t waited_ns = base::now_ns() - begin_ns;
        if (waited_ns < kPatienceNs) {
            backoff.pause();
        } else {
            std::this_thread::sleep_for(
                std::chrono::nanoseconds(std::min(waited_ns / 4, kLongestSleepNs)));
        }
    }
}

void barrier(MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(comm, &request);
    wait(&request);
}

void bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(data, count, type, root, comm, &request);
    wait(&request);
}

void allreduce(void* data, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(MPI_IN_PLACE, data, count, type, op, comm, &request);
    wait(&request);
}

void reduce(void* data, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ireduce(rank == root ? MPI_IN_PLACE : data, data, count, type, op, root, comm, &request);
    wait(&request);
}

void gather(const void* mine, void* all, int bytes_each, int root, MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Igather(mine, bytes_each, MPI_BYTE, all, bytes_each, MPI_BYTE, root, comm, &request);
    wait(&request);
}

void scatter(const void* all, void* mine, int bytes_each, int root, MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iscatter(all, bytes_each, MPI_BYTE, mine, bytes_each, MPI_BYTE, root, comm, &request);
    wait(&request);
}

void allgather(void* all, int bytes_each, MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, bytes_each, MPI_BYTE, comm, &request);
    wait(&request);
}

int duplicate(MPI_Comm comm, MPI_Comm* made) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int result = MPI_Comm_idup(comm, made, &request);
    if (result == MPI_SUCCESS) {
        wait(&request);
    }
    return result;
}

}  // namespace armci::core::mpi
