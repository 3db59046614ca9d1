// SPDX-License-Identifier: BSD-3-Clause
#include "watch/reach.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "base/interfaces.h"
#include "base/log.h"
#include "fabric/ip_address.h"

namespace armci::watch {
namespace {

bool is_by_ip(const fabric::Domain& domain) {
    return domain.info().addr_format == FI_SOCKADDR_IN;
}

NodeAddress own_address(const fabric::Domain& domain,
                        const std::vector<unsigned char>& server_address) {
    NodeAddress own;
    own.host = core::host_identity();
    sockaddr_in address{};
    std::memcpy(&address, server_address.data(), sizeof address);
    own.ipv4 = address.sin_addr.s_addr;
    std::snprintf(own.host_name, sizeof own.host_name, "%s", core::host_name().c_str());
    std::snprintf(own.interface, sizeof own.interface, "%s",
                  fabric::interface_name(domain.info()).c_str());
    return own;
}

// "host name (rank 4, interface docker0)"
std::string describe(const core::World& world, const NodeAddress& address, int node) {
    return std::string(address.host_name) + " (rank " + std::to_string(world.first_rank_of(node)) +
           ", interface " + address.interface + ")";
}

[[noreturn]] void report(const core::World& world, const std::vector<NodeAddress>& addresses,
                         const AddressConflict& conflict) {
    const NodeAddress& first = addresses[static_cast<size_t>(conflict.first)];
    const NodeAddress& second = addresses[static_cast<size_t>(conflict.second)];
    const std::string text = base::text_of(in_addr{first.ipv4});
    const std::string who = describe(world, first, conflict.first);
    if (conflict.first == conflict.second) {
        base::fatal("ARMCI_Init",
                    "%s has the network address %s, by which no other host reaches it. %s",
                    who.c_str(), text.c_str(), fabric::kInterfaceRemedy);
    }
    base::fatal("ARMCI_Init",
                "%s and %s have the same network address, %s, so they cannot reach each other. %s",
                who.c_str(), describe(world, second, conflict.second).c_str(), text.c_str(),
                fabric::kInterfaceRemedy);
}

}  // namespace

AddressConflict find_conflict(const std::vector<NodeAddress>& addresses) {
    std::unordered_map<uint32_t, int> node_by_address;
    for (int node = 0; node < static_cast<int>(addresses.size()); ++node) {
        const NodeAddress& address = addresses[static_cast<size_t>(node)];
        if (base::is_loopback(in_addr{address.ipv4})) {
            return {node, node};
        }
        // Virtual nodes share their host's.
        const int other = node_by_address.emplace(address.ipv4, node).first->second;
        if (addresses[static_cast<size_t>(other)].host != address.host) {
            return {other, node};
        }
    }
    return {};
}

void check_addresses(const core::World& world, const fabric::Domain& domain,
                     const std::vector<unsigned char>* server_address) {
    if (world.is_single_host || !is_by_ip(domain) || !world.is_leader()) {
        return;
    }
    const NodeAddress own = own_address(domain, *server_address);
    std::vector<NodeAddress> all(static_cast<size_t>(world.rank == 0 ? world.node_count : 0));
    MPI_Gather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, 0, world.leaders_comm);
    const AddressConflict conflict = find_conflict(all);
    if (conflict.first >= 0) {
        report(world, all, conflict);
    }
}

int64_t reach_patience_ms(int64_t link_s) {
    // The system's first tries go out within a second and at three.
    constexpr int64_t kEnoughMs = 5'000;
    return std::min(kEnoughMs, link_s * 1000 / 2);
}

void check_reach(const fabric::Domain& domain, pipeline::Origin& origin, const char* function,
                 int64_t begin_ns, int64_t link_s) {
    if (!is_by_ip(domain)) {
        return;
    }
    for (const int server : origin.report().silent_servers()) {
        sockaddr_in address{};
        std::memcpy(&address, origin.channels().address_of(server), sizeof address);
        const fabric::HostAnswer answer =
            fabric::ask_host(address, static_cast<int>(reach_patience_ms(link_s)));
        // Where a provider does not listen by TCP, a refusal says that the host is there.
        const bool is_refused =
            answer == fabric::HostAnswer::refuses && domain.row().listens_by_tcp;
        if (answer != fabric::HostAnswer::none && !is_refused) {
            origin.report().note_reached(server);
            continue;
        }
        base::await_verdict();  // the server's process may have ended
        const int64_t waited_s = (base::now_ns() - begin_ns) / 1'000'000'000;
        base::fatal(function,
                    "%s has never answered in %lld s (ARMCI_LOST_LINK_SECONDS), and %s %s at port "
                    "%d over %s: a firewall%s. %s",
                    origin.channels().name_of(server).c_str(), static_cast<long long>(waited_s),
                    origin.channels().place_of(server).c_str(),
                    is_refused ? "refuses connections" : "cannot be reached",
                    ntohs(address.sin_port), fabric::interface_name(domain.info()).c_str(),
                    is_refused ? "" : ", or a network that does not connect all nodes",
                    fabric::kInterfaceRemedy);
    }
}

}  // namespace armci::watch
