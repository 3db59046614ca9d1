// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/barrier_messages.h"

#include "base/log.h"

namespace armci::pipeline {

void BarrierMessages::join(const InterNodeBarrier& barrier,
                           const std::vector<Address>& partner_addresses) {
    barrier_ = barrier;
    for (int round = 0; round < barrier.round_count(); ++round) {
        const fabric::PeerAddress partner =
            endpoint_.insert_peer(partner_addresses[static_cast<size_t>(round)].data());
        if (partner == FI_ADDR_UNSPEC) {
            base::fatal("ARMCI_Init",
                        "provider %s does not accept the address of the first rank of node %d "
                        "(fi_av_insert); memory may be short on this node, or set ARMCI_PROVIDER "
                        "or ARMCI_INTERFACE",
                        domain_->provider_name().c_str(), barrier.notified_in(round));
        }
        partners_.push_back(partner);
    }
}

void BarrierMessages::close() {
    barrier_ = {};
    partners_.clear();
    sends_under_way_ = 0;
}

void BarrierMessages::arrive() {
    barrier_.arrive();
    notify();
}

void BarrierMessages::notify() {
    while (has_to_notify()) {
        const int round = barrier_.round_to_notify();
        OriginFrame* frame = frames_.new_frame(wire::FrameKind::barrier, sizeof(wire::FrameHeader));
        if (frame == nullptr) {
            return;
        }
        wire::FrameHeader& header = *frame->header();
        header.rank = servers_.first_of(barrier_.node());
        header.request_id = static_cast<uint64_t>(round);
        header.sequence = barrier_.number();
        frame->complete = on_sent;
        frame->peer = barrier_.notified_in(round);
        frame->owner = this;
        if (!frames_.post_to(partners_[static_cast<size_t>(round)], frame)) {
            frame->release();
            return;
        }
        ++sends_under_way_;
        barrier_.note_notified();
    }
}

void BarrierMessages::on_sent(fabric::Operation* operation, const fabric::Completion&) {
    auto* frame = static_cast<OriginFrame*>(operation);
    auto* messages = static_cast<BarrierMessages*>(frame->owner);
    --messages->sends_under_way_;
    frame->release();
}

void BarrierMessages::take(const wire::FrameHeader& header) {
    const int node = servers_.node_of(header.rank);
    if (!barrier_.take_message(node, header.request_id, header.sequence)) {
        ARMCI_LOG_WARN("ignored a message about barrier %llu that node %d cannot have sent",
                       static_cast<unsigned long long>(header.sequence), node);
    }
}

std::string BarrierMessages::describe() const {
    return is_complete()
               ? ""
               : "barrier " + std::to_string(barrier_.number()) + " among nodes waits for node " +
                     std::to_string(barrier_.notifier_in(barrier_.round())) + ", in round " +
                     std::to_string(barrier_.round() + 1) + " of " +
                     std::to_string(barrier_.round_count());
}

}  // namespace armci::pipeline
