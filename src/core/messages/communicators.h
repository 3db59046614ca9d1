// SPDX-License-Identifier: BSD-3-Clause
// The communicators of groups other than world. Each group has one for the program. The library's
// collective operations on a group (reductions, broadcasts, allocation) need another, so that they
// do not mix with the program's. The first of them makes it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "core/messages/barriers.h"
#include "core/messages/groups.h"
#include "core/progress/progress.h"

namespace armci::core {

// Returns the largest tag that MPI allows. Only the library uses it; programs use smaller ones.
int own_tag();

class Communicators {
  public:
    Communicators(Progress& progress, Barriers& barriers)
        : progress_(progress), barriers_(barriers) {}

    // Makes one of these ranks, which must all have come. `group_number` is the same on all, and
    // different in calls that other threads make at the same time.
    MPI_Comm make(const std::vector<int>& world_ranks, uint64_t group_number);
    // Returns the one for the library's own collective operations on that group. All members call
    // it for each of them.
    MPI_Comm own(const Group& group);

  private:
    Progress& progress_;
    Barriers& barriers_;
    // Calls under way, which threads may make at the same time, and what the first of them has
    // replaced.
    int under_way_ = 0;
    MPI_Errhandler usual_ = MPI_ERRHANDLER_NULL;
};

}  // namespace armci::core
