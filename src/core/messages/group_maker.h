// SPDX-License-Identifier: BSD-3-Clause
// Makes groups: their members agree on a number for the group, make its communicator, and tell each
// other where they meet at barriers.
#pragma once

#include <vector>

#include "core/job/checking.h"
#include "core/job/world.h"
#include "core/messages/communicators.h"
#include "core/messages/groups.h"
#include "core/messages/messages.h"
#include "core/progress/progress.h"

namespace armci::core {

class GroupMaker {
  public:
    GroupMaker(Progress& progress, Messages& messages, Communicators& communicators, Groups& groups,
               NodeShare& node, Checking& checking)
        : progress_(progress),
          messages_(messages),
          communicators_(communicators),
          groups_(groups),
          node_(node),
          checking_(checking) {}

    // The members call this, with the same list. `parent` is the group that they are a part of if
    // the call is one of that group's, so that the members make groups of it in one order. Groups
    // without a parent are made in one order by all members that they have in common. Where it is
    // found that they are not, the job ends.
    GroupRef make(std::vector<int> world_ranks, const Group* parent = nullptr);

  private:
    struct Reports;
    // Waits until all members have come here, and returns the number of the group.
    uint64_t agree(const std::vector<int>& world_ranks, const Group* parent);
    MeetingPlace find_place(const std::vector<int>& world_ranks, uint64_t number, MPI_Comm comm);
    Reports exchange(const void* mine, size_t bytes, size_t members, MPI_Comm comm);

    Progress& progress_;
    Messages& messages_;
    Communicators& communicators_;
    Groups& groups_;
    NodeShare& node_;
    Checking& checking_;
};

}  // namespace armci::core
