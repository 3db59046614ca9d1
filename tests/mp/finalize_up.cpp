// SPDX-License-Identifier: BSD-3-Clause
// A program that reaches MPI_Finalize while ARMCI is still up, with everything in use that can be.
// MPI_Finalize must neither crash nor hang; the exit status is the whole test, so no GoogleTest
// here.
// promise: finalize.by-mpi
#include <mpi.h>

#include <cstdio>
#include <vector>

#include "armci/armci.h"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (ARMCI_Init() != 0) {
        return 1;
    }
    int me = -1;
    int nproc = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &nproc);
    std::vector<void*> slices(static_cast<size_t>(nproc));
    if (ARMCI_Malloc(slices.data(), 1 << 20) != 0 || ARMCI_Create_mutexes(1) != 0) {
        return 1;
    }
    const int right = (me + 1) % nproc;
    std::vector<char> source(1 << 20, 1);
    ARMCI_Put(source.data(), slices[static_cast<size_t>(right)], 1 << 20, right);
    ARMCI_NbPut(source.data(), slices[static_cast<size_t>(right)], 1 << 20, right, nullptr);
    MPI_Finalize();
    return 0;
}
