// SPDX-License-Identifier: BSD-3-Clause
// Whether networks connect the nodes: each node connects to its neighbours over every network of a
// plan, all at once. The nodes form a ring, so a network that falls apart, or a firewall before one
// node, is in the way of some of them, and no node has more than two neighbours.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/config_value.h"
#include "base/descriptor.h"
#include "fabric/networks.h"

namespace armci::fabric {

// What one node is to try; plain bytes, for MPI.
struct TrialOrders {
    static constexpr int kMaxNeighbours = 2;
    struct Call {
        base::IpAddress from;
        base::IpAddress to;
        uint16_t port = 0;
        int32_t node = 0;
    };
    uint64_t token = 0;  // of this trial: strangers may have the same addresses elsewhere
    int32_t node = 0;
    int32_t network_count = 0;
    int32_t neighbour_count = 0;
    base::IpAddress own[NetworkPlan::kMax];
    Call calls[NetworkPlan::kMax][kMaxNeighbours];
};
TrialOrders trial_orders(const std::vector<NodeCandidates>& nodes, const NetworkPlan& plan,
                         int node, uint64_t token);

// How a call has failed. As a number it can be compared, so that MPI finds the first failure of
// all.
struct TrialFailure {
    int caller = 0;
    int called = 0;
    int error = 0;  // ETIMEDOUT: nothing has answered

    static constexpr int64_t kNone = INT64_MAX;
    int64_t number() const;
    static TrialFailure from(int64_t number);
};

class NetworkTrial {
  public:
    // Listens at all addresses of this node and sets their ports. Candidates whose address the
    // system refuses are removed; errno then says why the last one was.
    void listen(NodeCandidates* node, const base::PortRange& ports);
    void begin(const TrialOrders& orders);
    // Answers others and looks at what has become of the calls, waiting for at most so long.
    void step(int timeout_ms);
    // Says whether everything is known of the first so many networks that is going to be known, if
    // calls without an answer may wait no longer. A host that has accepted a call answers as soon
    // as its process runs.
    bool is_decided(int networks, bool is_time_over) const;
    // Returns the failure in a network as a number, or kNone. A call without an answer has failed.
    int64_t failure(int network) const;

  private:
    struct Call {
        int network = 0;
        int neighbour = 0;
        int error = 0;  // EINPROGRESS: not known yet
        bool is_connected = false;
        base::Descriptor connection;
    };

    void look_at(Call& call);
    void answer(const base::Descriptor& listening);

    TrialOrders orders_;
    std::vector<base::Descriptor> listening_;
    std::deque<base::Descriptor> answered_;
    std::vector<Call> calls_;
};

// Returns why the nodes cannot reach each other over this network, for messages.
std::string describe_failure(const std::vector<NodeCandidates>& nodes, const Network& network,
                             const TrialFailure& failure);

}  // namespace armci::fabric
