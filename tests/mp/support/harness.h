// SPDX-License-Identifier: BSD-3-Clause
// The main program of a multi-rank test: every rank runs the same tests in the same order.
#pragma once

#include <mpi.h>

namespace armci::mp {

struct Program {
    int thread_level = MPI_THREAD_SINGLE;  // what MPI and ARMCI are started with
    bool start_armci = true;               // ARMCI_Init before the tests, ARMCI_Finalize after them
};

// Starts MPI (and ARMCI), runs the selected tests on every rank and ends both. A test fails for the
// job when it fails on any rank. Returns the exit status, the same on every rank: 0 if and only if
// at least one test was selected and none failed.
int run_tests(int argc, char** argv, const Program& program = {});

}  // namespace armci::mp
