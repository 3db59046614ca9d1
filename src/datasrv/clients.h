// SPDX-License-Identifier: BSD-3-Clause
// The clients of a data server: the origins that have ever sent it something.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "datasrv/client.h"
#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "wire/frame.h"

namespace armci::datasrv {

// Only one thread may use it at a time.
class Clients {
  public:
    explicit Clients(fabric::Endpoint& endpoint) : endpoint_(endpoint) {}
    // `server_name` is for log and error text. Ranks are below `rank_count`; their tokens stay the
    // caller's.
    void open(const fabric::Domain& domain, std::string server_name, const uint64_t* rank_tokens,
              int rank_count);
    void clear() { clients_.clear(); }

    // Returns the client that sent the frame that these bytes begin with, and makes it with its
    // first one. nullptr: the sender is no rank of this job. Nothing else is decoded.
    Client* sender_of(const void* frame, size_t bytes);
    // Returns the length of the complete frame that a rank of this job has written there, and the
    // rank, or 0. A frame is found only once.
    size_t take_written(void* memory, size_t bytes, Client** sender);
    // Returns the client of a rank that has sent something.
    Client& of_rank(int32_t rank) { return *clients_.find(rank)->second; }
    // Takes the fabric address out of a handshake frame, which has `frame_bytes` with its header.
    // Returns false, with a warning, when the frame has none. An address that the provider refuses
    // ends the job, because its rank would never get an answer.
    bool shake_hands(Client& client, const void* frame, size_t frame_bytes);

    struct Early {
        int64_t frames = 0;
        int64_t bytes = 0;  // of those without a granted receive buffer
    };
    Early count_early() const;
    // Returns how many of all clients' frames have been executed.
    uint64_t executed_frames() const;
    // Returns the bytes kept for all clients.
    size_t bytes() const;

  private:
    uint64_t token_of(int rank) const {
        return rank >= 0 && rank < rank_count_ ? rank_tokens_[rank] : wire::kNoToken;
    }
    Client* client_of(int rank);

    fabric::Endpoint& endpoint_;
    const fabric::Domain* domain_ = nullptr;
    std::string server_name_;
    const uint64_t* rank_tokens_ = nullptr;
    int rank_count_ = 0;
    std::unordered_map<int32_t, std::unique_ptr<Client>> clients_;  // by rank
};

}  // namespace armci::datasrv
