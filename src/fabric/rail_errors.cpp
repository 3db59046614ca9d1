// SPDX-License-Identifier: BSD-3-Clause
// What a rail says when an operation has failed, before the job ends.
#include "base/log.h"
#include "fabric/ip_address.h"
#include "fabric/rail.h"

namespace armci::fabric {

const char* name_of(OperationKind kind) {
    switch (kind) {
        case OperationKind::send:
            return "send";
        case OperationKind::receive:
            return "receive";
        case OperationKind::write:
            return "write";
        case OperationKind::read:
            return "read";
        case OperationKind::none:
            break;
    }
    return "operation";
}

void Rail::fail(const char* what, int peer, int error, const char* detail) {
    base::await_verdict();
    base::fatal(nullptr, "libfabric %s%s failed on provider %s: %s%s%s%s. %s", what,
                describe_peer(peer).c_str(), domain_->provider_name().c_str(), fi_strerror(error),
                detail[0] != '\0' ? ": " : "", detail, exhausted_limit(),
                explain_failure(error, peer).c_str());
}

std::string Rail::describe_peer(int peer) const {
    if (peer < 0) {
        return {};
    }
    return " with " + (options_.describe_peer != nullptr
                           ? options_.describe_peer(options_.describe_context, peer)
                           : std::string(options_.peer_kind) + " " + std::to_string(peer));
}

std::string Rail::explain_failure(int error, int peer) const {
    if (error == EFAULT) {
        return "The system cannot read or write the local memory; check the address and the length "
               "that this rank has passed";
    }
    const std::string own = own_address(domain_->info(), address_.data());
    const std::string answer = options_.ask_peer != nullptr
                                   ? options_.ask_peer(options_.describe_context, peer)
                                   : std::string();
    if (own.empty() || (answer.empty() && !is_unreachable(error))) {
        return "The peer may have died, or the network between the nodes is broken; see that "
               "rank's messages";
    }
    return "This rank uses " + own + ", " +
           (answer.empty()
                ? std::string("from which the peer cannot be reached: the two are on networks "
                              "that are not connected, a firewall is between them, or the peer's "
                              "host is down")
                : "and " + answer) +
           ". " + kInterfaceRemedy;
}

}  // namespace armci::fabric
