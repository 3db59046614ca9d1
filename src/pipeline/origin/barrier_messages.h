// SPDX-License-Identifier: BSD-3-Clause
// The barriers among nodes that this origin takes part in, one for each group that it is the first
// member of on its node, and the messages that arrive for them. Barriers of several groups may be
// under way at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "pipeline/origin/frame_sender.h"
#include "pipeline/origin/joined_barrier.h"

namespace armci::pipeline {

class BarrierMessages {
  public:
    using Address = std::vector<unsigned char>;

    // What this origin must know of a member that it exchanges messages with. Origins of ranks
    // that it has met before in another group are known already.
    struct Partner {
        int rank = 0;
        int node = 0;
        uint64_t token = wire::kNoToken;
        const unsigned char* address = nullptr;  // of its endpoint
    };

    BarrierMessages(fabric::Endpoint& endpoint, FrameSender& frames)
        : endpoint_(endpoint), frames_(frames) {}

    void open(const fabric::Domain& domain) { domain_ = &domain; }
    // Returns the address of this origin's endpoint, which its partners need.
    const Address& address() const { return endpoint_.address(); }
    // Takes part in the barriers of a group. partner(place) returns a Partner for the number of a
    // node in the barrier. This origin leaves when the result is destroyed. Other members must not
    // arrive before this has returned. The job ends when the provider does not accept an address.
    template <class PartnerOf>
    std::shared_ptr<JoinedBarrier> join(const char* function, uint64_t group,
                                        const InterNodeBarrier& barrier, PartnerOf&& partner) {
        std::vector<JoinedBarrier::Round> rounds;
        for (int round = 0; round < barrier.round_count(); ++round) {
            rounds.push_back(make_round(function, partner(barrier.notified_in(round)),
                                        partner(barrier.notifier_in(round))));
        }
        return add(group, barrier, std::move(rounds));
    }
    void close();

    void arrive(JoinedBarrier& barrier);
    // The caller no longer waits at a barrier, which it may destroy then. Its last message may have
    // been taken where notify() has not come since.
    void leave(const JoinedBarrier& barrier);
    // Returns whether this origin waits at no barrier.
    bool none_under_way() const { return under_way_.empty(); }

    // Sends the notifications that are due, as far as they can be sent now.
    void notify();
    bool has_to_notify() const;
    // Returns the token of a rank's process, or kNoToken if that rank is no partner.
    uint64_t token_of(int rank) const;
    // Takes a frame that has arrived from a partner. One that it cannot have sent now is ignored
    // with a warning.
    void take(const wire::FrameHeader& header);

    // These are for the report of a long wait: what barriers wait for, and the nodes that have
    // never sent anything about one.
    std::string describe() const;
    std::vector<int> silent_nodes() const;

  private:
    JoinedBarrier::Round make_round(const char* function, const Partner& notified,
                                    const Partner& notifier);
    std::shared_ptr<JoinedBarrier> add(uint64_t group, const InterNodeBarrier& barrier,
                                       std::vector<JoinedBarrier::Round> rounds);
    fabric::PeerAddress peer_of(const char* function, const Partner& partner);

    fabric::Endpoint& endpoint_;
    FrameSender& frames_;
    const fabric::Domain* domain_ = nullptr;
    std::unordered_map<uint64_t, std::weak_ptr<JoinedBarrier>> joined_;  // by group
    std::vector<JoinedBarrier*> under_way_;
    std::unordered_map<int, uint64_t> tokens_;            // by rank
    std::unordered_map<int, fabric::PeerAddress> peers_;  // likewise
};

}  // namespace armci::pipeline
