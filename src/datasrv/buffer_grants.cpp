// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/buffer_grants.h"

#include <algorithm>
#include <cstddef>

namespace armci::datasrv {
namespace {

// The part of the buffers that all origins without work together may keep.
constexpr uint32_t kKeptPart = 4;
constexpr uint32_t kMaxKept = 16;

}  // namespace

void BufferGrants::open(uint32_t recv_buffer_count) {
    recv_buffer_count_ = recv_buffer_count;
    holder_.assign(recv_buffer_count, nullptr);
    for (uint32_t recv_buffer = recv_buffer_count; recv_buffer > 0; --recv_buffer) {
        free_.push_back(recv_buffer - 1);
    }
}

uint32_t BufferGrants::keep() const {
    const auto clients = static_cast<uint32_t>(queue_.size()) + holding_clients_;
    return std::min(kMaxKept, recv_buffer_count_ / (kKeptPart * std::max(1u, clients)));
}

void BufferGrants::want(GrantClient& client, uint64_t count) {
    client.wanted = static_cast<uint32_t>(std::min<uint64_t>(count, recv_buffer_count_));
    if (client.wanted > 0 && !client.is_queued) {
        client.is_queued = true;
        queue_.push_back(&client);
        holding_clients_ -= client.held > 0 ? 1 : 0;
    }
}

bool BufferGrants::use(GrantClient& client, uint32_t recv_buffer) {
    if (!is_held(client, recv_buffer)) {
        return false;
    }
    holder_[recv_buffer] = nullptr;
    --client.held;
    holding_clients_ -= client.held == 0 && !client.is_queued ? 1 : 0;
    return true;
}

void BufferGrants::release(uint32_t recv_buffer) {
    free_.push_back(recv_buffer);
}

uint32_t BufferGrants::next(uint32_t room, GrantClient** client, uint32_t* recv_buffers) {
    for (size_t turns = queue_.size(); turns > 0 && !free_.empty(); --turns) {
        GrantClient& first = *queue_.front();
        queue_.pop_front();
        first.is_queued = false;
        holding_clients_ += first.held > 0 ? 1 : 0;
        if (first.wanted == 0) {
            continue;
        }
        // The first client is one of those counted.
        const uint32_t others =
            static_cast<uint32_t>(queue_.size()) + holding_clients_ - (first.held > 0 ? 1 : 0);
        // One client never gets all of them, because an origin may stop calling the library while
        // it holds them.
        const uint32_t max =
            std::max(1u, std::min(recv_buffer_count_ / (others + 1), (recv_buffer_count_ + 1) / 2));
        const uint32_t below = max > first.held ? max - first.held : 0;
        const uint32_t count = std::min({first.wanted, below, free_count(), room});
        // A grant is several buffers, because each grant is a message.
        const uint32_t worth =
            first.held == 0 ? 1 : std::min({first.wanted, room, std::max(1u, max / 4)});
        if (count == 0 || count < worth) {
            want(first, first.wanted);
            continue;
        }
        holding_clients_ += first.held == 0 ? 1 : 0;
        for (uint32_t i = 0; i < count; ++i) {
            recv_buffers[i] = free_.back();
            free_.pop_back();
            holder_[recv_buffers[i]] = &first;
        }
        first.held += count;
        first.granted += count;
        first.wanted -= count;
        want(first, first.wanted);
        *client = &first;
        return count;
    }
    return 0;
}

}  // namespace armci::datasrv
