// SPDX-License-Identifier: BSD-3-Clause
// The messages of the barrier among the nodes' first ranks.
#include "base/log.h"
#include "pipeline/origin.h"

namespace armci::pipeline {

void Origin::join_barrier(const InterNodeBarrier& barrier,
                          const std::vector<Address>& partner_addresses) {
    barrier_ = barrier;
    for (int round = 0; round < barrier.round_count(); ++round) {
        const fabric::PeerAddress partner =
            endpoint_.insert_peer(partner_addresses[static_cast<size_t>(round)].data());
        if (partner == FI_ADDR_UNSPEC) {
            base::fatal("ARMCI_Init",
                        "provider %s does not accept the address of the first rank of node %d; "
                        "set ARMCI_PROVIDER or ARMCI_INTERFACE",
                        domain_->provider_name().c_str(), barrier.notified_in(round));
        }
        barrier_partners_.push_back(partner);
    }
}

void Origin::arrive_at_barrier() {
    barrier_.arrive();
    notify_barrier();
}

// Sends what this node has to tell now; what cannot be sent now is tried again by progress().
void Origin::notify_barrier() {
    while (barrier_.round_to_notify() >= 0) {
        const int round = barrier_.round_to_notify();
        OutFrame* frame = new_frame(wire::FrameKind::barrier, sizeof(wire::FrameHeader));
        if (frame == nullptr) {
            return;
        }
        wire::FrameHeader& header = *frame->header();
        header.rank = barrier_.node();
        header.request_id = static_cast<uint64_t>(round);
        header.sequence = barrier_.number();
        frame->operation.complete = on_barrier_sent;
        frame->operation.peer = barrier_.notified_in(round);
        if (!endpoint_.post_send(barrier_partners_[static_cast<size_t>(round)], frame->wire(),
                                 frame->wire_bytes, small_frames_.descriptor(),
                                 &frame->operation)) {
            discard(frame);
            return;
        }
        ++barrier_sends_;
        moved_ = true;
        barrier_.note_notified();
    }
}

void Origin::on_barrier_sent(fabric::Operation* operation, const fabric::Completion&) {
    auto* frame = reinterpret_cast<OutFrame*>(operation);
    Origin* origin = frame->origin;
    --origin->barrier_sends_;
    origin->discard(frame);
}

void Origin::take_barrier_message(const wire::FrameHeader& header) {
    if (!barrier_.take_message(header.rank, header.request_id, header.sequence)) {
        ARMCI_LOG_WARN("ignored a message about barrier %llu that node %d cannot have sent",
                       static_cast<unsigned long long>(header.sequence), header.rank);
    }
}

}  // namespace armci::pipeline
