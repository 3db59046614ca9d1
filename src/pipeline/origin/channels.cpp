// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/channels.h"

#include "base/log.h"

namespace armci::pipeline {

void Channels::open(const fabric::Domain& domain, const OriginOptions& options,
                    const OriginEnvironment& environment) {
    domain_ = &domain;
    options_ = options;
    environment_ = environment;
    channels_.open(static_cast<size_t>(options.servers.count()));
}

void Channels::close() {
    lists_ = {};
    channels_.clear();
}

Channel& Channels::get(int server) {
    Channel* channel = find(server);
    if (channel == nullptr) {
        channel = &channels_.make(server);
        channel->server = server;
        channel->node = servers().node_of(server);
        channel->flow.window_bytes = options_.server_window_bytes;
        const RecvAreaAddress* recv_area = environment_.recv_area(environment_.context, server);
        channel->recv_buffers.area = recv_area->recv_buffer_count > 0 ? recv_area : nullptr;
        channel->recv_buffers.are_shared = options_.write_chunks;
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

const uint64_t* Channels::recv_area_keys(int server) const {
    return endpoint_.further_key_count() > 0 && environment_.recv_area_keys != nullptr
               ? environment_.recv_area_keys(environment_.context, server)
               : nullptr;
}

std::string Channels::place_of(int server) const {
    return environment_.describe_node(environment_.context, servers().node_of(server));
}

size_t Channels::bytes() const {
    size_t bytes = channels_.bytes();
    for_each([&](const Channel& channel) {
        const auto& granted = channel.recv_buffers.granted;
        bytes += granted.capacity() * sizeof granted[0];
    });
    return bytes;
}

}  // namespace armci::pipeline
