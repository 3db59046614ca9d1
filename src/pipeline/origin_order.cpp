// SPDX-License-Identifier: BSD-3-Clause
// Order among the data servers of one node, which do not know each other's counters.
#include <algorithm>

#include "pipeline/origin.h"

namespace armci::pipeline {

// Writes that complete when delivered are not counted: a blocking one has been delivered.
void Origin::mark_must_precede(Channel& channel) {
    channel.node_order->must_precede_frame = channel.last_effect();
    channel.node_order->batch_must_precede = channel.batch != nullptr;
}

void Origin::mark_all_must_precede() {
    if (options_.servers.per_node > 1) {
        lists().dirty.keep_if([&](Channel& channel) {
            mark_must_precede(channel);
            return channel.batch != nullptr || channel.remote_work_pending();
        });
    }
}

// Something is started on this channel: it comes after what is binding on the node's others now.
void Origin::follow_other_servers(Channel& channel) {
    std::vector<FencePoint>& predecessors = channel.node_order->predecessors;
    for (const auto& of_node : channels_.of_node(channel.node)) {
        Channel* other = of_node.get();
        if (other == nullptr || other == &channel || !other->must_precede_pending()) {
            continue;
        }
        const auto known = std::find_if(predecessors.begin(), predecessors.end(),
                                        [&](const FencePoint& p) { return p.channel == other; });
        FencePoint& predecessor =
            known != predecessors.end() ? *known : predecessors.emplace_back(FencePoint{other});
        predecessor.frame = other->node_order->must_precede_frame;
        predecessor.has_batch |= other->node_order->batch_must_precede;
    }
}

bool Origin::predecessors_are_acknowledged(Channel& channel) {
    std::erase_if(channel.node_order->predecessors,
                  [&](FencePoint& predecessor) { return is_acknowledged(&predecessor); });
    return channel.node_order->predecessors.empty();
}

}  // namespace armci::pipeline
