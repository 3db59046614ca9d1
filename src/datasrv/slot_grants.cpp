#include "datasrv/slot_grants.h"

#include <algorithm>

namespace armci::datasrv {
namespace {

// Part of the zone that origins without work may keep between them.
constexpr uint32_t kKeptPart = 4;
constexpr uint32_t kMostKept = 4;

}  // namespace

void SlotGrants::open(uint32_t slot_count) {
    slot_count_ = slot_count;
    holder_.assign(slot_count, nullptr);
    for (uint32_t slot = slot_count; slot > 0; --slot) {
        free_.push_back(slot - 1);
    }
}

uint32_t SlotGrants::keep() const {
    const auto clients = static_cast<uint32_t>(queue_.size()) + holding_clients_;
    return std::min(kMostKept, slot_count_ / (kKeptPart * std::max(1u, clients)));
}

void SlotGrants::want(SlotClient& client, uint64_t count) {
    client.wanted = static_cast<uint32_t>(std::min<uint64_t>(count, slot_count_));
    if (client.wanted > 0 && !client.is_queued) {
        client.is_queued = true;
        queue_.push_back(&client);
        holding_clients_ -= client.held > 0 ? 1 : 0;
    }
}

bool SlotGrants::use(SlotClient& client, uint32_t slot) {
    if (slot >= slot_count_ || holder_[slot] != &client) {
        return false;
    }
    holder_[slot] = nullptr;
    --client.held;
    holding_clients_ -= client.held == 0 && !client.is_queued ? 1 : 0;
    return true;
}

void SlotGrants::release(uint32_t slot) {
    free_.push_back(slot);
}

uint32_t SlotGrants::next(uint32_t room, SlotClient** client, uint32_t* slots) {
    for (size_t turns = queue_.size(); turns > 0 && !free_.empty(); --turns) {
        SlotClient& first = *queue_.front();
        queue_.pop_front();
        first.is_queued = false;
        holding_clients_ += first.held > 0 ? 1 : 0;
        if (first.wanted == 0) {
            continue;
        }
        // As one of those counted.
        const uint32_t others =
            static_cast<uint32_t>(queue_.size()) + holding_clients_ - (first.held > 0 ? 1 : 0);
        // Never all of them: an origin may stop calling the library with what it holds.
        const uint32_t most =
            std::max(1u, std::min(slot_count_ / (others + 1), (slot_count_ + 1) / 2));
        const uint32_t below = most > first.held ? most - first.held : 0;
        const uint32_t count = std::min({first.wanted, below, free_count(), room});
        // Several slots to a grant: each grant is a message.
        const uint32_t worth = first.held == 0 ? 1 : std::min(first.wanted, std::max(1u, most / 4));
        if (count == 0 || count < worth) {
            want(first, first.wanted);
            continue;
        }
        holding_clients_ += first.held == 0 ? 1 : 0;
        for (uint32_t i = 0; i < count; ++i) {
            slots[i] = free_.back();
            free_.pop_back();
            holder_[slots[i]] = &first;
        }
        first.held += count;
        first.wanted -= count;
        want(first, first.wanted);
        *client = &first;
        return count;
    }
    return 0;
}

}  // namespace armci::datasrv
