// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/barrier_messages.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace armci::pipeline {

fabric::PeerAddress BarrierMessages::peer_of(const char* function, const Partner& partner) {
    const auto known = peers_.find(partner.rank);
    if (known != peers_.end()) {
        return known->second;
    }
    const fabric::PeerAddress peer = endpoint_.insert_peer(partner.address);
    if (peer == FI_ADDR_UNSPEC) {
        base::fatal(function,
                    "provider %s does not accept the address of rank %d on node %d "
                    "(fi_av_insert); memory may be short on this node, or set ARMCI_PROVIDER "
                    "or ARMCI_INTERFACE",
                    domain_->provider_name().c_str(), partner.rank, partner.node);
    }
    peers_[partner.rank] = peer;
    return peer;
}

JoinedBarrier::Round BarrierMessages::make_round(const char* function, const Partner& notified,
                                                 const Partner& notifier) {
    tokens_[notifier.rank] = notifier.token;
    return {.notified = {notified.rank, notified.node},
            .notifier = {notifier.rank, notifier.node},
            .peer = peer_of(function, notified)};
}

std::shared_ptr<JoinedBarrier> BarrierMessages::add(uint64_t group, const InterNodeBarrier& barrier,
                                                    std::vector<JoinedBarrier::Round> rounds) {
    std::erase_if(joined_, [](const auto& joined) { return joined.second.expired(); });
    auto joined = std::make_shared<JoinedBarrier>(group, barrier, std::move(rounds));
    joined_[group] = joined;
    return joined;
}

void BarrierMessages::close() {
    joined_.clear();
    under_way_.clear();
    tokens_.clear();
    peers_.clear();
}

void BarrierMessages::arrive(JoinedBarrier& barrier) {
    barrier.arrive();
    under_way_.push_back(&barrier);
    notify();
}

void BarrierMessages::leave(const JoinedBarrier& barrier) {
    std::erase(under_way_, &barrier);
}

void BarrierMessages::notify() {
    std::erase_if(under_way_, [&](JoinedBarrier* barrier) {
        barrier->notify(frames_);
        return barrier->is_complete();
    });
}

bool BarrierMessages::has_to_notify() const {
    return std::any_of(under_way_.begin(), under_way_.end(),
                       [](const JoinedBarrier* barrier) { return barrier->has_to_notify(); });
}

uint64_t BarrierMessages::token_of(int rank) const {
    const auto found = tokens_.find(rank);
    return found != tokens_.end() ? found->second : wire::kNoToken;
}

void BarrierMessages::take(const wire::FrameHeader& header) {
    const int rank = wire::rank_of_origin(header.rank);
    const auto found = joined_.find(header.flow);
    const std::shared_ptr<JoinedBarrier> barrier =
        found != joined_.end() ? found->second.lock() : nullptr;
    if (barrier == nullptr || !barrier->take(rank, header.request_id, header.sequence)) {
        ARMCI_LOG_WARN(
            "ignored a message about barrier %llu of group %llu that rank %d cannot "
            "have sent",
            static_cast<unsigned long long>(header.sequence),
            static_cast<unsigned long long>(header.flow), rank);
    }
}

std::string BarrierMessages::describe() const {
    std::string text;
    for (const JoinedBarrier* barrier : under_way_) {
        const std::string one = barrier->describe();
        text += (text.empty() || one.empty() ? "" : "; ") + one;
    }
    return text;
}

std::vector<int> BarrierMessages::silent_nodes() const {
    std::vector<int> nodes;
    for (const JoinedBarrier* barrier : under_way_) {
        const std::vector<int> silent = barrier->silent_nodes();
        nodes.insert(nodes.end(), silent.begin(), silent.end());
    }
    return nodes;
}

}  // namespace armci::pipeline
