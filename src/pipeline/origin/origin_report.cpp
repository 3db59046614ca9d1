// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/origin_report.h"

#include <algorithm>
#include <string>

#include "fabric/ip_address.h"

namespace armci::pipeline {
namespace {

std::string with(const char* what, uint64_t count) {
    return ", " + std::to_string(count) + " " + what;
}

std::string at(const std::string& address) {
    return address.empty() ? "" : " at " + address;
}

}  // namespace

std::vector<int> OriginReport::silent_servers() const {
    std::vector<int> silent;
    channels_.for_each([&](const Channel& channel) {
        if (channel.is_under_way() && channel.flow.acknowledged_frames == 0 &&
            !channel.is_reached) {
            silent.push_back(channel.server);
        }
    });
    for (const int node : barriers_.silent_nodes()) {
        const int server = channels_.servers().first_of(node);
        if (std::find(reached_nodes_.begin(), reached_nodes_.end(), node) == reached_nodes_.end() &&
            std::find(silent.begin(), silent.end(), server) == silent.end()) {
            silent.push_back(server);
        }
    }
    return silent;
}

void OriginReport::note_reached(int server) {
    reached_nodes_.push_back(channels_.servers().node_of(server));
    if (Channel* channel = channels_.find(server)) {
        channel->is_reached = true;
    }
}

std::string OriginReport::describe_work() const {
    std::string text = barriers_.describe();
    channels_.for_each([&](const Channel& channel) {
        if (!channel.is_under_way()) {
            return;
        }
        const std::string address =
            fabric::address_text(domain_->info().addr_format, channels_.address_of(channel.server));
        text += (text.empty() ? "" : "; ") + channels_.name_of(channel.server) + at(address) +
                ": " + std::to_string(channel.tasks.count) + " operations under way, " +
                std::to_string(channel.flow.acknowledged_frames) + " of " +
                std::to_string(channel.flow.sent_frames) + " frames known to be executed" +
                with("bytes of messages unanswered",
                     channel.flow.sent_bytes - channel.flow.acknowledged_bytes) +
                " of " + std::to_string(channel.flow.window_bytes);
        if (channel.writes_in_flight > 0) {
            text += with("writes under way", static_cast<uint64_t>(channel.writes_in_flight));
        }
        if (channel.recv_buffers.area != nullptr) {
            text += with("receive buffers held", channel.recv_buffers.held()) +
                    with("asked for", channel.recv_buffers.asked);
        }
    });
    if (!text.empty()) {
        text += "; buffers in use: " + std::to_string(buffers_.manager().used_bytes()) + " of " +
                std::to_string(buffers_.manager().arena_bytes()) + " bytes";
    }
    return text;
}

}  // namespace armci::pipeline
