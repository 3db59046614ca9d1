// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/joined_barrier.h"

namespace armci::pipeline {

void JoinedBarrier::notify(FrameSender& frames) {
    while (has_to_notify()) {
        const int round = state_.round_to_notify();
        const Round& partners = rounds_[static_cast<size_t>(round)];
        OriginFrame* frame = frames.new_frame(wire::FrameKind::barrier, sizeof(wire::FrameHeader));
        if (frame == nullptr) {
            return;
        }
        wire::FrameHeader& header = *frame->header();
        header.rank = wire::number_of_origin(header.rank);
        header.request_id = static_cast<uint64_t>(round);
        header.sequence = state_.number();
        header.flow = group_;
        frame->complete = on_sent;
        frame->peer = partners.notified.node;
        frame->owner = this;
        if (!frames.post_to(partners.peer, frame)) {
            frame->release();
            return;
        }
        ++sends_under_way_;
        state_.note_notified();
    }
}

void JoinedBarrier::on_sent(fabric::Operation* operation, const fabric::Completion&) {
    auto* frame = static_cast<OriginFrame*>(operation);
    --static_cast<JoinedBarrier*>(frame->owner)->sends_under_way_;
    frame->release();
}

bool JoinedBarrier::take(int rank, uint64_t round, uint64_t number) {
    return round < rounds_.size() && rounds_[round].notifier.rank == rank &&
           state_.take_message(state_.notifier_in(static_cast<int>(round)), round, number);
}

std::string JoinedBarrier::describe() const {
    if (is_complete()) {
        return "";
    }
    const Partner& awaited = rounds_[static_cast<size_t>(state_.round())].notifier;
    return "barrier " + std::to_string(state_.number()) + " among nodes" +
           (group_ == 0 ? "" : " of group " + std::to_string(group_)) + " waits for node " +
           std::to_string(awaited.node) + ", in round " + std::to_string(state_.round() + 1) +
           " of " + std::to_string(state_.round_count());
}

std::vector<int> JoinedBarrier::silent_nodes() const {
    std::vector<int> nodes;
    for (const int place : state_.silent_nodes(sends_under_way_ > 0)) {
        for (size_t round = 0; round < rounds_.size(); ++round) {
            if (state_.notifier_in(static_cast<int>(round)) == place) {
                nodes.push_back(rounds_[round].notifier.node);
                break;
            }
            if (state_.notified_in(static_cast<int>(round)) == place) {
                nodes.push_back(rounds_[round].notified.node);
                break;
            }
        }
    }
    return nodes;
}

}  // namespace armci::pipeline
