// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/channels.h"

#include "base/log.h"

namespace armci::pipeline {

void Channels::open(const fabric::Domain& domain, const OriginOptions& options,
                    const OriginEnvironment& environment) {
    domain_ = &domain;
    options_ = options;
    environment_ = environment;
    channels_.resize(static_cast<size_t>(options.servers.count()));
}

void Channels::close() {
    lists_ = {};
    channels_.clear();
}

Channel& Channels::get(int server) {
    std::unique_ptr<Channel>& channel = channels_[static_cast<size_t>(server)];
    if (!channel) {
        channel = std::make_unique<Channel>();
        channel->server = server;
        channel->node = servers().node_of(server);
        channel->flow.window_bytes = options_.server_window_bytes;
        const RecvAreaAddress* recv_area = environment_.recv_area(environment_.context, server);
        channel->recv_buffers.area = recv_area->recv_buffer_count > 0 ? recv_area : nullptr;
        channel->peer = endpoint_.insert_peer(address_of(server));
        if (channel->peer == FI_ADDR_UNSPEC) {
            base::fatal(nullptr,
                        "provider %s does not accept the address of %s; memory may be short on "
                        "this node, or the hosts run different versions of libfabric: choose "
                        "another ARMCI_PROVIDER",
                        domain_->provider_name().c_str(), name_of(server).c_str());
        }
    }
    return *channel;
}

std::string Channels::place_of(int server) const {
    return environment_.describe_node(environment_.context, servers().node_of(server));
}

size_t Channels::bytes() const {
    size_t bytes = channels_.capacity() * sizeof channels_[0];
    for (const auto& channel : channels_) {
        if (channel) {
            bytes += sizeof *channel + channel->recv_buffers.granted.capacity() *
                                           sizeof channel->recv_buffers.granted[0];
        }
    }
    return bytes;
}

}  // namespace armci::pipeline
