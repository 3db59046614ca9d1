// SPDX-License-Identifier: BSD-3-Clause
// Barriers of world and of other groups.
// docs/references.md: Buntinas 2007
#pragma once

#include "core/messages/groups.h"
#include "core/progress/progress.h"
#include "core/progress/wait_for_ranks.h"

namespace armci::core {

// Barriers do not fence.
class Barriers {
  public:
    Barriers(Progress& progress, Groups& groups) : progress_(progress), groups_(groups) {}

    // How this process waits for other nodes.
    void set_waiting(const base::Waiting& waiting) { waiting_ = waiting; }

    // Waits for all members, with flags in each node's memory. One member of each node meets the
    // others by messages of the library. Where the provider does not send these alone, they meet
    // by MPI.
    void wait_for_group(const Group& group);
    void wait_for_world() { wait_for_group(*groups_.world()); }
    // Waits for the ranks of this node, all of which call it.
    void wait_for_node();

  private:
    void meet_on_node(node::NodeBarrier& here, const char* awaited, MpiProgress* mpi);
    // The first member on a node calls this.
    void meet_other_nodes(MeetingPlace& place, MpiProgress* mpi);

    Progress& progress_;
    Groups& groups_;
    base::Waiting waiting_{2000, 2000, base::Waiting::Trials::no};
};

}  // namespace armci::core
