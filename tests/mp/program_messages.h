// SPDX-License-Identifier: BSD-3-Clause
// Messages of the program, in MPI, beside the library's barriers.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

#include "armci/armci.h"
#include "support/job.h"

namespace armci::mp {

// A large message that its sender has started before the barrier, and whose receiver takes it
// before it comes there. MPI may need calls of the sender for that.
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
