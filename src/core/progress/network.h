// SPDX-License-Identifier: BSD-3-Clause
// The network between nodes, as this rank has opened it.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/progress/cost_learning.h"
#include "core/progress/rank_servers.h"
#include "datasrv/server.h"
#include "fabric/domain.h"
#include "pipeline/costs/cost_model.h"
#include "pipeline/origin/origin.h"

namespace armci::core {

// The sizes of the pipeline's buffers, which are powers of two.
struct BufferPlan {
    int64_t bytes = 0;
    int64_t count = 0;
    int64_t depth = 0;          // how many of them one transfer takes at most
    int64_t receive_count = 0;  // of a data server
};

// What all ranks know of a data server. The keys of its receive buffers on further rails follow,
// if they differ, and its fabric address.
struct ServerRecord {
    pipeline::RecvAreaAddress recv_area;
    uint64_t heap_begin = 0;  // of its node
    uint64_t heap_bytes = 0;
    uint64_t token = 0;  // of the process that it is in
    char host[56] = "";
};
static_assert(sizeof(ServerRecord) == 104);  // docs/scaling.md counts on it
inline const uint64_t* further_keys_of(const ServerRecord& record) {
    return reinterpret_cast<const uint64_t*>(&record + 1);
}

// There is none in a job of one node.
struct Network {
    fabric::Domain domain;
    pipeline::ServerNumbers servers;
    RankServers rank_servers;
    // With its token a process shows others that it is of this job (wire::Sender). Those of all
    // ranks are kept where there is a data server.
    uint64_t token = 0;
    std::vector<uint64_t> rank_tokens;
    std::unique_ptr<datasrv::Server> server;  // that this rank runs, if any
    pipeline::Origin origin;
    size_t origin_address_bytes = 0;                  // the most of any rank's endpoint
    const unsigned char* server_addresses = nullptr;  // by server, in node memory
    size_t server_address_bytes = 0;
    uint32_t server_addresses_record = 0;  // heap record, on the node's first rank
    bool rma_usable = false;
    pipeline::CostModel costs;  // as they were at start
    CostLearning learning;      // those that decide
    // Whether some nodes share a host with others and some do not. Then the names of hosts tell
    // what connects two nodes; otherwise it is `usual_link`.
    bool has_links_of_both_kinds = false;
    Link usual_link = Link::network;
    std::vector<std::string> passed_over;  // rejected providers with the reasons; on rank 0
    std::string idle_adapter;              // one of those, which the user may expect to be used; on
                                           // rank 0
    // The place of the domain's first rail among the interfaces that are rails. The others follow
    // in turn.
    size_t first_rail = 0;
    std::string network_reason;  // the IP network used and why, in words; on rank 0 of a
                                 // job on several hosts
    std::string cost_source;     // where the cost model's constants come from, in words
    BufferPlan buffers;

    // Returns what connects this rank's node, `own_node`, with another one.
    Link link_to(int node, int own_node) const {
        if (!has_links_of_both_kinds) {
            return usual_link;
        }
        return std::strcmp(record_of(servers.first_of(node)).host,
                           record_of(servers.first_of(own_node)).host) == 0
                   ? Link::host
                   : Link::network;
    }
    const void* address_of(const ServerRecord& record) const {
        return further_keys_of(record) + domain.further_key_count();
    }
    const ServerRecord& record_of(int number) const {
        return *reinterpret_cast<const ServerRecord*>(
            server_addresses + server_address_bytes * static_cast<size_t>(number));
    }
};

}  // namespace armci::core
