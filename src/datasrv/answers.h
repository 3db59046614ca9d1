// SPDX-License-Identifier: BSD-3-Clause
// The short answers of a data server: all but the data of gets.
//
// They have memory of their own, so that an origin that does not take the data of its gets keeps
// no other origin from its answers. What cannot leave now waits here, in order for each client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>

#include "datasrv/client.h"
#include "datasrv/refusal.h"
#include "datasrv/reply_sender.h"
#include "fabric/domain.h"
#include "pipeline/buffers/registered_buffers.h"
#include "wire/frame.h"

namespace armci::datasrv {

// One thread at a time.
class Answers {
  public:
    explicit Answers(ReplySender& sender) : sender_(sender) {}
    bool open(fabric::Domain& domain, fabric::Endpoint& endpoint, std::string* error);
    // The endpoint must be closed before.
    void close();

    // Each of these leaves now or waits; answers to one client leave in the order of these calls.
    template <class Body>
    void answer(Client& client, wire::FrameKind kind, uint64_t request_id, const Body& body) {
        Waiting answer;
        static_assert(sizeof body <= sizeof answer.body);
        answer.client = &client;
        answer.kind = kind;
        answer.request_id = request_id;
        answer.body_bytes = sizeof body;
        std::memcpy(answer.body, &body, sizeof body);
        send_or_queue(answer);
    }
    void answer_empty(Client& client, wire::FrameKind kind, uint64_t request_id);
    void refuse(Client& client, wire::FrameKind request_kind, uint64_t request_id,
                const Refusal& refusal);
    // An acknowledgement does not wait, because it only says what the next answer says, too: false
    // when it cannot leave now.
    bool try_acknowledge(Client& client);

    // Sends what waits; a client whose connection is full does not hold up the others. True when
    // something has left.
    bool flush();
    // Nothing that waits is sent any more.
    void drop_waiting() { waiting_.clear(); }

    bool has_waiting() const { return !waiting_.empty(); }
    size_t waiting_count() const { return waiting_.size(); }
    size_t used_bytes() const { return buffers_.manager().used_bytes(); }

  private:
    struct Waiting {
        Client* client = nullptr;
        wire::FrameKind kind{};
        uint64_t request_id = 0;
        size_t body_bytes = 0;
        char body[sizeof(wire::RecvBuffersBody)];
    };
    void send_or_queue(const Waiting& answer);
    bool try_send(const Waiting& answer);

    ReplySender& sender_;
    pipeline::RegisteredBuffers buffers_;
    std::deque<Waiting> waiting_;
};

}  // namespace armci::datasrv
