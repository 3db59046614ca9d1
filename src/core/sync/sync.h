// SPDX-License-Identifier: BSD-3-Clause
// Fences and barriers.
// docs/references.md: Buntinas 2007
#pragma once

#include "core/messages/messages.h"
#include "core/progress/progress.h"
#include "node/barrier.h"

namespace armci::core {

class MpiProgress;

// Wait for remote completion of everything this process did to a rank's, or to all ranks', memory.
void fence(Progress& progress, int target);
void fence_all(Progress& progress);
// Does the same as fence_all(), except for what a frame to that data server follows anyway. Returns
// whether there is any of that.
bool fence_all_before(Progress& progress, int server);
// Does the part of fence_all() that a barrier's own atomics do not do.
void fence_other_nodes(Progress& progress);

// Barriers do not fence.
class Barriers {
  public:
    Barriers(Progress& progress, Messages& messages) : progress_(progress), messages_(messages) {}

    // Must be called before the first barrier.
    void start(const node::NodeBarrier& barrier) { node_ = barrier; }
    // How this process waits for other nodes.
    void set_waiting(const base::Waiting& waiting) { waiting_ = waiting; }

    // Waits for all ranks of world, with flags in each node's memory. One rank of each node meets
    // the others by messages of the library or of MPI.
    void wait_for_world();
    // Waits for the ranks of this node, all of which call it.
    void wait_for_node();
    void wait_for_group(const Group& group);

  private:
    void meet_on_node(MpiProgress* mpi);

    Progress& progress_;
    Messages& messages_;
    node::NodeBarrier node_;
    base::Waiting waiting_{2000, 2000, base::Waiting::Trials::no};
};

}  // namespace armci::core
