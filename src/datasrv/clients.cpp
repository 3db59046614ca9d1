// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/clients.h"

#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "base/log.h"

namespace armci::datasrv {

void Clients::open(const fabric::Domain& domain, std::string server_name,
                   const uint64_t* rank_tokens, int rank_count) {
    domain_ = &domain;
    server_name_ = std::move(server_name);
    rank_tokens_ = rank_tokens;
    rank_count_ = rank_count;
}

Client* Clients::client_of(int rank) {
    std::unique_ptr<Client>& client = clients_[rank];
    if (!client) {
        client = std::make_unique<Client>();
        client->rank = rank;
    }
    return client.get();
}

Client* Clients::sender_of(const void* frame, size_t bytes) {
    wire::Sender sender;
    const bool is_rank = wire::decode_sender(frame, bytes, &sender) &&
                         wire::is_token(sender.token, token_of(sender.number));
    return is_rank ? client_of(sender.number) : nullptr;
}

size_t Clients::take_written(void* memory, size_t bytes, Client** sender) {
    wire::Sender claimed;
    const size_t frame_bytes = wire::decode_sender(memory, bytes, &claimed)
                                   ? wire::take_written(memory, bytes, token_of(claimed.number))
                                   : 0;
    if (frame_bytes > 0) {
        *sender = client_of(claimed.number);
    }
    return frame_bytes;
}

bool Clients::shake_hands(Client& client, const void* frame, size_t frame_bytes) {
    if (client.peer != FI_ADDR_UNSPEC) {
        return true;
    }
    const char* sent = static_cast<const char*>(frame) + sizeof(wire::FrameHeader);
    const size_t sent_bytes = frame_bytes - sizeof(wire::FrameHeader);
    const size_t address_bytes = endpoint_.address_bytes(sent, sent_bytes);
    const size_t rest = sent_bytes - wire::padded(address_bytes);
    if (address_bytes == 0 || (rest != 0 && rest != sizeof client.answer_slots)) {
        ARMCI_LOG_WARN("%s ignored a handshake of rank %d without a valid address",
                       server_name_.c_str(), client.rank);
        return false;
    }
    const std::vector<unsigned char> address(sent, sent + address_bytes);
    if (rest != 0) {
        std::memcpy(&client.answer_slots, sent + wire::padded(address_bytes), rest);
        client.has_answer_slots = true;
    }
    client.peer = endpoint_.insert_peer(address.data());
    if (client.peer == FI_ADDR_UNSPEC) {
        base::fatal(nullptr,
                    "%s cannot use the address of rank %d, which would wait for it forever: there "
                    "is no room for it, or provider %s does not take it. Memory may be short on "
                    "this node, or damaged on that rank's",
                    server_name_.c_str(), client.rank, domain_->provider_name().c_str());
    }
    return true;
}

Clients::Early Clients::count_early() const {
    Early early;
    for (const auto& [rank, client] : clients_) {
        early.frames += static_cast<int64_t>(client->early_frames.size());
        early.bytes += static_cast<int64_t>(client->early_bytes);
    }
    return early;
}

uint64_t Clients::executed_frames() const {
    return std::accumulate(
        clients_.begin(), clients_.end(), uint64_t{0},
        [](uint64_t sum, const auto& entry) { return sum + entry.second->executed_frames; });
}

size_t Clients::bytes() const {
    // This includes the table's entry that points to the client.
    constexpr size_t kEntryBytes = sizeof(decltype(clients_)::value_type) + 2 * sizeof(void*);
    return clients_.bucket_count() * sizeof(void*) +
           clients_.size() * (kEntryBytes + sizeof(Client));
}

}  // namespace armci::datasrv
