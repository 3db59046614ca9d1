// SPDX-License-Identifier: BSD-3-Clause
// The messages of the barrier among the nodes' first ranks, between their origins.
#pragma once

#include <string>
#include <vector>

#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "pipeline/origin/frame_sender.h"
#include "pipeline/origin/internode_barrier.h"

namespace armci::pipeline {

class BarrierMessages {
  public:
    using Address = std::vector<unsigned char>;

    BarrierMessages(fabric::Endpoint& endpoint, FrameSender& frames)
        : endpoint_(endpoint), frames_(frames) {}

    void open(const fabric::Domain& domain) { domain_ = &domain; }
    // Of this origin, for its partners.
    const Address& address() const { return endpoint_.address(); }
    // `partner_addresses`: of their origins, by round, as notified_in() names them. Ends the job
    // when the provider does not accept one.
    void join(const InterNodeBarrier& barrier, const std::vector<Address>& partner_addresses);
    void close();

    void arrive();
    // Whether all have arrived, and this rank's messages need it no more.
    bool is_past() const { return is_complete() && sends_under_way_ == 0; }
    bool is_complete() const { return barrier_.is_complete(); }

    // Sends what this node has to tell now, as far as that is possible now.
    void notify();
    bool has_to_notify() const { return barrier_.round_to_notify() >= 0; }
    // A frame that has arrived; one that cannot be is ignored with a warning.
    void take(const wire::FrameHeader& header);

    // For messages: what it waits for, "" when it is complete; and who has never told anything.
    std::string describe() const;
    std::vector<int> silent_nodes() const { return barrier_.silent_nodes(sends_under_way_ > 0); }

  private:
    static void on_sent(fabric::Operation* operation, const fabric::Completion& completion);

    fabric::Endpoint& endpoint_;
    FrameSender& frames_;
    const fabric::Domain* domain_ = nullptr;
    InterNodeBarrier barrier_;
    std::vector<fabric::PeerAddress> partners_;  // by round
    int sends_under_way_ = 0;
};

}  // namespace armci::pipeline
