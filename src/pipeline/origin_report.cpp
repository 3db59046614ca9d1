// What an origin is in the middle of, for a report about a wait that lasts.
#include <string>

#include "pipeline/origin.h"

namespace armci::pipeline {
namespace {

std::string with(const char* what, uint64_t count) {
    return ", " + std::to_string(count) + " " + what;
}

}  // namespace

std::string Origin::describe_work() const {
    std::string text;
    for (const std::unique_ptr<Channel>& channel : channels_) {
        if (!channel || (channel->tasks == 0 && channel->sent_frames == channel->executed_frames &&
                         !channel->remote_work_pending() && channel->batch == nullptr)) {
            continue;
        }
        text +=
            (text.empty() ? "" : "; ") + name_of(channel->server) + ": " +
            std::to_string(channel->tasks) + " operations under way, " +
            std::to_string(channel->executed_frames) + " of " +
            std::to_string(channel->sent_frames) + " frames known to be executed" +
            with("bytes of messages unanswered", channel->sent_bytes - channel->executed_bytes) +
            " of " + std::to_string(channel->window_bytes);
        if (channel->writes_in_flight > 0) {
            text += with("writes under way", static_cast<uint64_t>(channel->writes_in_flight));
        }
        if (channel->landing != nullptr) {
            text +=
                with("slots held", channel->slots.size()) + with("asked for", channel->slots_asked);
        }
    }
    if (!text.empty()) {
        text += "; buffers in use: " + std::to_string(buffers_.manager().used_bytes()) + " of " +
                std::to_string(buffers_.manager().arena_bytes()) + " bytes";
    }
    return text;
}

}  // namespace armci::pipeline
