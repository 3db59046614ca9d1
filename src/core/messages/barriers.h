// SPDX-License-Identifier: BSD-3-Clause
// Barriers of world and of other groups.
// docs/references.md: Buntinas 2007
#pragma once

#include "core/messages/groups.h"
#include "core/progress/progress.h"
#include "core/progress/wait_for_ranks.h"

namespace armci::core {

// What members of a group meet for. Those of a node tell each other.
enum class Purpose : uint8_t { barrier, sizes, tables, freed, removal };

// Barriers do not fence. One thread of a rank is in a meeting of a group at a time, as MPI demands
// of collective calls on a communicator; another one ends the job, and so do members of a group on
// one node that meet for different things.
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
    void wait_for_node(Purpose purpose);
    // Replaces each word by the largest one among the ranks of this node, all of which call it.
    void find_largest_on_node(Purpose purpose, node::BarrierWords* words);
    // Does the same among the members of a group. It returns false, at once and on all of them, if
    // they are not all on one node.
    bool find_largest_on_one_node(const Group& group, Purpose purpose, node::BarrierWords* words);

  private:
    void find_largest(const Group& group, Purpose purpose, node::BarrierWords* words);
    void meet_on_node(const Group& group, Purpose purpose, const char* awaited, MpiProgress* mpi);
    // Waits until all have arrived, for this meeting.
    void wait_on_node(const Group& group, Purpose purpose, const char* awaited, MpiProgress* mpi);
    [[noreturn]] void fail_different(const Group& group, Purpose purpose);
    // The first member on a node calls this.
    void meet_other_nodes(MeetingPlace& place, MpiProgress* mpi);

    Progress& progress_;
    Groups& groups_;
    base::Waiting waiting_{2000, 2000, base::Waiting::Trials::no};
};

}  // namespace armci::core
