// SPDX-License-Identifier: BSD-3-Clause
// Sends and receives the messages of the barrier among the nodes' first ranks.
#pragma once

#include <string>
#include <vector>

#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "pipeline/buffers/server_numbers.h"
#include "pipeline/origin/frame_sender.h"
#include "pipeline/origin/internode_barrier.h"

namespace armci::pipeline {

class BarrierMessages {
  public:
    using Address = std::vector<unsigned char>;

    BarrierMessages(fabric::Endpoint& endpoint, FrameSender& frames)
        : endpoint_(endpoint), frames_(frames) {}

    void open(const fabric::Domain& domain, const ServerNumbers& servers) {
        domain_ = &domain;
        servers_ = servers;
    }
    // Returns the address of this origin's endpoint, which its partners need.
    const Address& address() const { return endpoint_.address(); }
    // `partner_addresses` are those of the partners' endpoints, by round, as notified_in() names
    // them. The job ends when the provider does not accept one.
    void join(const InterNodeBarrier& barrier, const std::vector<Address>& partner_addresses);
    void close();

    void arrive();
    // Returns whether all have arrived and this rank's own messages have left.
    bool is_past() const { return is_complete() && sends_under_way_ == 0; }
    bool is_complete() const { return barrier_.is_complete(); }

    // Sends the notification that is due, if it can be sent now.
    void notify();
    bool has_to_notify() const { return barrier_.round_to_notify() >= 0; }
    // Takes a frame that has arrived from the first rank of a node. One that no node can have sent
    // now is ignored with a warning.
    void take(const wire::FrameHeader& header);

    // These are for the report of a long wait: what the barrier waits for, "" when it is complete,
    // and the nodes that have never sent anything.
    std::string describe() const;
    std::vector<int> silent_nodes() const { return barrier_.silent_nodes(sends_under_way_ > 0); }

  private:
    static void on_sent(fabric::Operation* operation, const fabric::Completion& completion);

    fabric::Endpoint& endpoint_;
    FrameSender& frames_;
    const fabric::Domain* domain_ = nullptr;
    ServerNumbers servers_;
    InterNodeBarrier barrier_;
    std::vector<fabric::PeerAddress> partners_;  // by round
    int sends_under_way_ = 0;
};

}  // namespace armci::pipeline
