// SPDX-License-Identifier: BSD-3-Clause
// A rank reaches ARMCI_Finalize only after the others have stopped waiting for it there
// (ARMCI_FINALIZE_TIMEOUT_SECONDS). Their memory and data servers still exist for it, no rank
// hangs, and the library can be started again. The exit status is the whole test.
// promise: finalize.late-rank
#include <mpi.h>

#include <cstdio>
#include <vector>

#include "armci/armci.h"

namespace {

int run_once() {
    if (ARMCI_Init() != 0) {
        return 1;
    }
    int me = -1;
    int nproc = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &nproc);
    const int late = nproc - 1;
    constexpr int kBytes = 1 << 16;
    std::vector<void*> slices(static_cast<size_t>(nproc));
    if (ARMCI_Malloc(slices.data(), kBytes) != 0) {
        return 1;
    }
    int failed = 0;
    if (me == late && nproc > 1) {
        // Rank 0 sends this when ARMCI_Finalize has returned.
        int token = 0;
        MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        std::vector<char> source(kBytes, 7);
        std::vector<char> readback(kBytes, 0);
        ARMCI_Put(source.data(), slices[0], kBytes, 0);
        ARMCI_Fence(0);
        ARMCI_Get(slices[0], readback.data(), kBytes, 0);
        failed = readback != source ? 1 : 0;
    }
    if (ARMCI_Finalize() != 0) {
        return 1;
    }
    if (me == 0 && nproc > 1) {
        const int token = 1;
        MPI_Send(&token, 1, MPI_INT, late, 0, MPI_COMM_WORLD);
    }
    if (failed != 0) {
        std::fprintf(stderr, "[rank %d] what the late rank put is not there\n", me);
    }
    return failed;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int failed = run_once();
    failed |= run_once();
    MPI_Finalize();
    return failed;
}
