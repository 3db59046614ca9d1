// SPDX-License-Identifier: BSD-3-Clause
// Order among the data servers of one node, which do not know each other's counters. A node with
// only one server needs nothing of this.
#pragma once

#include "pipeline/origin/channels.h"
#include "pipeline/origin/fences.h"

namespace armci::pipeline {

class ServerOrder {
  public:
    ServerOrder(Channels& channels, Fences& fences) : channels_(channels), fences_(fences) {}

    // What was started so far to that server, or to all, was blocking or has been waited for. What
    // is submitted to other servers of its node from now on takes effect after it.
    void mark_must_precede(int server);
    void mark_all_must_precede();

    // Is called when something is started on this channel. It takes effect after what must precede
    // it on the node's other channels.
    void follow_others(Channel& channel);
    // Returns whether the channel may post now. If it returns false, the other servers have been
    // asked.
    bool may_post(Channel& channel) {
        return channel.node_order == nullptr || predecessors_are_acknowledged(channel);
    }

  private:
    static void mark_must_precede(Channel& channel);
    bool predecessors_are_acknowledged(Channel& channel);

    Channels& channels_;
    Fences& fences_;
};

}  // namespace armci::pipeline
