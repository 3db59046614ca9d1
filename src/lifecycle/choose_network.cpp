// SPDX-License-Identifier: BSD-3-Clause
#include "lifecycle/choose_network.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "core/job/mpi_collectives.h"
#include "fabric/environment.h"
#include "fabric/ip_address.h"
#include "fabric/network_trial.h"
#include "watch/reach.h"

namespace armci::lifecycle {
namespace {

constexpr int64_t kMsNs = 1'000'000;

// By network: its first failure as a number.
using Verdict = std::array<int64_t, fabric::NetworkPlan::kMax>;

struct ChosenNetwork {
    struct {
        base::IpAddress own;  // this node's address there; none if the provider does not use IP
        bool connects = true;
    } network;
    std::string reason;  // as in AgreedNetwork
};

// What rank 0 alone knows.
struct Plan {
    std::vector<fabric::NodeCandidates> nodes;
    fabric::NetworkPlan networks;
};

fabric::NodeCandidates own_candidates(const core::Runtime& runtime,
                                      const fabric::ProviderChoice& choice, NetworkNeed need,
                                      fabric::NetworkTrial* trial) {
    fabric::NodeCandidates own;
    own.host = core::host_identity();
    own.first_rank = runtime.world.rank;
    std::snprintf(own.host_name, sizeof own.host_name, "%s", core::host_name().c_str());
    fabric::describe_candidates(choice.addresses, &own);
    trial->listen(&own, fabric::ports_of_provider());
    if (own.count == 0 && need == NetworkNeed::required) {
        base::fatal("ARMCI_Init", "%s cannot listen at any of its addresses: %s%s. %s",
                    core::describe_node(runtime.world).c_str(), std::strerror(errno),
                    errno == EADDRINUSE ? "; perhaps all ports of ARMCI_PORT_RANGE are in use" : "",
                    fabric::kInterfaceRemedy);
    }
    return own;
}

std::string why_no_network(const Plan& plan) {
    return "no network between the nodes: " +
           (plan.networks.ruled_out.empty()
                ? "some have only addresses of IPv4, others only of IPv6"
                : plan.networks.ruled_out.front());
}

std::string why_not_connected(const Plan& plan, const Verdict& verdict) {
    constexpr size_t kMaxNamed = 3;
    std::string text;
    for (size_t i = 0; i < std::min(plan.networks.networks.size(), kMaxNamed); ++i) {
        text +=
            (i > 0 ? "; " : "") + fabric::describe_failure(plan.nodes, plan.networks.networks[i],
                                                           fabric::TrialFailure::from(verdict[i]));
    }
    return "no network connects all nodes: " + text;
}

// Gathers the candidates of all nodes on rank 0, and gives each node what it is to try: nothing if
// the nodes have no network in common.
fabric::TrialOrders distribute(const core::World& world, const fabric::NodeCandidates& own,
                               Plan* plan) {
    std::vector<fabric::TrialOrders> all;
    const auto nodes = static_cast<size_t>(world.rank == 0 ? world.node_count : 0);
    plan->nodes.resize(nodes);
    core::mpi::gather(&own, plan->nodes.data(), sizeof own, 0, world.leaders_comm);
    if (world.rank == 0) {
        plan->networks = fabric::plan_networks(plan->nodes);
        // It tells this job's listeners from others at the same port; it protects nothing.
        uint64_t token = 0;
        if (!base::draw_random(&token, sizeof token)) {
            token = static_cast<uint64_t>(base::now_ns());
        }
        for (int node = 0; node < world.node_count; ++node) {
            all.push_back(fabric::trial_orders(plan->nodes, plan->networks, node, token));
        }
    }
    fabric::TrialOrders orders;
    core::mpi::scatter(all.data(), &orders, sizeof orders, 0, world.leaders_comm);
    return orders;
}

// Until when a node may wait: for a host to answer, and for the process there to run.
struct Deadlines {
    int64_t answer_ns = 0;
    int64_t process_ns = 0;
};

// Calls the neighbours until their answers in the first so many networks are known, or none may
// come any more. All nodes return the same. Each answers others until all are here.
Verdict try_until(const core::World& world, fabric::NetworkTrial& trial, int networks,
                  const Deadlines& deadlines) {
    constexpr int kStepMs = 1;
    for (int64_t now = base::now_ns();
         now < deadlines.process_ns && !trial.is_decided(networks, now >= deadlines.answer_ns);
         now = base::now_ns()) {
        trial.step(kStepMs);
    }
    Verdict verdict;
    for (size_t network = 0; network < verdict.size(); ++network) {
        verdict[network] = trial.failure(static_cast<int>(network));
    }
    MPI_Request all_know = MPI_REQUEST_NULL;
    MPI_Iallreduce(MPI_IN_PLACE, verdict.data(), static_cast<int>(verdict.size()), MPI_INT64_T,
                   MPI_MIN, world.leaders_comm, &all_know);
    int done = 0;
    for (MPI_Test(&all_know, &done, MPI_STATUS_IGNORE); done == 0;
         MPI_Test(&all_know, &done, MPI_STATUS_IGNORE)) {
        trial.step(kStepMs);
    }
    return verdict;
}

// Returns the first network without a failure, or -1.
int first_connecting(const Verdict& verdict, int networks) {
    for (int i = 0; i < networks; ++i) {
        if (verdict[static_cast<size_t>(i)] == fabric::TrialFailure::kNone) {
            return i;
        }
    }
    return -1;
}

// Returns the number of the first network that connects all nodes, or -1. The best one alone is
// enough if it works. If not, another one that answers soon need not wait for it.
int find_connecting(const core::Runtime& runtime, const fabric::TrialOrders& orders,
                    fabric::NetworkTrial& trial, Verdict* verdict) {
    // The system repeats what got lost after a second.
    constexpr int64_t kQuickMs = 1'500;
    const int64_t link_s = runtime.config().lost_link_seconds;
    const struct {
        int networks;
        int64_t patience_ms;
    } rounds[] = {{1, kQuickMs},
                  {orders.network_count, kQuickMs},
                  {orders.network_count, watch::reach_patience_ms(link_s)}};
    const int64_t begin_ns = base::now_ns();
    int found = -1;
    for (const auto& round : rounds) {
        if (found < 0) {
            *verdict =
                try_until(runtime.world, trial, round.networks,
                          {begin_ns + round.patience_ms * kMsNs, begin_ns + link_s * 1000 * kMsNs});
            found = first_connecting(*verdict, round.networks);
        }
    }
    return found;
}

// Returns what says that the nodes are not connected. If they must be, rank 0 ends the job instead.
ChosenNetwork refuse(const core::World& world, NetworkNeed need, const std::string& reason,
                     const char* other_remedy) {
    if (need == NetworkNeed::required) {
        if (world.rank == 0) {
            base::fatal("ARMCI_Init", "%s. %s%s", reason.c_str(), fabric::kInterfaceRemedy,
                        other_remedy);
        }
        core::mpi::barrier(world.leaders_comm);
    }
    ChosenNetwork none;
    none.network.connects = false;
    none.reason = reason;
    return none;
}

ChosenNetwork choose_on_leader(const core::Runtime& runtime, const fabric::ProviderChoice& choice,
                               NetworkNeed need) {
    const core::World& world = runtime.world;
    fabric::NetworkTrial trial;
    Plan plan;
    const fabric::NodeCandidates own = own_candidates(runtime, choice, need, &trial);
    const fabric::TrialOrders orders = distribute(world, own, &plan);
    if (orders.network_count == 0) {
        return refuse(world, need, world.rank == 0 ? why_no_network(plan) : "", "");
    }
    trial.begin(orders);
    Verdict verdict{};
    // A firewall may stop TCP, and let pass what another provider uses.
    const bool must_connect = choice.row->listens_by_tcp;
    int used = -1;
    if (must_connect || orders.network_count > 1) {
        used = find_connecting(runtime, orders, trial, &verdict);
    }
    if (used < 0 && must_connect) {
        return refuse(world, need, world.rank == 0 ? why_not_connected(plan, verdict) : "",
                      ", or let connections to the ports of ARMCI_PORT_RANGE pass");
    }
    const bool is_tried = used >= 0;
    used = std::max(used, 0);
    ChosenNetwork chosen;
    chosen.network.own = orders.own[used];
    if (world.rank == 0) {
        chosen.reason = plan.networks.networks[static_cast<size_t>(used)].name + ": " +
                        fabric::why_used(plan.networks, static_cast<size_t>(used)) +
                        (is_tried ? "" : "; not tried, or without an answer over TCP");
        for (int i = 0; i < used; ++i) {
            chosen.reason +=
                "; " + fabric::describe_failure(
                           plan.nodes, plan.networks.networks[static_cast<size_t>(i)],
                           fabric::TrialFailure::from(verdict[static_cast<size_t>(i)]));
        }
    }
    return chosen;
}

ChosenNetwork choose_network(const core::Runtime& runtime, const fabric::ProviderChoice& choice,
                             NetworkNeed need) {
    ChosenNetwork chosen;
    // A provider may have addresses of IP on some nodes only; then it is not IP that it uses.
    int has_addresses = choice.addresses.empty() ? 0 : 1;
    core::mpi::allreduce(&has_addresses, 1, MPI_INT, MPI_MIN, runtime.world.comm);
    if (has_addresses == 0) {
        return chosen;
    }
    if (runtime.world.is_leader()) {
        chosen = choose_on_leader(runtime, choice, need);
    }
    core::mpi::bcast(&chosen.network, sizeof chosen.network, MPI_BYTE, 0, runtime.world.node_comm);
    return chosen;
}

}  // namespace

AgreedNetwork agree_on_network(const core::Runtime& runtime, NetworkNeed need,
                               fabric::ProviderChoice* choice) {
    if (runtime.world.is_single_host) {
        return {};
    }
    const ChosenNetwork chosen = choose_network(runtime, *choice, need);
    const base::IpAddress& own = chosen.network.own;
    if (!chosen.network.connects) {
        return {false, chosen.reason};
    }
    const fi_info& info = *choice->info;
    const bool is_offered = std::find(choice->addresses.begin(), choice->addresses.end(), own) !=
                            choice->addresses.end();
    if (is_offered && fabric::ip_of(info.addr_format, info.src_addr) != own) {
        fabric::ProviderChoice there =
            fabric::choose_provider({info.fabric_attr->prov_name, base::text_of(own), false});
        if (!there.info) {
            base::fatal("ARMCI_Init", "on %s: %s. %s", core::describe_node(runtime.world).c_str(),
                        there.error.c_str(), kProviderRemedy);
        }
        choice->info = std::move(there.info);
    }
    if (!chosen.reason.empty()) {
        ARMCI_LOG_INFO("network between the nodes: %s", chosen.reason.c_str());
    }
    return {true, chosen.reason};
}

}  // namespace armci::lifecycle
