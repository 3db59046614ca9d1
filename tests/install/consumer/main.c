/* SPDX-License-Identifier: BSD-3-Clause */
#include <armci/armci.h>

int ring_exchange(void);

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int failed = ring_exchange() || ARMCI_Initialized();
    MPI_Finalize();
    return failed;
}
