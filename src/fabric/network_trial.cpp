// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/network_trial.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/socket.h"

namespace armci::fabric {
namespace {

// Neighbours call twice for each network; if more callers come, some are strangers.
constexpr size_t kMaxAnswered = 8 * NetworkPlan::kMax;
constexpr int kErrorBits = 16;
constexpr int kNodeBits = 24;

}  // namespace

TrialOrders trial_orders(const std::vector<NodeCandidates>& nodes, const NetworkPlan& plan,
                         int node, uint64_t token) {
    const auto count = static_cast<int>(nodes.size());
    const int neighbours[] = {(node + 1) % count, (node + count - 1) % count};
    TrialOrders orders;
    orders.token = token;
    orders.node = node;
    orders.network_count = static_cast<int32_t>(plan.networks.size());
    orders.neighbour_count = neighbours[0] == neighbours[1] ? 1 : 2;
    const auto address_of = [&](const Network& network, int of) -> const Candidate& {
        return nodes[static_cast<size_t>(of)].candidates[network.chosen[static_cast<size_t>(of)]];
    };
    for (size_t i = 0; i < plan.networks.size(); ++i) {
        const Network& network = plan.networks[i];
        orders.own[i] = address_of(network, node).address;
        for (int j = 0; j < orders.neighbour_count; ++j) {
            const Candidate& called = address_of(network, neighbours[j]);
            orders.calls[i][j] = {orders.own[i], called.address, called.port, neighbours[j]};
        }
    }
    return orders;
}

int64_t TrialFailure::number() const {
    return ((int64_t{caller} << kNodeBits) | called) << kErrorBits | error;
}

TrialFailure TrialFailure::from(int64_t number) {
    TrialFailure failure;
    failure.error = static_cast<int>(number & ((1 << kErrorBits) - 1));
    failure.called = static_cast<int>((number >> kErrorBits) & ((1 << kNodeBits) - 1));
    failure.caller = static_cast<int>(number >> (kErrorBits + kNodeBits));
    return failure;
}

void NetworkTrial::listen(NodeCandidates* node, const base::PortRange& ports) {
    int error = 0;
    int kept = 0;
    for (int i = 0; i < node->count; ++i) {
        Candidate& candidate = node->candidates[i];
        base::Descriptor listening =
            base::listen_in_range(candidate.address, ports, &candidate.port);
        if (listening.valid()) {
            listening_.push_back(std::move(listening));
            node->candidates[kept++] = candidate;
        } else {
            error = errno;
        }
    }
    node->count = kept;
    errno = error;
}

void NetworkTrial::begin(const TrialOrders& orders) {
    orders_ = orders;
    for (int network = 0; network < orders.network_count; ++network) {
        for (int neighbour = 0; neighbour < orders.neighbour_count; ++neighbour) {
            const TrialOrders::Call& order = orders.calls[network][neighbour];
            Call call;
            call.network = network;
            call.neighbour = neighbour;
            call.connection =
                base::begin_connection(base::socket_address(order.to, order.port), order.from);
            call.error = call.connection.valid() ? EINPROGRESS : errno;
            calls_.push_back(std::move(call));
        }
    }
}

void NetworkTrial::step(int timeout_ms) {
    std::vector<pollfd> waiting;
    for (const base::Descriptor& listening : listening_) {
        waiting.push_back({listening.get(), POLLIN, 0});
    }
    for (const Call& call : calls_) {
        if (call.error == EINPROGRESS) {
            const short event = call.is_connected ? POLLIN : POLLOUT;
            waiting.push_back({call.connection.get(), event, 0});
        }
    }
    poll(waiting.data(), waiting.size(), timeout_ms);
    for (const base::Descriptor& listening : listening_) {
        answer(listening);
    }
    for (Call& call : calls_) {
        if (call.error == EINPROGRESS) {
            look_at(call);
        }
    }
}

void NetworkTrial::answer(const base::Descriptor& listening) {
    base::Descriptor caller(accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!caller.valid()) {
        return;
    }
    send(caller.get(), &orders_.token, sizeof orders_.token, MSG_DONTWAIT | MSG_NOSIGNAL);
    // The caller closes first. So the system keeps nothing at a port that a provider may want. If
    // strangers fill the list, older callers, which have their answer, make room.
    if (answered_.size() == kMaxAnswered) {
        answered_.pop_front();
    }
    answered_.push_back(std::move(caller));
}

void NetworkTrial::look_at(Call& call) {
    if (!call.is_connected) {
        const int outcome = base::outcome_of(call.connection);
        call.is_connected = outcome == 0;
        if (outcome != 0 && outcome != EINPROGRESS) {
            call.error = outcome;
            call.connection.reset();
        }
    }
    if (!call.is_connected || !base::wait_ready(call.connection.get(), POLLIN, 0)) {
        return;
    }
    uint64_t token = 0;
    const ssize_t bytes = recv(call.connection.get(), &token, sizeof token, MSG_DONTWAIT);
    if (bytes == static_cast<ssize_t>(sizeof token)) {
        call.error = token == orders_.token ? 0 : EPROTO;
    } else {
        call.error = bytes < 0 ? errno : EPROTO;
    }
    call.connection.reset();
}

bool NetworkTrial::is_decided(int networks, bool is_time_over) const {
    return std::all_of(calls_.begin(), calls_.end(), [&](const Call& call) {
        return call.network >= networks || call.error != EINPROGRESS ||
               (is_time_over && !call.is_connected);
    });
}

int64_t NetworkTrial::failure(int network) const {
    for (const Call& call : calls_) {
        if (call.network == network && call.error != 0) {
            const TrialOrders::Call& order = orders_.calls[network][call.neighbour];
            return TrialFailure{orders_.node, order.node,
                                call.error == EINPROGRESS ? ETIMEDOUT : call.error}
                .number();
        }
    }
    return TrialFailure::kNone;
}

std::string describe_failure(const std::vector<NodeCandidates>& nodes, const Network& network,
                             const TrialFailure& failure) {
    const auto chosen = [&](int node) -> int { return network.chosen[static_cast<size_t>(node)]; };
    const Candidate& called =
        nodes[static_cast<size_t>(failure.called)].candidates[chosen(failure.called)];
    const std::string text = "over " + network.name + ", " +
                             describe_candidate(nodes, failure.called, chosen(failure.called));
    const std::string place = " at port " + std::to_string(called.port);
    const std::string caller = describe_candidate(nodes, failure.caller, chosen(failure.caller));
    switch (failure.error) {
        case ECONNREFUSED:
            return text + " refuses connections" + place + " to " + caller + ": a firewall";
        case ETIMEDOUT:
            return text + " gives no answer" + place + " to " + caller +
                   ": a firewall drops packets, or the network does not connect the two";
        case EPROTO:
            return text + " is not the host that answers" + place + " to " + caller;
        default:
            return text + " cannot be reached" + place + " from " + caller + ": " +
                   std::strerror(failure.error);
    }
}

}  // namespace armci::fabric
