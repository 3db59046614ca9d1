// SPDX-License-Identifier: BSD-3-Clause
// Order among the data servers of one node, which do not know each other's counters. Nothing is to
// be done where a node has only one.
#pragma once

#include "pipeline/origin/channels.h"
#include "pipeline/origin/fences.h"

namespace armci::pipeline {

class ServerOrder {
  public:
    ServerOrder(Channels& channels, Fences& fences) : channels_(channels), fences_(fences) {}

    // What was started to that server so far, or to all, was blocking or has been waited for: what
    // is submitted to other servers of its node from now on takes effect after it.
    void mark_must_precede(int server);
    void mark_all_must_precede();

    // Something is started on this channel: it takes effect after what must precede it on the
    // node's others.
    void follow_others(Channel& channel);
    // Whether it may be posted now. False: their servers are asked.
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
