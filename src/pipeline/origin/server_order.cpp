// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/server_order.h"

#include <algorithm>
#include <vector>

namespace armci::pipeline {

void ServerOrder::mark_must_precede(int server) {
    Channel* channel = channels_.find(server);
    if (channel != nullptr && channel->node_order != nullptr) {
        mark_must_precede(*channel);
    }
}

// Writes that complete when delivered do not count: those of a blocking operation have arrived.
void ServerOrder::mark_must_precede(Channel& channel) {
    channel.node_order->must_precede_frame = channel.last_effect();
    channel.node_order->batch_must_precede = channel.batch != nullptr;
}

void ServerOrder::mark_all_must_precede() {
    if (channels_.servers().per_node > 1) {
        channels_.lists().dirty.keep_if([&](Channel& channel) {
            mark_must_precede(channel);
            return channel.batch != nullptr || channel.remote_work_pending();
        });
    }
}

void ServerOrder::follow_others(Channel& channel) {
    if (channel.node_order == nullptr) {
        return;
    }
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

bool ServerOrder::predecessors_are_acknowledged(Channel& channel) {
    std::erase_if(channel.node_order->predecessors,
                  [&](FencePoint& predecessor) { return fences_.is_acknowledged(&predecessor); });
    return channel.node_order->predecessors.empty();
}

}  // namespace armci::pipeline
