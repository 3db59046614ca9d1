// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/network_trial.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <list>
#include <string>
#include <vector>

#include "base/socket.h"

namespace armci::fabric::test {
namespace {

constexpr uint64_t kToken = 0x746f6b656e;

// Nodes with two networks, which are made of addresses of loopback. All run in this thread.
class Trial {
  public:
    explicit Trial(int count) {
        for (int node = 0; node < count; ++node) {
            NodeCandidates own;
            own.host = static_cast<uint64_t>(node);
            own.first_rank = node;
            std::strcpy(own.host_name, ("host" + std::to_string(node)).c_str());
            for (const int network : {1, 2}) {
                Candidate& candidate = own.candidates[own.count++];
                candidate.address = base::parse_ip_address("127." + std::to_string(network) +
                                                           ".0." + std::to_string(node + 1));
                candidate.prefix_bits = 24;
                std::strcpy(candidate.interface, ("net" + std::to_string(network)).c_str());
            }
            trials_.emplace_back().listen(&own, {});
            EXPECT_EQ(own.count, 2);
            nodes_.push_back(own);
        }
        for (const uint8_t network : {0, 1}) {
            Network one;
            one.name = "network " + std::to_string(network);
            one.chosen.assign(static_cast<size_t>(count), network);
            plan_.networks.push_back(one);
        }
    }

    Candidate& candidate(int node, int network) {
        return nodes_[static_cast<size_t>(node)].candidates[network];
    }
    const std::vector<NodeCandidates>& nodes() const { return nodes_; }
    const NetworkPlan& plan() const { return plan_; }

    void begin(uint64_t token_of_first = kToken) {
        int node = 0;
        for (NetworkTrial& trial : trials_) {
            trial.begin(trial_orders(nodes_, plan_, node, node == 0 ? token_of_first : kToken));
            ++node;
        }
    }
    bool is_decided(int networks, bool is_time_over = false) const {
        return std::all_of(trials_.begin(), trials_.end(), [&](const NetworkTrial& trial) {
            return trial.is_decided(networks, is_time_over);
        });
    }
    void step_until_decided(int networks, bool is_time_over = false) {
        do {
            for (NetworkTrial& trial : trials_) {
                trial.step(1);
            }
        } while (!is_decided(networks, is_time_over));
    }
    // Returns the first failure in each network.
    std::array<int64_t, 2> run(bool is_time_over = false, uint64_t token_of_first = kToken) {
        begin(token_of_first);
        step_until_decided(2, is_time_over);
        std::array<int64_t, 2> first = {TrialFailure::kNone, TrialFailure::kNone};
        for (const NetworkTrial& trial : trials_) {
            for (const int network : {0, 1}) {
                int64_t& of_network = first[static_cast<size_t>(network)];
                of_network = std::min(of_network, trial.failure(network));
            }
        }
        return first;
    }

  private:
    std::list<NetworkTrial> trials_;
    std::vector<NodeCandidates> nodes_;
    NetworkPlan plan_;
};

void expect_failure(int64_t number, int caller, int called, int error) {
    ASSERT_NE(number, TrialFailure::kNone);
    const TrialFailure failure = TrialFailure::from(number);
    EXPECT_EQ(failure.caller, caller);
    EXPECT_EQ(failure.called, called);
    EXPECT_EQ(failure.error, error) << std::strerror(failure.error);
}

class NetworkTrials : public testing::TestWithParam<int> {};

TEST_P(NetworkTrials, NetworksThatConnectAllHaveNoFailure) {
    Trial trial(GetParam());
    for (const int64_t failure : trial.run()) {
        EXPECT_EQ(failure, TrialFailure::kNone);
    }
}

INSTANTIATE_TEST_SUITE_P(Nodes, NetworkTrials, testing::Values(2, 3, 7));

TEST(NetworkTrial, ARefusalIsFoundInItsNetworkOnly) {
    Trial trial(4);
    base::Descriptor closed(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    base::SocketAddress place = base::socket_address(trial.candidate(2, 1).address, 0);
    ASSERT_EQ(bind(closed.get(), place.get(), place.bytes), 0);
    ASSERT_EQ(getsockname(closed.get(), place.get(), &place.bytes), 0);
    trial.candidate(2, 1).port = base::port_of(place.get());
    const auto failures = trial.run();
    EXPECT_EQ(failures[0], TrialFailure::kNone);
    expect_failure(failures[1], 1, 2, ECONNREFUSED);
    EXPECT_EQ(
        describe_failure(trial.nodes(), trial.plan().networks[1], TrialFailure::from(failures[1])),
        "over network 1, node 2 (rank 2 on host2, 127.2.0.3) refuses connections at port " +
            std::to_string(base::port_of(place.get())) +
            " to node 1 (rank 1 on host1, 127.2.0.2): a firewall");
}

// More callers than an answering node keeps, which were there first and never close.
TEST(NetworkTrial, StrangersKeepNoNeighbourOut) {
    Trial trial(3);
    const Candidate& called = trial.candidate(1, 0);
    std::vector<base::Descriptor> strangers;
    for (int i = 0; i < 200; ++i) {
        strangers.push_back(base::begin_connection(
            base::socket_address(called.address, called.port), trial.candidate(0, 0).address));
        ASSERT_TRUE(strangers.back().valid());
    }
    for (const int64_t failure : trial.run()) {
        EXPECT_EQ(failure, TrialFailure::kNone);
    }
}

// Where the queue is full the system drops packets, as a firewall does.
TEST(NetworkTrial, WithoutAnAnswerTheTimeDecides) {
    Trial trial(3);
    uint16_t port = 0;
    const base::IpAddress address = trial.candidate(1, 0).address;
    const base::Descriptor full = base::listen_in_range(address, {}, &port);
    ASSERT_EQ(listen(full.get(), 0), 0);
    std::vector<base::Descriptor> callers;
    for (int i = 0; i < 4; ++i) {
        callers.push_back(base::begin_connection(base::socket_address(address, port)));
    }
    trial.candidate(1, 0).port = port;
    const auto failures = trial.run(true);
    expect_failure(failures[0], 0, 1, ETIMEDOUT);
}

TEST(NetworkTrial, NetworksAreDecidedByThemselves) {
    Trial trial(3);
    uint16_t port = 0;
    const base::Descriptor full = base::listen_in_range(trial.candidate(1, 1).address, {}, &port);
    ASSERT_EQ(listen(full.get(), 0), 0);
    std::vector<base::Descriptor> callers;
    for (int i = 0; i < 4; ++i) {
        callers.push_back(
            base::begin_connection(base::socket_address(trial.candidate(1, 1).address, port)));
    }
    trial.candidate(1, 1).port = port;
    trial.begin();
    trial.step_until_decided(1);
    EXPECT_FALSE(trial.is_decided(2));
}

TEST(NetworkTrial, AnotherJobsAnswerIsNone) {
    Trial trial(3);
    const auto failures = trial.run(false, kToken + 1);
    expect_failure(failures[0], 0, 1, EPROTO);
    expect_failure(failures[1], 0, 1, EPROTO);
}

TEST(NetworkTrial, ListensInARange) {
    NodeCandidates own;
    own.count = 2;
    own.candidates[0].address = base::parse_ip_address("127.3.0.1");
    own.candidates[1].address = base::parse_ip_address("192.0.2.1");  // not of this host
    uint16_t taken = 0;
    const base::Descriptor first = base::listen_in_range(own.candidates[0].address, {}, &taken);
    NodeCandidates none = own;
    NetworkTrial refused;
    refused.listen(&none, {taken, taken});
    EXPECT_EQ(none.count, 0);
    const base::PortRange ports{static_cast<uint16_t>(taken - 100), taken};
    NetworkTrial trial;
    trial.listen(&own, ports);
    ASSERT_EQ(own.count, 1);
    EXPECT_EQ(base::text_of(own.candidates[0].address), "127.3.0.1");
    EXPECT_TRUE(ports.contains(own.candidates[0].port));
    EXPECT_NE(own.candidates[0].port, taken);
}

TEST(NetworkTrial, FailuresCompareByTheirCaller) {
    const TrialFailure early{3, 9'999, EHOSTUNREACH};
    const TrialFailure late{9'998, 0, ECONNREFUSED};
    EXPECT_LT(early.number(), late.number());
    EXPECT_LT(late.number(), TrialFailure::kNone);
    expect_failure(late.number(), 9'998, 0, ECONNREFUSED);
}

}  // namespace
}  // namespace armci::fabric::test
