// SPDX-License-Identifier: BSD-3-Clause
// More groups at a time than MPI has communicators for with two each.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "armci/armci.h"
#include "armci/message.h"
#include "support/job.h"

namespace armci::mp {
namespace {

TEST(ManyGroups, AreMetInTurnAndFreed) {
    constexpr int kGroups = 1200;  // MPICH has 2048 communicators
    std::vector<ARMCI_Group> groups(kGroups);
    std::vector<int> ranks(static_cast<size_t>(nproc()));
    std::iota(ranks.begin(), ranks.end(), 0);
    for (ARMCI_Group& group : groups) {
        ARMCI_Group_create(nproc(), ranks.data(), &group);
    }
    for (ARMCI_Group& group : groups) {
        int size = 0;
        ARMCI_Group_size(&group, &size);
        EXPECT_EQ(size, nproc());
        armci_msg_group_barrier(&group);
    }
    for (ARMCI_Group& group : groups) {
        ARMCI_Group_free(&group);
    }
    sync();
}

}  // namespace
}  // namespace armci::mp
