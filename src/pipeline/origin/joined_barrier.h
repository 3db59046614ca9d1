// SPDX-License-Identifier: BSD-3-Clause
// A barrier among nodes that this origin takes part in: its state, and the messages that it sends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/endpoint.h"
#include "pipeline/origin/frame_sender.h"
#include "pipeline/origin/internode_barrier.h"

namespace armci::pipeline {

class JoinedBarrier {
  public:
    // A member that this one exchanges messages with.
    struct Partner {
        int rank = 0;
        int node = 0;
    };
    // Whom this one notifies in a round, and who notifies this one.
    struct Round {
        Partner notified;
        Partner notifier;
        fabric::PeerAddress peer = FI_ADDR_UNSPEC;  // of `notified`
    };

    // `group` is the number by which all members know the group. There is a Round for each of the
    // barrier's.
    JoinedBarrier(uint64_t group, const InterNodeBarrier& state, std::vector<Round> rounds)
        : group_(group), state_(state), rounds_(std::move(rounds)) {}

    uint64_t group() const { return group_; }
    void arrive() { state_.arrive(); }
    // Returns whether all have arrived and this rank's own messages have left.
    bool is_past() const { return is_complete() && sends_under_way_ == 0; }
    bool is_complete() const { return state_.is_complete(); }

    // Sends the notification that is due, if it can be sent now.
    void notify(FrameSender& frames);
    bool has_to_notify() const { return state_.round_to_notify() >= 0; }
    // Takes a message of that rank. Returns false when none can come from it now.
    bool take(int rank, uint64_t round, uint64_t number);

    // These are for the report of a long wait: what the barrier waits for, "" when it is complete,
    // and the nodes that have never sent anything about it.
    std::string describe() const;
    std::vector<int> silent_nodes() const;

  private:
    static void on_sent(fabric::Operation* operation, const fabric::Completion& completion);

    uint64_t group_;
    InterNodeBarrier state_;
    std::vector<Round> rounds_;
    int sends_under_way_ = 0;
};

}  // namespace armci::pipeline
