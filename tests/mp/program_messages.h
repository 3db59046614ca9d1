// SPDX-License-Identifier: BSD-3-Clause
// MPI messages of the program at the same time as barriers of the library.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

#include "armci/armci.h"
#include "support/job.h"

namespace armci::mp {

// A large message: its sender starts it before the barrier, and its receiver takes it before it
// reaches the barrier. MPI may need calls of the sender for that.
inline void send_across_barriers() {
    if (nproc() < 2) {
        GTEST_SKIP() << "needs 2 ranks";
    }
    constexpr int kInts = 1 << 20;
    for (int sender = 0; sender < nproc(); ++sender) {
        const int receiver = (sender + 1) % nproc();
        std::vector<int> data;
        MPI_Request request = MPI_REQUEST_NULL;
        if (me() == sender) {
            data.assign(kInts, sender + 1);
            MPI_Isend(data.data(), kInts, MPI_INT, receiver, 0, harness_comm(), &request);
        } else if (me() == receiver) {
            data.resize(kInts);
            MPI_Recv(data.data(), kInts, MPI_INT, sender, 0, harness_comm(), MPI_STATUS_IGNORE);
            EXPECT_EQ(data.front(), sender + 1);
            EXPECT_EQ(data.back(), sender + 1);
        }
        ARMCI_Barrier();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

}  // namespace armci::mp
