// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/internode_barrier.h"

#include <bit>
#include <cstddef>

namespace armci::pipeline {

InterNodeBarrier::InterNodeBarrier(int node, int node_count)
    : node_(node),
      node_count_(node_count),
      notifications_(static_cast<size_t>(std::bit_width(static_cast<unsigned>(node_count - 1)))) {
    round_ = round_count();
}

int InterNodeBarrier::notified_in(int round) const {
    return static_cast<int>((node_ + (int64_t{1} << round)) % node_count_);
}

int InterNodeBarrier::notifier_in(int round) const {
    return static_cast<int>((node_ + node_count_ - (int64_t{1} << round)) % node_count_);
}

void InterNodeBarrier::arrive() {
    ++number_;
    round_ = 0;
    has_notified_ = false;
}

void InterNodeBarrier::note_notified() {
    has_notified_ = true;
    advance();
}

bool InterNodeBarrier::take_message(int from, uint64_t round, uint64_t number) {
    // No node is further than one barrier ahead, because this node has notified no other of more.
    if (round >= notifications_.size() || from != notifier_in(static_cast<int>(round)) ||
        number > number_ + 1) {
        return false;
    }
    Notified& notified = notifications_[round];
    if (number == notified.number + 1) {
        notified.number += notified.skips_one ? 2 : 1;
        notified.skips_one = false;
    } else if (number == notified.number + 2 && !notified.skips_one) {
        notified.skips_one = true;
    } else {
        return false;
    }
    advance();
    return true;
}

std::vector<int> InterNodeBarrier::silent_nodes(bool may_be_unsent) const {
    std::vector<int> nodes;
    if (!is_complete() && notifications_[static_cast<size_t>(round_)].number == 0) {
        nodes.push_back(notifier_in(round_));
    }
    for (int round = 0; may_be_unsent && number_ == 1 && round <= round_; ++round) {
        if (round < round_count()) {
            nodes.push_back(notified_in(round));
        }
    }
    return nodes;
}

// The thread that waits at the barrier sends a node's next message, so one round at a time.
void InterNodeBarrier::advance() {
    if (has_notified_ && !is_complete() &&
        notifications_[static_cast<size_t>(round_)].number >= number_) {
        ++round_;
        has_notified_ = false;
    }
}

}  // namespace armci::pipeline
