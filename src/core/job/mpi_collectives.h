// SPDX-License-Identifier: BSD-3-Clause
// MPI's collective operations for ranks that share processors. Those of MPI poll until they are
// done. Where a node has more ranks than processors, the rank that is waited for then gets its
// processor a time slice later: on 2 processors 32 ranks take 250 ms for MPI_Barrier, and 1 ms for
// this one. So these start the non-blocking form, poll a little, and then sleep between polls.
//
// Arguments are those of the functions of MPI. Errors are as the communicator's handler wants them.
#pragma once

#include <mpi.h>

namespace armci::core::mpi {

void wait(MPI_Request* request);

void barrier(MPI_Comm comm);
void bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm);
// Input and output are the same, as with MPI_IN_PLACE.
void allreduce(void* data, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
// The result is in the root's `data`.
void reduce(void* data, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
// Each rank gives so many bytes. `all` is used on the root only, and may be null elsewhere.
void gather(const void* mine, void* all, int bytes_each, int root, MPI_Comm comm);
void scatter(const void* all, void* mine, int bytes_each, int root, MPI_Comm comm);
// Each rank's own part is in its place before.
void allgather(void* all, int bytes_each, MPI_Comm comm);

// Returns the result of MPI_Comm_idup.
int duplicate(MPI_Comm comm, MPI_Comm* made);

}  // namespace armci::core::mpi
