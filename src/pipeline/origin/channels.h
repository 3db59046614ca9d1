// SPDX-License-Identifier: BSD-3-Clause
// The channels of an origin, which are made when they are first used, and the lists of those that
// need something.
#pragma once

#include <cstddef>
#include <string>

#include "base/sparse_table.h"
#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "pipeline/origin/channel_list.h"
#include "pipeline/origin/origin_options.h"

namespace armci::pipeline {

class Channels {
  public:
    explicit Channels(fabric::Endpoint& endpoint) : endpoint_(endpoint) {}

    // The endpoint must be open.
    void open(const fabric::Domain& domain, const OriginOptions& options,
              const OriginEnvironment& environment);
    void close();

    // Returns the channel, which it makes if needed. The job ends when the provider does not accept
    // the server's address.
    Channel& get(int server);
    // Returns nullptr when the channel was not used yet.
    Channel* find(int server) const { return channels_.find(server); }
    // Calls visit(Channel&) for those that were used, by server.
    template <class Visit>
    void for_each(Visit&& visit) const {
        channels_.for_each(visit);
    }
    ChannelLists& lists() { return lists_; }
    const ChannelLists& lists() const { return lists_; }

    const ServerNumbers& servers() const { return options_.servers; }
    // These three are for log and error text.
    std::string name_of(int server) const { return servers().name_of(server); }
    // Returns "node 1 (rank 2 on host b, 192.0.2.1)" for the server's node.
    // Only with a description of nodes in the environment.
    std::string place_of(int server) const;
    // Returns the keys of the server's receive buffers as fabric::RemoteMemory has them.
    const uint64_t* recv_area_keys(int server) const;
    const void* address_of(int server) const {
        return environment_.server_address(environment_.context, server);
    }
    uint64_t token_of(int server) const {
        return environment_.server_token(environment_.context, server);
    }
    // Returns the bytes kept for all servers, used or not.
    size_t bytes() const;

  private:
    fabric::Endpoint& endpoint_;
    const fabric::Domain* domain_ = nullptr;
    OriginOptions options_;
    OriginEnvironment environment_;
    base::SparseTable<Channel> channels_;
    ChannelLists lists_;
};

}  // namespace armci::pipeline
