// SPDX-License-Identifier: BSD-3-Clause
#include "watch/reach.h"

#include <algorithm>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "fabric/ip_address.h"
#include "watch/watch.h"

namespace armci::watch {

int64_t reach_patience_ms(int64_t link_s) {
    // The system's first tries go out within a second and at three.
    constexpr int64_t kEnoughMs = 5'000;
    return std::min(kEnoughMs, link_s * 1000 / 2);
}

int64_t reach_check_ms(int64_t link_s) {
    return link_s * 1000 - reach_patience_ms(link_s) - Watch::kVerdictMs;
}

std::string ask_server(const fabric::Domain& domain, const void* name, int64_t link_s) {
    const uint32_t format = domain.info().addr_format;
    if (!fabric::is_ip_format(format)) {
        return {};
    }
    const uint16_t port = fabric::port_of(format, name);
    const base::SocketAddress address = base::socket_address(fabric::ip_of(format, name), port);
    const std::string place = " at port " + std::to_string(port) + " over " +
                              fabric::interface_name(domain.info()) + ": a firewall";
    switch (fabric::ask_host(address, static_cast<int>(reach_patience_ms(link_s)))) {
        case fabric::HostAnswer::accepts:
            return {};
        case fabric::HostAnswer::refuses:
            // Where a provider does not listen by TCP, a refusal says that the host is there.
            return domain.row().listens_by_tcp ? "refuses connections" + place : std::string();
        case fabric::HostAnswer::none:
            break;
    }
    return "cannot be reached" + place + ", or a network that does not connect all nodes";
}

void check_reach(const fabric::Domain& domain, pipeline::Origin& origin, const char* function,
                 int64_t begin_ns, int64_t link_s) {
    for (const int server : origin.report().silent_servers()) {
        const std::string complaint =
            ask_server(domain, origin.channels().address_of(server), link_s);
        if (complaint.empty()) {
            origin.report().note_reached(server);
            continue;
        }
        base::await_verdict();  // the server's process may have ended
        const int64_t waited_s = (base::now_ns() - begin_ns) / 1'000'000'000;
        base::fatal(function,
                    "%s has never answered in %lld s (ARMCI_LOST_LINK_SECONDS), and %s %s. %s",
                    origin.channels().name_of(server).c_str(), static_cast<long long>(waited_s),
                    origin.channels().place_of(server).c_str(), complaint.c_str(),
                    fabric::kInterfaceRemedy);
    }
}

}  // namespace armci::watch
